#include "report/text/trials_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace kerlab::report {

namespace {

/// "BM=128 BN=64" by name; `names` grows by those that are new.
std::map<std::string, std::string> values_of(const Trial& trial, std::vector<std::string>& names) {
  std::map<std::string, std::string> values;
  std::istringstream words(trial.configuration);
  for (std::string word; words >> word;) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    values[name] = equals < word.size() ? word.substr(equals + 1) : "";
  }
  return values;
}

}  // namespace

Table trials_table(const std::vector<ListedTrial>& trials) {
  std::vector<std::string> names;
  std::vector<std::map<std::string, std::string>> values;
  for (const ListedTrial& one : trials) values.push_back(values_of(one.trial, names));
  Table table;
  for (const char* title :
       {"trial", "standing", "variant", "status", "us", "low_us", "high_us", "rounds", "stage", "clock", "cache"})
    table.columns.push_back({title});
  for (const std::string& name : names) table.columns.push_back({name});
  for (const char* title :
       {"err/bound", "mismatches", "registers", "spill_bytes", "shared_bytes", "blocks_per_sm", "threads", "compile_ms",
        "accuracy", "problem", "device_class", "toolchain", "source", "session", "created", "message"})
    table.columns.push_back({title});
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& trial = trials[i].trial;
    const auto& m = trials[i].measurement;
    const auto text = [](auto value) { return fmt::format("{}", value); };
    std::vector<std::string> cells{text(trial.id), trials[i].standing, trial.variant, std::string(name(trial.status))};
    if (m) {
      cells.insert(cells.end(), {text(m->median_us), text(m->low_us), text(m->high_us), text(m->samples_us.size()),
                                 text(name(m->stage)), text(name(m->clock)), text(name(m->cache))});
    } else {
      cells.resize(cells.size() + 7);
    }
    for (const std::string& parameter : names) cells.push_back(values[i][parameter]);
    cells.insert(cells.end(),
                 {text(trial.error_ratio), text(trial.mismatches), text(trial.registers), text(trial.spill_bytes),
                  text(trial.shared_bytes), text(trial.blocks_per_sm), text(trial.threads), text(trial.compile_ms),
                  trial.accuracy, trial.problem, trial.device_class, trial.toolchain, trial.source_hash,
                  text(trial.session), trial.created, trial.message});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace kerlab::report
