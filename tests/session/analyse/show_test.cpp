#include "session/analyse/show.h"

#include "catch.h"
#include "db/fixture.h"
#include "locations.h"
#include "session/find/save.h"
#include "session/run/candidate.h"
#include "session/run/device_class.h"

using namespace kerlab;
using Catch::Contains;

namespace {

DeviceInfo shown_h200() {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.cc_major = 9;
  device.sms = 132;
  device.memory_bytes = std::int64_t{143155} << 20;
  device.clock_mhz = 1980;
  device.memory_clock_mhz = 3201;
  device.memory_bus_bits = 6016;
  return device;
}

/// A winner of a problem, as a session would have stored it.
Trial store_winner(Database& database, int number, const std::string& problem) {
  Trial trial = db_test::a_trial(db_test::begin(database), number);
  trial.family = "gemm";
  trial.problem = problem;
  trial.device_class = shown_h200().device_class();
  seal(trial);
  database.put(trial);
  Measurement measurement = db_test::measurement(trial);
  database.put(measurement);
  Decision decision = db_test::decision(trial, measurement);
  decision.family = "gemm";
  decision.problem = problem;
  decision.device_class = trial.device_class;
  database.put(decision);
  return trial;
}

}  // namespace

TEST_CASE("show: a device class gives back its device, with the limits of its SMs", "[session]") {
  const DeviceInfo device = device_of_class(shown_h200().device_class());
  CHECK(device.device_class() == shown_h200().device_class());
  CHECK(device.threads_per_sm == 2048);
  CHECK(device.shared_per_block == 232448);
  CHECK(device_of_class("").name.empty());
  CHECK(device_of_class("something sm_90 odd").name.empty());
}

TEST_CASE("show: the word of a kind in a record says what its device can do", "[session]") {
  CHECK(stored_capabilities("cuda") == capabilities_of(DeviceKind::cuda));
  CHECK(stored_capabilities("emulated").counts_exactly);
  CHECK_FALSE(stored_capabilities("script").is_hardware);
  CHECK(stored_capabilities("script").has_clock);
  CHECK_FALSE(stored_capabilities("of a later kerlab").is_hardware);
  CHECK_FALSE(stored_capabilities("").has_clock);
}

TEST_CASE("show: winners are found by what was typed, in any spelling", "[session]") {
  Database database = Database::in_memory();
  const Trial small = store_winner(database, 1, "gemm M=512 N=512 K=512 fp32 layout=nn alpha=1 beta=0");
  const Trial large = store_winner(database, 2, "gemm M=4096 N=4096 K=4096 bf16 layout=nt alpha=1 beta=0");
  CHECK(find_winners(database, "gemm", "", {}).size() == 2);
  CHECK(find_winners(database, "gemm", "", {{"M", "4K"}}).at(0).trial == large.id);
  CHECK(find_winners(database, "gemm", "", {{"layout", "nn"}, {"alpha", "1.0"}}).at(0).trial == small.id);
  CHECK(find_winners(database, "gemm", "bf16", {}).at(0).trial == large.id);
  // Not as the beginning of another number.
  CHECK_THROWS_WITH(find_winners(database, "gemm", "", {{"M", "51"}}), Contains("M=51 ") && Contains("M=512"));
  CHECK_THROWS_WITH(find_winners(database, "softmax", "", {}), Contains("kerlab tune softmax"));
}

TEST_CASE("show: the driver's count of blocks outranks the computed one", "[session]") {
  Database database = Database::in_memory();
  Trial trial = store_winner(database, 1, "gemm M=4096 N=4096 K=4096 fp32 layout=nn alpha=1 beta=0");
  trial.threads = 256;
  trial.registers = 246;
  trial.shared_bytes = 50176;
  TrialFacts facts = trial_facts(database, trial, {});
  REQUIRE(facts.occupancy);
  CHECK(facts.occupancy->blocks == 1);
  CHECK(facts.occupancy->limiter == "registers");
  CHECK(facts.occupancy->fraction == Approx(0.125));
  CHECK(facts.winner);
  CHECK(facts.flops == Approx(2.0 * 4096 * 4096 * 4096).epsilon(0.01));
  REQUIRE(facts.roof);
  CHECK(facts.roof->roof_flops > 1e13);
  trial.blocks_per_sm = 2;
  CHECK(trial_facts(database, trial, {}).occupancy->fraction == Approx(0.25));
}

TEST_CASE("show --save: the stored text is written, inside the folder, when the files have changed since",
          "[session]") {
  Database database = Database::in_memory();
  Trial trial = store_winner(database, 1, "gemm M=512 N=512 K=512 fp32 layout=nn alpha=1 beta=0");
  const SourceBundle source{"old.cu", "void old();\n", {{"../../up.cuh", "// up\n"}}, "hash-of-then"};
  database.store_source(source.hash, "old.cu", pack_source(source));
  trial.source_hash = source.hash;
  trial.variant = "no_such_variant";
  const db_test::TemporaryFolder folder;
  const SavedTrial saved = save_trial(database, trial, {folder / "a" / "b", {}, true, kerlab_program()});
  CHECK(read_text(folder / "a" / "b" / "no_such_variant.cu") == source.text);
  CHECK(read_text(folder / "a" / "b" / "up.cuh") == "// up\n");
  REQUIRE_FALSE(saved.notes.empty());
  CHECK_THAT(saved.notes.front(), Contains("not among today's kernels"));
  trial.source_hash = "unknown";
  CHECK_THROWS_WITH(save_trial(database, trial, {folder / "c", {}, true, kerlab_program()}),
                    Contains("no source text of trial"));
}
