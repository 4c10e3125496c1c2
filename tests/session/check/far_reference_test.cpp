// Problems beyond 2^31 elements on a GPU, whose reference computes all of their outputs: how long that takes.
#include <algorithm>

#include "catch.h"
#include "device/emu/emu_device_profile.h"
#include "session/session_fixture.h"
#include "session/shapes/far.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// Sums of a few columns, which are far where they have very many rows.
FamilyTexts sums_of_columns(std::string_view family) {
  return {family, "extern \"C\" __global__ void reference() {}",
          R"toml(
doc = "rows by turns"
[[launch]]
kernel = "sums"
grid = ["ceil_div(M, 1024)"]
block = [1024]
arguments = ["X", "Y", "i64: M", "i64: N"]
)toml",
          "extern \"C\" __global__ void sums() {}"};
}

std::string family_with(const std::string& launch_of_reference) {
  return R"toml(
name = "columns"
doc = "sums of columns"
dtypes = ["bf16"]
[[dimension]]
name = "M"
default = 4096
[[dimension]]
name = "N"
default = 8
maximum = 8
[[tensor]]
name = "X"
role = "input"
shape = ["M", "N"]
[[tensor]]
name = "Y"
role = "output"
dtype = "fp32"
shape = ["N"]
[[reference]]
output = "Y"
arguments = ["X", "i64: M", "i64: N", "index", "count", "value", "scale"]
tolerance = { rule = "sum", length = "M" }
)toml" + launch_of_reference +
         R"toml(
[cost]
flops = "2 * M * N"
bytes = "M * N * 2 + N * 4"
)toml";
}

/// The most rows of a problem that a GPU is given; 0: it is given none.
std::int64_t most_rows(const std::filesystem::path& folder, const std::string& launch_of_reference) {
  const std::string family = family_with(launch_of_reference);
  write_family(folder, "sums", sums_of_columns(family));
  const KernelFolder columns = load_folder(folder);
  DeviceInfo device = emu::read_emulated_device(emu::profile_folder(), "h200");
  device.set_kind(DeviceKind::cuda);
  const Problem asked = make_problem(columns.family, {});
  const FarProblems far = far_problems({columns.family, columns.variants.front(), {}, device}, asked, 3);
  std::int64_t most = 0;
  for (const CheckedProblem& one : far.problems) most = std::max(most, one.request.dimensions.at("M"));
  return most;
}

}  // namespace

TEST_CASE("far: on a GPU no thread of the reference adds up a column for minutes", "[check]") {
  const TemporaryFolder folder;
  const std::int64_t by_blocks = most_rows(folder.path() / "blocks", "grid = [\"count\"]\nblock = [1024]\n");
  const std::int64_t by_threads =
      most_rows(folder.path() / "threads", "grid = [\"ceil_div(count, 32)\"]\nblock = [32]\n");
  CHECK(by_blocks > 1 << 27);
  CHECK(by_threads == 0);
}
