#include "session/check/check_fixture.h"

#include <fmt/format.h>

#include "base/file.h"

namespace kerlab::testing {

void write_variant(const SessionFixture& fixture, const std::string& name, std::string_view toml,
                   std::string_view source) {
  write_atomic(fixture.family() / (name + ".toml"), toml);
  write_atomic(fixture.family() / (name + ".cu"), source);
}

void write_variant(const SessionFixture& fixture, const OneLaunch& variant, std::string_view source) {
  std::string toml = "tune = false\n";
  for (const auto& [name, values] : variant.parameters)
    toml += fmt::format("[[parameter]]\nname = \"{}\"\nvalues = [{}]\n", name, values);
  toml += fmt::format(
      "[[launch]]\nkernel = \"{}\"\ngrid = [\"{}\"]\nblock = [{}]\narguments = [\"x\", \"y\", \"N\", \"a\"]\n",
      variant.name, variant.grid, variant.block);
  write_variant(fixture, variant.name, toml, source);
}

CheckOptions emulated_check(const SessionFixture& fixture, const std::string& variant, const std::string& target) {
  CheckOptions options;
  options.rig = fixture.options().rig;
  options.rig.device = "emu:h200";
  if (!target.empty()) options.rig.target = target;
  options.variants = {variant};
  return options;
}

std::vector<CheckRow> checked_rows(SessionFixture& fixture, const CheckOptions& options) {
  CheckSession session(options, fixture.database());
  while (session.step()) {
  }
  return session.rows();
}

std::map<std::string, TrialStatus> statuses_of(const std::vector<CheckRow>& rows) {
  std::map<std::string, TrialStatus> statuses;
  for (const CheckRow& row : rows) {
    TrialStatus& status = statuses.try_emplace(row.trial.configuration, TrialStatus::passed).first->second;
    if (status == TrialStatus::passed) status = row.trial.status;
  }
  return statuses;
}

std::vector<CheckedProblem> problems_for(const AdversarialShapes& found, MadeFor made_for) {
  std::vector<CheckedProblem> problems;
  for (const CheckedProblem& one : found.problems)
    if (one.made_for == made_for) problems.push_back(one);
  return problems;
}

std::vector<ProblemRequest> requests_for(const AdversarialShapes& found, MadeFor made_for) {
  std::vector<ProblemRequest> requests;
  for (const CheckedProblem& one : problems_for(found, made_for)) requests.push_back(one.request);
  return requests;
}

}  // namespace kerlab::testing
