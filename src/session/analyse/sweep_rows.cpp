#include "session/analyse/sweep_rows.h"

#include <algorithm>
#include <set>

namespace kerlab::session {

namespace {

/// "BM=64 BN=128": those that differ and are not `named`.
std::string also_changed(const Variant& variant, const Configuration& base, const Configuration& row,
                         const std::vector<bool>& named) {
  std::string text;
  for (std::size_t p = 0; p < named.size(); ++p)
    if (!named[p] && row.values[p] != base.values[p])
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", variant.parameters[p].name,
                          value_text(variant.parameters[p], row.values[p]));
  return text;
}

/// "BM == 64", "LAYOUT.row"
std::string equals_text(const Parameter& parameter, std::int64_t value) {
  const std::string text = value_text(parameter, value);
  const bool named = !parameter.words.empty() && text != "true" && text != "false";
  return named ? parameter.name + "." + text : fmt::format("{} == {}", parameter.name, value);
}

/// "BM == 64 && BN == 128"
std::string exactly(const Variant& variant, const Configuration& configuration) {
  std::string condition;
  for (std::size_t i = 0; i < variant.parameters.size(); ++i)
    condition += (i == 0 ? "" : " && ") + equals_text(variant.parameters[i], configuration.values[i]);
  return condition;
}

/// "BM == 64 || BM == 128": alone it lets too much through, but it prunes the enumeration early.
std::string one_of(const Parameter& parameter, const std::set<std::int64_t>& values) {
  std::string condition;
  for (const std::int64_t value : values)
    condition += (condition.empty() ? "" : " || ") + equals_text(parameter, value);
  return condition;
}

const Parameter& parameter_of(const Variant& variant, const ParameterChoice& choice) {
  return *std::ranges::find(variant.parameters, choice.name, &Parameter::name);
}

}  // namespace

std::vector<SweepRow> plan_sweep(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                 const Configuration& base, const std::string& typed,
                                 const std::vector<ParameterChoice>& choices) {
  std::vector<std::string> values{""};
  for (const ParameterChoice& choice : choices) {
    std::vector<std::string> more;
    for (const std::string& before : values)
      for (const std::int64_t value : choice.values)
        more.push_back(fmt::format("{}{}{}={}", before, before.empty() ? "" : " ", choice.name,
                                   value_text(parameter_of(variant, choice), value)));
    values = std::move(more);
  }
  std::vector<bool> fixed;
  parse_configuration(variant, typed, fixed);
  std::vector<SweepRow> rows;
  for (const std::string& named : values) {
    std::vector<bool> swept;
    const Configuration parsed = parse_configuration(variant, named, swept);
    Configuration wanted = base;
    std::vector<bool> kept = fixed;
    for (std::size_t p = 0; p < swept.size(); ++p) {
      if (!swept[p]) continue;
      wanted.values[p] = parsed.values[p];
      kept[p] = true;
    }
    const CompletedConfiguration completed = complete_configuration(variant, problem, device, wanted, kept);
    SweepRow& row = rows.emplace_back();
    row.values = named;
    row.configuration = completed.configuration;
    row.also = also_changed(variant, base, completed.configuration, swept);
    if (!completed.valid) row.not_valid = completed.broken;
  }
  return rows;
}

std::vector<std::string> sweep_remarks(const std::vector<SweepRow>& rows) {
  std::vector<std::string> remarks;
  for (const SweepRow& row : rows) {
    if (!row.not_valid.empty())
      remarks.push_back(fmt::format("{} is not valid: {}", row.values, row.not_valid));
    else if (!row.also.empty())
      remarks.push_back(fmt::format("{} is not valid with the rest as it is: with {}", row.values, row.also));
  }
  return remarks;
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
    if (!values[i].empty()) conditions.push_back(one_of(variant.parameters[i], values[i]));
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
    for (const TimingStage stage : {TimingStage::final, TimingStage::screen, TimingStage::bench})
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

}  // namespace kerlab::session
