#include "cli/analyse/model_steps.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <sstream>

#include "cli/frame/waiting.h"
#include "report/form/json.h"
#include "report/form/table.h"
#include "session/analyse/sweeps.h"
#include "session/run/device_ids.h"

namespace kerlab::cli {
namespace {

std::vector<std::string> row_of(const std::string& name, const StepScore& result) {
  return {name, fmt::format("{}", result.steps), fmt::format("{}", result.clear),
          fmt::format("{:.0f} %", 100 * result.right),
          fmt::format("{:+.0f} to {:+.0f} %", 100 * result.low, 100 * result.high)};
}

JsonValue value_of(const std::string& name, const StepScore& result) {
  return JsonValue::Object{{"sweep", name},         {"steps", result.steps}, {"clear", result.clear},
                           {"right", result.right}, {"low", result.low},     {"high", result.high}};
}

}  // namespace

std::string dtype_of(const Sweep& sweep) {
  std::istringstream words(sweep.problem);
  std::string word;
  words >> word;
  while (words >> word && word.find('=') != std::string::npos) {
  }
  return word;
}

ExitCode compare_steps(const std::vector<Sweep>& sweeps, std::size_t anchors, const GlobalOptions& global) {
  Table table{{{"steps of one parameter"},
               {"n", Align::right},
               {"of 5 % and more", Align::right},
               {"correct direction", Align::right},
               {"80 % of all ratios within", Align::right}},
              {}};
  JsonValue::Array rows;
  std::map<std::string, std::vector<StepRatio>> held_out;
  std::optional<Waiting> waiting(std::in_place, "model");
  for (const Sweep& sweep : sweeps) {
    RigOptions rig = rig_options(global, sweep.family);
    rig.device = inspecting_device(rig.device);
    const std::vector<StepRatio> ratios = waiting->run(step_ratios(rig, sweep, anchors));
    const StepScore result = step_score(ratios);
    table.rows.push_back(row_of(sweep.name, result));
    rows.push_back(value_of(sweep.name, result));
    if (sweep.fitted) continue;
    auto& all = held_out[sweep.family + " " + dtype_of(sweep)];
    all.insert(all.end(), ratios.begin(), ratios.end());
  }
  waiting.reset();
  for (const auto& [name, ratios] : held_out) {
    table.rows.push_back(row_of("held out: " + name, step_score(ratios)));
    rows.push_back(value_of("held out: " + name, step_score(ratios)));
  }
  if (global.json) {
    fmt::print("{}\n", to_json(json_document("model", {{"model", kModelProtocol}, {"steps", std::move(rows)}})));
  } else {
    fmt::print("{}: modelled over measured ratio less 1\n{}", kModelProtocol,
               text_table(table, color_on(global, stdout), 0, table_width(0)));
  }
  return ExitCode::passed;
}

}  // namespace kerlab::cli
