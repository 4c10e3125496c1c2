#include "session/regress/regress_choice.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "session/regress/regress_gate.h"

namespace kerlab::session {

bool is_chosen(const std::string& key, const std::vector<std::string>& only) {
  return only.empty() ||
         std::ranges::any_of(only, [&](const std::string& part) { return key.find(part) != std::string::npos; });
}

std::string others_text(const std::vector<Baseline>& all, const std::string& device_class) {
  std::map<std::string, int> others;
  for (const Baseline& baseline : all)
    if (baseline.device_class != device_class) ++others[baseline.device_class];
  std::vector<std::string> texts;
  for (const auto& [other, count] : others) texts.push_back(fmt::format("{} of {}", count, other));
  return texts.empty() ? "" : fmt::format(": {}", fmt::join(texts, ", "));
}

void open_device(const RigOptions& options, std::unique_ptr<Rig>& rig) {
  try {
    rig = std::make_unique<Rig>(options, KernelFolder{});
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    if (options.device != "gpu") throw;
    throw Error(fmt::format("{} The emulated device gates what is exact; times need a GPU.", error.what()),
                error.code());
  }
}

std::vector<Baseline> chosen_baselines(const BaselineFolder::Listing& all, const std::vector<std::string>& only,
                                       const std::string& device_class) {
  std::vector<std::string> keys;
  for (const Baseline& baseline : all.baselines) keys.push_back(baseline.key);
  for (const BaselineFolder::Damaged& damaged : all.damaged) keys.push_back(damaged.key);
  for (const std::string& part : only) {
    if (std::ranges::any_of(keys, [&](const std::string& key) { return is_chosen(key, {part}); })) continue;
    const std::string near = nearest(part, keys);
    throw UsageError(fmt::format("{}: no baseline has that in its key; {}", part,
                                 near.empty() ? "kerlab regress list shows them" : "did you mean " + near + "?"));
  }
  std::vector<Baseline> chosen;
  for (const Baseline& baseline : all.baselines)
    if (baseline.device_class == device_class && is_chosen(baseline.key, only)) chosen.push_back(baseline);
  std::ranges::stable_sort(chosen, [](const Baseline& a, const Baseline& b) {
    return std::tie(a.folder, a.family, a.problem, a.key) < std::tie(b.folder, b.family, b.problem, b.key);
  });
  return chosen;
}

void sort_rows(std::vector<RegressRow>& rows) {
  const auto weight = [](const RegressRow& row) {
    if (row.time) return row.time->ratio;
    return row.changes.empty() ? 0.0 : row.changes.front().after / std::max(1e-9, row.changes.front().before);
  };
  std::ranges::stable_sort(rows, [&](const RegressRow& a, const RegressRow& b) {
    if (a.verdict != b.verdict) return a.verdict < b.verdict;
    return weight(a) > weight(b);
  });
}

ExitCode code_of(RegressVerdict verdict) {
  switch (verdict) {
    case RegressVerdict::wrong:
      return ExitCode::wrong;
    case RegressVerdict::regressed:
      return ExitCode::regression;
    case RegressVerdict::failed:
      return ExitCode::failed;
    case RegressVerdict::inconclusive:
      return ExitCode::inconclusive;
    case RegressVerdict::not_comparable:
      return ExitCode::no_baseline;
    default:
      return ExitCode::passed;
  }
}

ExitCode regress_code(const RegressReport& report, const std::vector<int>& fail_on) {
  if (report.interrupted) return ExitCode::interrupted;
  const auto there = [&](RegressVerdict verdict) {
    return std::ranges::find(report.rows, verdict, &RegressRow::verdict) != report.rows.end();
  };
  for (const RegressVerdict verdict : {RegressVerdict::wrong, RegressVerdict::regressed, RegressVerdict::failed,
                                       RegressVerdict::inconclusive, RegressVerdict::not_comparable}) {
    const ExitCode code = code_of(verdict);
    const bool counts = code == ExitCode::failed || std::ranges::find(fail_on, static_cast<int>(code)) != fail_on.end();
    if (counts && there(verdict)) return code;
  }
  const bool compared = std::ranges::any_of(report.rows, [](const RegressRow& row) {
    return row.verdict != RegressVerdict::not_comparable && row.verdict != RegressVerdict::failed;
  });
  return compared ? ExitCode::passed : ExitCode::no_baseline;
}

}  // namespace kerlab::session
