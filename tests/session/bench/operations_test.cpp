// What the variants predict beside what the emulated device counts.

#include "catch.h"
#include "session/bench/bench.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

std::vector<BenchRow> bench(SessionFixture& fixture, const std::string& dtype, std::vector<std::string> variants,
                            std::vector<ProblemArgument> arguments) {
  BenchOptions options;
  options.rig = fixture.options().rig;
  options.rig.device = "emu:h200";
  options.rig.target = "gemm";
  options.dtypes = dtype;
  options.variants = std::move(variants);
  options.arguments = std::move(arguments);
  BenchSession session(options, fixture.database());
  while (session.step()) {
  }
  return session.rows();
}

void check_exact(const std::vector<BenchRow>& rows) {
  for (const BenchRow& row : rows) {
    CAPTURE(row.trial.variant, row.trial.message);
    CHECK(row.operations.has_predictions());
    for (const Operation& operation : row.operations.rows) {
      if (!operation.predicted) continue;
      CAPTURE(operation.name);
      CHECK(operation.counted == operation.predicted);
    }
  }
}

}  // namespace

TEST_CASE("predicted: whole tiles of the fp32 ladder do exactly what the manuals say", "[session][emulated]") {
  SessionFixture fixture;
  const auto rows = bench(fixture, "fp32", {"naive", "coalesced", "smem_tile", "reg2d", "async_tile", "warp_tile"},
                          {{"M", "256"}, {"beta", "1"}});
  REQUIRE(rows.size() == 6);
  check_exact(rows);
  const auto plain = bench(fixture, "fp32", {"outer_product", "reg1d"}, {{"M", "256"}});
  REQUIRE(plain.size() == 2);
  check_exact(plain);
}

TEST_CASE("predicted: whole tiles of the tensor-core ladder do exactly what the manuals say", "[session][emulated]") {
  SessionFixture fixture;
  for (const char* dtype : {"bf16", "tf32"}) {
    const auto rows = bench(fixture, dtype, {"wmma", "mma_sync", "mma_multistage"}, {{"M", "256"}});
    REQUIRE(rows.size() == 3);
    check_exact(rows);
  }
}

TEST_CASE("predicted: of a trial without running it, and counted afterwards", "[session][emulated]") {
  SessionFixture fixture;
  Trial trial = bench(fixture, "fp32", {"smem_tile"}, {{"M", "128"}}).front().trial;
  const Operations predicted = predicted_operations(trial, {});
  REQUIRE(predicted.has_predictions());
  for (const Operation& row : predicted.rows) CHECK_FALSE(row.counted);
  CHECK(emulated_twin(trial) == "emu:h200");

  const Operations counted = count_operations(trial, fixture.options().rig);
  CHECK(counted.note == "");
  CHECK(counted.scope == "6 of 16 blocks on emu:h200");
  for (const Operation& row : counted.rows)
    if (row.predicted) CHECK(row.counted == row.predicted);

  trial.device_class = "NVIDIA A100-SXM4-80GB sm_80 108 SM 81920 MiB 1410/1593 MHz 5120 bit";
  CHECK(emulated_twin(trial) == "emu:a100");
  trial.variant = "gone";
  CHECK(predicted_operations(trial, {}).rows.empty());
  CHECK(count_operations(trial, fixture.options().rig).note.starts_with("not counted: "));
}
