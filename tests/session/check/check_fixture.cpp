#include "session/check/check_fixture.h"

#include <fmt/format.h>

#include "base/file.h"
#include "catch.h"

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

std::map<std::string, TrialStatus> statuses_of(const ElementFamily& family) {
  SessionFixture fixture;
  const auto folder = fixture.folder() / family.name;
  write_family(folder, family.name, family);
  CheckOptions options = emulated_check(fixture, family.name, folder.string());
  options.every_configuration = true;
  options.only_asked = true;
  return statuses_of(checked_rows(fixture, options));
}

void check_bugs_are_told(const ElementFamily& family) {
  const auto statuses = statuses_of(family);
  CHECK(statuses.size() == static_cast<std::size_t>(family.bugs) + 1);
  for (const auto& [configuration, status] : statuses) {
    INFO(family.name << ' ' << configuration);
    CHECK(status == (configuration == "BUG=0" ? TrialStatus::passed : TrialStatus::wrong));
  }
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
