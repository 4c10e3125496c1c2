#include "session/check/typed_family.h"

#include <fmt/format.h>

#include "catch.h"
#include "session/check/check_fixture.h"

namespace kerlab::testing {
namespace {

constexpr std::string_view kTypedFamily = R"toml(
name = "typed"
dtypes = ["{input}"]
[[dimension]]
name = "N"
default = 1002
[[constraint]]
name = "whole_bytes"
condition = "N % 2 == 0"
[[tensor]]
name = "X"
role = "input"
shape = ["N"]
[[tensor]]
name = "Y"
role = "output"
dtype = "{output}"
shape = ["N"]
[[reference]]
output = "Y"
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["X", "index", "count", "value", "scale"]
tolerance = {tolerance}
[[recipe]]
name = "normal"
[[recipe]]
name = "uniform"
[[recipe]]
name = "small_integer"
{recipes}
[cost]
flops = "N"
bytes = "N * dtype.bits / 4"
)toml";

constexpr std::string_view kTypedReference = R"cuda(
#include "common/copied.cuh"
extern "C" __global__ void reference(const {input_type}* X, const long long* index, long long count, ACC* value,
                                     ACC* scale) {{
  const long long j = blockIdx.x * 256ll + threadIdx.x;
  if (j >= count) return;
  const long long i = index == nullptr ? j : index[j];
  {zero}
  {reference}
}}
)cuda";

constexpr std::string_view kTypedVariant = R"toml(
doc = "right for BUG = 0 only"
[[parameter]]
name = "BUG"
values = [{bugs}]
[[launch]]
kernel = "typed"
grid = ["ceil_div(N, {elements})"]
block = [128]
arguments = ["X", "Y", "N / {per_thread}"]
)toml";

constexpr std::string_view kTypedKernel = R"cuda(
#include "common/types.cuh"
extern "C" __global__ void typed(const {input_type}* X, {output_type}* Y, int n) {{
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  {kernel}
}}
)cuda";

void write_typed(const std::filesystem::path& folder, const TypedFamily& f) {
  const std::string_view input = f.input_type.empty() ? "DTYPE" : f.input_type;
  const std::string_view output = f.output_type.empty() ? input : f.output_type;
  std::string bugs = "0";
  for (int bug = 1; bug <= f.bugs; ++bug) bugs += fmt::format(", {}", bug);
  write_family(folder, "typed",
               {fmt::format(kTypedFamily, fmt::arg("input", f.input), fmt::arg("output", f.output),
                            fmt::arg("tolerance", f.tolerance), fmt::arg("recipes", f.recipes)),
                fmt::format(kTypedReference, fmt::arg("input_type", input), fmt::arg("reference", f.reference),
                            fmt::arg("zero", f.output == "complex64" ? "" : "scale[j] = 0;")),
                fmt::format(kTypedVariant, fmt::arg("bugs", bugs), fmt::arg("elements", 128 * f.per_thread),
                            fmt::arg("per_thread", f.per_thread)),
                fmt::format(kTypedKernel, fmt::arg("input_type", input), fmt::arg("output_type", output),
                            fmt::arg("kernel", f.kernel))});
}

}  // namespace

std::string planted(std::string_view name, std::string_view what, std::string_view value) {
  return fmt::format("[[recipe]]\nname = \"{}\"\nbase = \"normal\"\n[[recipe.plant]]\nwhat = \"{}\"\n{}", name, what,
                     value.empty() ? "" : fmt::format("value = {}\n", value));
}

std::map<std::string, TrialStatus> check_typed(const TypedFamily& family, std::string* detail) {
  SessionFixture fixture;
  const TemporaryFolder folder;
  write_typed(folder.path(), family);
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
