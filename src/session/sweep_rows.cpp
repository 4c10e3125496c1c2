#include "session/sweep_rows.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace kerlab {

namespace {

/// "BM=64,BN=128" without what the choices name.
std::string without(const std::string& typed, const std::vector<ParameterChoice>& choices) {
  std::string rest;
  std::istringstream stream(typed);
  for (std::string word; std::getline(stream, word, ',');) {
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::count(choices, name, &ParameterChoice::name) == 0) rest += (rest.empty() ? "" : ",") + word;
  }
  return rest;
}

/// "BM == 64 && BN == 128"
std::string exactly(const Variant& variant, const Configuration& configuration) {
  std::string condition;
  for (std::size_t i = 0; i < variant.parameters.size(); ++i)
    condition += fmt::format("{}{} == {}", i == 0 ? "" : " && ", variant.parameters[i].name, configuration.values[i]);
  return condition;
}

/// "BM == 64 || BM == 128": alone it lets too much through, but it prunes the enumeration early.
std::string one_of(const std::string& name, const std::set<std::int64_t>& values) {
  std::string condition;
  for (const std::int64_t value : values)
    condition += fmt::format("{}{} == {}", condition.empty() ? "" : " || ", name, value);
  return condition;
}

}  // namespace

std::vector<SweepRow> plan_sweep(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                 const std::string& typed, const std::vector<ParameterChoice>& choices) {
  std::vector<std::string> values{""};
  for (const ParameterChoice& choice : choices) {
    std::vector<std::string> more;
    for (const std::string& before : values)
      for (const std::int64_t value : choice.values)
        more.push_back(fmt::format("{}{}{}={}", before, before.empty() ? "" : " ", choice.name, value));
    values = std::move(more);
  }
  const std::string rest = without(typed, choices);
  std::vector<SweepRow> rows;
  for (const std::string& named : values) {
    SweepRow& row = rows.emplace_back();
    row.values = named;
    row.configuration = parse_configuration(variant, problem, device, rest.empty() ? named : rest + " " + named);
    row.not_valid = violated_constraint(variant, problem, device, row.configuration);
  }
  return rows;
}

std::vector<std::string> conditions_of(const Variant& variant, const std::vector<SweepRow>& rows) {
  std::vector<std::string> conditions;
  std::string exact;
  std::vector<std::set<std::int64_t>> values(variant.parameters.size());
  for (const SweepRow& row : rows) {
    if (!row.not_valid.empty()) continue;
    exact += fmt::format("{}({})", exact.empty() ? "" : " || ", exactly(variant, row.configuration));
    for (std::size_t i = 0; i < values.size(); ++i) values[i].insert(row.configuration.values[i]);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i].empty()) conditions.push_back(one_of(variant.parameters[i].name, values[i]));
  if (!variant.parameters.empty() && !exact.empty()) conditions.push_back(exact);
  return conditions;
}

void look_up(std::vector<SweepRow>& rows, const Family& family, const VariantSource& source, const Problem& problem,
             const DeviceInfo& device, const std::string& toolchain, const Database& database) {
  for (SweepRow& row : rows) {
    if (!row.not_valid.empty()) continue;
    const TrialCandidate candidate = make_candidate(family, source, 0, row.configuration, problem, device, toolchain);
    row.trial = database.trial_by_key(candidate.trial.key);
    if (!row.trial || row.trial->status != TrialStatus::passed) continue;
    for (const char* stage : {"final", "screen", "bench"})
      if (!row.measurement) row.measurement = database.latest_measurement(row.trial->id, stage);
  }
}

const SweepRow* best_of(const std::vector<SweepRow>& rows) {
  const SweepRow* best = nullptr;
  for (const SweepRow& row : rows)
    if (row.measurement && (best == nullptr || row.measurement->median_us < best->measurement->median_us)) best = &row;
  return best;
}

std::uint64_t combinations(const std::vector<ParameterChoice>& choices) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  std::uint64_t count = 1;
  for (const ParameterChoice& choice : choices) {
    if (count > kMost / choice.values.size()) return kMost;
    count *= choice.values.size();
  }
  return count;
}

}  // namespace kerlab
