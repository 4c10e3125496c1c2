// Rows with a leading dimension: whole checks of kernels that take them rightly, and of kernels that only seem to.

#include <algorithm>

#include "base/file.h"
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// y = x; its variant is not that of the family's words.
ElementFamily rows_family() {
  return {.name = "rows",
          .dtypes = "\"bf16\", \"fp32\"",
          .dimensions = {{"M", 5}, {"N", 33}},
          .inputs = {{"x", "DTYPE", "", "\"M\", \"N\""}},
          .output = {"y", "DTYPE", "", "\"M\", \"N\""},
          .flops = "M * N",
          .bytes = "2 * M * N * dtype.bytes",
          .reference = "value[j] = to_float(x[i]);\n  scale[j] = 0;"};
}

constexpr std::string_view kCopyToml = R"toml(
pitch = ["x", "y"]
[[parameter]]
name = "BUG"
values = [0, 1, 2, 3, 4, 5, 6, 7, 8]
[[launch]]
kernel = "copy_rows"
grid = ["M"]
block = [64]
arguments = ["x", "y", "N", "pitch.x", "i64: pitch.y"]
)toml";

constexpr std::string_view kCopy = R"cuda(
#include "common/types.cuh"
extern "C" __global__ void copy_rows(const DTYPE* x, DTYPE* y, int n, int pitch_x, long long pitch_y) {
  const DTYPE* from = x + blockIdx.x * (BUG == 1 ? n : 1LL * pitch_x);   // 1, 2: the width for the pitch
  if (BUG == 8) from = x + static_cast<int>(blockIdx.x * pitch_x);        // 8: in 32 bits
  DTYPE* to = y + blockIdx.x * (BUG == 2 ? n : pitch_y);
  for (int i = threadIdx.x; i < n; i += 64) to[i] = from[i];
  if (BUG == 7 && pitch_y % 8 == 0 && threadIdx.x < 8) to[n - n % 8 + threadIdx.x] = from[n - n % 8 + threadIdx.x];  // whole rows
  if (threadIdx.x != 0 || pitch_x == n) return;
  if (BUG == 3 && blockIdx.x == 3) to[n + 2] = from[0];            // 3, 4: writes behind a row of the output, of the input
  if (BUG == 4 && blockIdx.x == 3) const_cast<DTYPE*>(from)[n] = from[0];
  if (BUG == 5 && blockIdx.x == 3) const_cast<DTYPE*>(from)[0] = from[1];   // 5: writes a row of the input
  if (BUG == 6 && blockIdx.x == 3) y[5 * pitch_y] = from[0];       // 6: writes behind the last row's padding
}
)cuda";

struct Rows {
  SessionFixture fixture;
  CheckOptions options;

  Rows() {
    const auto folder = fixture.folder() / "rows";
    write_family(folder, "copy", rows_family());
    write_atomic(folder / "copy.toml", kCopyToml);
    write_atomic(folder / "copy.cu", kCopy);
    options = emulated_check(fixture, "copy", folder.string());
    options.only_asked = true;
  }
  std::vector<CheckRow> check(const RowPadding& padding, const std::string& configuration = "",
                              const std::string& dtype = "") {
    CheckOptions chosen = options;
    chosen.row_padding = padding;
    chosen.configuration = configuration;
    chosen.every_configuration = configuration.empty();
    chosen.dtype = dtype;
    return checked_rows(fixture, chosen);
  }
};

}  // namespace

TEST_CASE("pitch: what is wrong with padded rows only is found with padded rows", "[session][emulated]") {
  Rows rows;
  for (const CheckRow& row : rows.check({0})) {
    INFO(row.trial.configuration << ": " << row.trial.message);
    CHECK(row.trial.status == TrialStatus::passed);
  }
  const std::vector<CheckRow> padded = rows.check({48});
  REQUIRE(padded.size() == 9);
  CHECK(padded[0].trial.status == TrialStatus::passed);
  CHECK(padded[0].problem.title() == "rows 5x33 bf16 row-padding=48");
  CHECK(padded[1].trial.status == TrialStatus::wrong);
  CHECK_THAT(padded[1].command, Catch::Contains(" --row-padding 48 --only"));
  CHECK(padded[2].trial.status != TrialStatus::passed);
  CHECK_THAT(padded[2].trial.message, Catch::Contains("y: ") && Catch::Contains("of the padding behind its rows"));
  CHECK(padded[3].trial.status == TrialStatus::guard_violation);
  CHECK_THAT(padded[3].trial.message,
             Catch::Contains("y: 2 bytes of the padding behind its rows overwritten, first 4 bytes behind row 3"));
  CHECK(padded[4].trial.status == TrialStatus::guard_violation);
  CHECK_THAT(padded[4].trial.message, Catch::Contains("x: 2 bytes of the padding") && Catch::Contains("first 0 bytes"));
  CHECK(padded[5].trial.status == TrialStatus::input_modified);
  CHECK(padded[6].trial.status == TrialStatus::guard_violation);
  CHECK_THAT(padded[6].trial.message, Catch::Contains("y with padded rows: 2 bytes"));
}

TEST_CASE("pitch: who takes rows that begin at whole packets for whole ones is found", "[session][emulated]") {
  Rows rows;
  CHECK(rows.check({48}, "BUG=7").at(0).trial.status == TrialStatus::passed);
  CHECK(rows.check({48, RowPadding::Whole::all}, "BUG=0").at(0).trial.status == TrialStatus::passed);
  const CheckRow whole = rows.check({48, RowPadding::Whole::all}, "BUG=7").at(0);
  CHECK(whole.trial.status == TrialStatus::guard_violation);
  CHECK_THAT(whole.command, Catch::Contains(" --row-padding whole+48 --only"));
  rows.options.only_asked = false;
  CHECK(std::ranges::any_of(rows.check({}, "BUG=7"), [](const CheckRow& row) {
    return row.trial.status == TrialStatus::guard_violation &&
           row.problem.row_padding == RowPadding{48, RowPadding::Whole::all};
  }));
}

TEST_CASE("pitch: gaps so wide that few rows are beyond 2^32 elements show places kept in 32 bits",
          "[session][emulated]") {
  Rows rows;
  rows.options.only_asked = false;
  const auto is_far = [](const CheckRow& row) { return row.problem.row_padding.bytes > (std::int64_t{1} << 20); };
  const std::vector<CheckRow> right = rows.check({}, "BUG=0", "bf16"), wrong = rows.check({}, "BUG=8", "bf16");
  const auto far = std::ranges::find_if(right, is_far), found = std::ranges::find_if(wrong, is_far);
  REQUIRE((far != right.end() && found != wrong.end()));
  CHECK(far->trial.status == TrialStatus::passed);
  CHECK(found->trial.status != TrialStatus::passed);
  constexpr double kBytes = 2;
  CHECK(static_cast<double>(far->problem.dimensions[0].second) * static_cast<double>(far->problem.row_padding.bytes) /
            kBytes >
        4294967296.0);
  CHECK(far->problem.dimensions[1].second < 1000);
}

TEST_CASE("pitch: rows are padded for every dtype, and by as much as was asked for", "[session][emulated]") {
  Rows rows;
  for (const char* dtype : {"bf16", "fp32"})
    for (const std::int64_t padding : {16, 4096}) {
      CAPTURE(dtype, padding);
      CHECK(rows.check({padding}, "BUG=0", dtype).at(0).trial.status == TrialStatus::passed);
      CHECK(rows.check({padding}, "BUG=1", dtype).at(0).trial.status == TrialStatus::wrong);
      CHECK(rows.check({padding}, "BUG=3", dtype).at(0).trial.status == TrialStatus::guard_violation);
    }
  CHECK_THROWS_WITH(rows.check({24}, "BUG=0"), Catch::Contains("--row-padding 24: a multiple of 16"));
}

TEST_CASE("pitch: shapes that break kernels come with padded rows too, where a variant takes them",
          "[session][emulated]") {
  Rows rows;
  rows.options.only_asked = false;
  const auto padded = [&] {
    const std::vector<CheckRow> all = rows.check({0}, "BUG=1");
    return std::count_if(all.begin(), all.end(), [](const CheckRow& row) {
      const bool one_row = row.problem.dimensions[0].second == 1;
      CHECK((row.trial.status == TrialStatus::passed) == (row.problem.row_padding.bytes == 0 || one_row));
      return row.problem.row_padding.bytes > 0 && !one_row;
    });
  };
  CHECK(padded() >= 2);
  const auto file = rows.fixture.folder() / "rows" / "copy.toml";
  std::string dense(kCopyToml);
  for (const char* pitch : {"pitch = [\"x\", \"y\"]", "pitch.x", "pitch.y"})
    dense.replace(dense.find(pitch), std::string(pitch).size(), pitch[5] == ' ' ? "" : "N");
  write_atomic(file, dense);
  CHECK(padded() == 0);
  rows.options.only_asked = true;
  CHECK_THROWS_WITH(rows.check({48}), Catch::Contains("variant 'copy' takes no tensor with padded rows"));
}

TEST_CASE("pitch: other dtypes are tried with the rows that were asked for", "[session][emulated]") {
  Rows rows;
  rows.options.only_asked = false;
  std::size_t others = 0;
  for (const CheckRow& row : rows.check({48}, "BUG=0")) {
    const auto is_long = [](const auto& dimension) { return dimension.second > (std::int64_t{1} << 20); };
    const bool is_far =
        row.problem.row_padding.bytes > kGuardedGap || std::ranges::any_of(row.problem.dimensions, is_long);
    if (row.problem.dtype == DType::bf16 || is_far) continue;
    CHECK(row.problem.row_padding == RowPadding{48});
    ++others;
  }
  CHECK(others > 0);
}

TEST_CASE("pitch: on a device that is no emulator copies are made and scanned", "[session]") {
  Rows rows;
  rows.options.rig.device = rows.fixture.device();
  CHECK(rows.check({48}, "BUG=0").at(0).trial.status == TrialStatus::passed);
  rows.fixture.write_script("[[rule]]\nmatch = \"copy BUG=0\"\noutcome = \"guard\"\n");
  CHECK(rows.check({48}, "BUG=0").at(0).trial.status == TrialStatus::guard_violation);
}

TEST_CASE("pitch: of a big problem some blocks are executed, and a small one with padded rows whole",
          "[session][emulated]") {
  Rows rows;
  rows.options.arguments = {{"M", "20000"}, {"N", "2000"}};
  const CheckRow right = rows.check({48}, "BUG=0").at(0);
  CHECK(right.trial.status == TrialStatus::passed);
  CHECK_THAT(right.scope, Catch::Contains(" of 20000 blocks, and whole at rows 391x263 bf16 row-padding=48"));
  CHECK(rows.check({48}, "BUG=1").at(0).trial.status == TrialStatus::wrong);
  CHECK(rows.check({48}, "BUG=3").at(0).trial.status == TrialStatus::guard_violation);
}
