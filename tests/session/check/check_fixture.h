#pragma once
// Whole checks of a variant on the emulated device.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "session/check/check.h"
#include "session/element_family.h"
#include "session/session_fixture.h"

namespace kerlab::testing {

/// Writes a variant of the fixture's family.
void write_variant(const SessionFixture& fixture, const std::string& name, std::string_view toml,
                   std::string_view source);

/// A variant of one launch, called as its kernel, which takes x, y, N and a; no tune finds it by itself.
struct OneLaunch {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< with their values: {{"BUG", "1, 0"}}
  std::string grid = "ceil_div(N, 128)";
  int block = 128;
};
void write_variant(const SessionFixture& fixture, const OneLaunch& variant, std::string_view source);

/// Of that variant ("all": every one) of the fixture's family, or of `target`: a folder, or a shipped family.
CheckOptions emulated_check(const SessionFixture& fixture, const std::string& variant, const std::string& target = "");

/// What it finds, once all of it is done.
std::vector<CheckRow> checked_rows(SessionFixture& fixture, const CheckOptions& options);

/// By configuration what the first row that failed says, or that all have passed.
std::map<std::string, TrialStatus> statuses_of(const std::vector<CheckRow>& rows);
/// The same of every configuration of such a family, checked in a folder of its own on the problem of its defaults.
std::map<std::string, TrialStatus> statuses_of(const ElementFamily& family);
/// The right kernel passes, and all others are wrong.
void check_bugs_are_told(const ElementFamily& family);

/// Of those that a check chooses the ones made for one thing, for the configuration itself or another of its variant.
std::vector<CheckedProblem> problems_for(const AdversarialShapes& found, MadeFor made_for);
std::vector<ProblemRequest> requests_for(const AdversarialShapes& found, MadeFor made_for);

}  // namespace kerlab::testing
