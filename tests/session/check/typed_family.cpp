#include "session/check/typed_family.h"

#include <fmt/format.h>

#include "catch.h"
#include "session/check/check_fixture.h"

namespace kerlab::testing {
namespace {

constexpr std::string_view kTypedWords = R"toml([[constraint]]
name = "whole_bytes"
condition = "N % 2 == 0"
[[recipe]]
name = "normal"
[[recipe]]
name = "uniform"
[[recipe]]
name = "small_integer"
)toml";

ElementFamily element_family(const TypedFamily& f) {
  const std::string input(f.input_type.empty() ? "DTYPE" : f.input_type);
  return {.name = "typed",
          .dtypes = fmt::format("\"{}\"", f.input),
          .dimensions = {{"N", 1002}},
          .inputs = {{"X", input}},
          .output = {"Y", f.output_type.empty() ? input : std::string(f.output_type),
                     fmt::format("dtype = \"{}\"", f.output)},
          .tolerance = std::string(f.tolerance),
          .more = std::string(kTypedWords) + f.recipes,
          .reference = fmt::format("{}{}", f.output == "complex64" ? "" : "scale[j] = 0;\n  ", f.reference),
          .kernel = std::string(f.kernel),
          .bugs = f.bugs,
          .threads = fmt::format("N / {}", f.per_thread)};
}

}  // namespace

std::string planted(std::string_view name, std::string_view what, std::string_view value) {
  return fmt::format("[[recipe]]\nname = \"{}\"\nbase = \"normal\"\n[[recipe.plant]]\nwhat = \"{}\"\n{}", name, what,
                     value.empty() ? "" : fmt::format("value = {}\n", value));
}

std::map<std::string, TrialStatus> check_typed(const TypedFamily& family, std::string* detail) {
  SessionFixture fixture;
  const TemporaryFolder folder;
  write_family(folder.path(), "typed", element_family(family));
  CheckOptions options = emulated_check(fixture, "typed", folder.path().string());
  options.every_configuration = true;
  options.only_asked = true;
  const std::vector<CheckRow> rows = checked_rows(fixture, options);
  std::map<std::string, TrialStatus> statuses;
  for (const CheckRow& row : rows) {
    INFO(row.trial.configuration << ": " << row.trial.message);
    statuses[row.trial.configuration] = row.trial.status;
    if (row.trial.configuration == "BUG=0") CHECK(row.trial.status == TrialStatus::passed);
    if (row.trial.configuration == "BUG=1" && detail != nullptr) *detail = row.trial.message;
  }
  return statuses;
}

void judge_typed(const TypedFamily& family, std::string* detail) {
  const auto statuses = check_typed(family, detail);
  CHECK(statuses.size() == static_cast<std::size_t>(family.bugs) + 1);
  for (const auto& [configuration, status] : statuses) {
    INFO(family.input << " to " << family.output << ", " << configuration);
    CHECK(status == (configuration == "BUG=0" ? TrialStatus::passed : TrialStatus::wrong));
  }
}

}  // namespace kerlab::testing
