// What explain finds out, on the emulated device.

#include "session/analyse/explain.h"

#include <algorithm>

#include "base/file.h"
#include "catch.h"
#include "device/emu/emu_device_profile.h"
#include "session/analyse/timed_ratio.h"
#include "session/analyse/what_if.h"
#include "session/run/space.h"
#include "session/session_fixture.h"
#include "session/shapes/tiles.h"
#include "spec/space/completed_configuration.h"

using namespace kerlab;
using namespace kerlab::emu;
using namespace kerlab::testing;

namespace {

ExplainOptions asked(const SessionFixture& fixture, const std::string& subject, std::vector<ProblemArgument> arguments,
                     const std::string& dtype, std::size_t what_if = 0) {
  ExplainOptions options;
  options.inspect.rig = fixture.options().rig;
  options.inspect.rig.device = "emu:h200";
  options.inspect.rig.kernels.families = {fixture.folder()};
  options.inspect.subject = parse_subject(subject);
  options.inspect.arguments = std::move(arguments);
  options.inspect.dtype = dtype;
  options.what_if = what_if;
  return options;
}

DeviceInfo emulated() {
  const auto devices = list_emulated_devices(profile_folder());
  return *std::ranges::find(devices, "emu:h200", &DeviceInfo::id);
}

/// Tiles of the first launch.
std::int64_t tiles(const std::string& variant, std::int64_t extent, const std::string& configuration) {
  const KernelFolder folder = open_catalogue({}).find("gemm");
  const Problem problem = make_problem(folder.family, {{{"M", extent}, {"N", extent}, {"K", extent}}, "bf16", {}, {}});
  const Variant& chosen = find_variant(folder, variant);
  const Configuration values = complete_configuration(chosen, problem, emulated(), configuration).configuration;
  return tiles_of(folder.family, chosen, problem, values, emulated()).front();
}

Measurement timed(std::int64_t trial, std::int64_t session, double us, TimingStage stage) {
  Measurement m;
  m.trial = trial;
  m.session = session;
  m.protocol = "events-1";
  m.stage = stage;
  m.recipe = "normal v1 seed 1";
  m.cache = CacheState::cold;
  m.clock = ClockKind::scripted;
  m.median_us = us;
  m.low_us = 0.98 * us;
  m.high_us = 1.02 * us;
  return m;
}

}  // namespace

TEST_CASE("explain: a kernel with its neighbours", "[session][emulated][explain]") {
  const SessionFixture fixture;
  const Explanation found = explain(asked(fixture, "gemm/reg2d:BM=64", {{"M", "256"}}, "fp32", 2), nullptr).finish();
  CHECK(found.kernel_name == "gemm/reg2d");
  CHECK(found.typed == "BM=64,MIN_BLOCKS=1");
  CHECK(found.problem_options == " --M 256 --N 256 --K 256 --dtype fp32");
  CHECK(found.bottleneck.name == "too few blocks");
  CHECK(found.problem.bottleneck.shape == "square");
  CHECK(found.obstacle.empty());
  REQUIRE(found.kernel);
  REQUIRE(found.waves.size() == 1);
  CHECK(found.waves.front().blocks.items == 8);  // 256 / 64 x 256 / 128
  CHECK(found.operations.has_predictions());
  for (const Operation& row : found.operations.rows)
    if (const auto ratio = row.ratio()) CHECK(*ratio == Approx(1));
  CHECK(found.excess.empty());
  CHECK(found.steps > 2);
  REQUIRE(found.what_if.size() == 2);
  CHECK(found.what_if.front().parameter != found.what_if.back().parameter);
  CHECK(found.what_if.front().ratio <= found.what_if.back().ratio);
  for (const WhatIf& what : found.what_if) {
    CHECK(what.failure.empty());
    CHECK(what.us == Approx(what.ratio * found.kernel->modelled_us));
    CHECK(what.registers > 0);
    CHECK_FALSE(what.timed);
  }
}

TEST_CASE("explain: of rows it says what helps these", "[session][emulated][explain]") {
  const SessionFixture fixture;
  const auto problem = [](const char* rows, const char* columns) {
    return std::vector<ProblemArgument>{{"M", rows}, {"N", columns}};
  };
  const Explanation few =
      explain(asked(fixture, "softmax/row_per_block", problem("8", "32768"), "bf16"), nullptr).finish();
  CHECK(few.bottleneck.name == "too few blocks");
  CHECK_THAT(few.bottleneck.suggestion, Catch::Contains("each row over 17 blocks"));
  CHECK(few.problem.bottleneck.shape == "few rows");
  const Explanation alone = explain(asked(fixture, "softmax", problem("1048576", "128"), "bf16"), nullptr).finish();
  CHECK_FALSE(alone.kernel);
  CHECK(alone.bottleneck.name == "latency");
  CHECK_THAT(alone.bottleneck.suggestion, Catch::Contains("16 lanes of a warp per row"));
}

TEST_CASE("explain: a trial's neighbours have their timed ratios", "[session][emulated][explain]") {
  SessionFixture fixture(fast("A=2 B=3"));
  const auto trials = fixture.trials(fixture.tune());
  const Trial& trial = trials.at("A=2 B=2");
  const Explanation found = explain(asked(fixture, std::to_string(trial.id), {}, "", 9), &fixture.database()).finish();
  REQUIRE(found.kernel);
  CHECK(found.kernel->trial.id == trial.id);
  CHECK(found.kernel->stored.size() == 1);
  CHECK(found.steps == 4);  // A and B up and down
  REQUIRE(found.what_if.size() == 4);
  const WhatIf& best = found.what_if.front();
  CHECK(best.configuration == "A=2 B=3");
  REQUIRE(best.timed);
  CHECK(best.timed->ratio < 0.85);  // 80 us of 100 to 150
  CHECK(best.timed->low < best.timed->ratio);
  CHECK(best.timed->high > best.timed->ratio);
  CHECK(best.timed->clock == ClockKind::scripted);
  CHECK(best.timed->same_session);
  CHECK(best.ratio > 0);  // modelled as well
}

TEST_CASE("explain: a problem alone, with what fits", "[session][emulated][explain]") {
  const SessionFixture fixture;
  const Explanation found =
      explain(asked(fixture, "gemm", {{"M", "1"}, {"N", "4096"}, {"K", "4096"}}, "bf16"), nullptr).finish();
  CHECK_FALSE(found.kernel);
  CHECK(found.kernel_name.empty());
  CHECK(found.code == ExitCode::passed);
  CHECK(found.problem.bottleneck.shape == "decode");
  CHECK(found.problem.roof.minimum_us == Approx(6.994).epsilon(0.001));  // 33,570,816 bytes at 4.8 TB/s
  CHECK(found.problem.roof.memory_bound);
  const auto fit = [&](const std::string& name) {
    return std::ranges::find(found.variants, name, &VariantFit::variant)->reason;
  };
  CHECK(fit("gemv").empty());
  CHECK_THAT(fit("async_tile"), Catch::Contains("has no bf16"));
  CHECK(std::ranges::is_sorted(found.variants, {}, &VariantFit::rung));
}

TEST_CASE("explain: a variant that cannot do the problem, and one that does not compile", "[session][explain]") {
  const SessionFixture fixture;
  const Explanation other = explain(asked(fixture, "gemm/async_tile", {{"M", "64"}}, "bf16"), nullptr).finish();
  CHECK(other.kernel_name == "gemm/async_tile");
  CHECK_FALSE(other.kernel);
  CHECK_THAT(other.obstacle, Catch::Contains("has no bf16"));
  CHECK(other.code == ExitCode::inconclusive);
  CHECK_FALSE(other.variants.empty());

  write_atomic(fixture.family() / "simple.cu",
               std::string_view("extern \"C\" __global__ void simple() { nonsense; }\n"));
  const Explanation broken =
      explain(asked(fixture, fixture.family().string() + "/simple", {}, "", 4), nullptr).finish();
  REQUIRE(broken.kernel);
  CHECK(broken.kernel->launches.empty());
  CHECK_THAT(broken.obstacle, Catch::Contains("compile_error") && Catch::Contains("simple.cu"));
  CHECK(broken.code == ExitCode::failed);
  CHECK(broken.what_if.empty());
  CHECK(broken.bottleneck.name == "launch overhead");
}

TEST_CASE("explain: a trial whose kernel has changed since", "[session][emulated][explain]") {
  SessionFixture fixture;
  const auto trials = fixture.trials(fixture.tune());
  const std::string id = std::to_string(trials.at("A=1 B=2").id);
  const std::filesystem::path source = fixture.family() / "simple.cu", spec = fixture.family() / "simple.toml";
  write_atomic(source, read_text(source) + "// later\n");
  const Explanation stored = explain(asked(fixture, id, {}, ""), &fixture.database()).finish();
  REQUIRE(stored.kernel);
  CHECK_FALSE(stored.kernel->launches.empty());
  CHECK_THAT(stored.kernel->note, Catch::Contains("its stored source is taken"));
  // Its parameters are gone: the record is all there is.
  std::string text = read_text(spec);
  for (std::size_t at = 0; (at = text.find("name = \"B\"")) != std::string::npos;) text.replace(at, 10, "name = \"C\"");
  for (std::size_t at = 0; (at = text.find("* B)")) != std::string::npos;) text.replace(at, 4, "* C)");
  write_atomic(spec, text);
  const Explanation gone = explain(asked(fixture, id, {}, ""), &fixture.database()).finish();
  REQUIRE(gone.kernel);
  CHECK(gone.kernel->launches.empty());
  CHECK(gone.kernel->stored.size() == 1);
  CHECK_THAT(gone.obstacle, Catch::Contains("B"));
  CHECK(gone.code == ExitCode::inconclusive);
}

TEST_CASE("explain: persistent blocks, and their tiles, from the grid on a larger device", "[session][explain]") {
  CHECK(tiles("gemm_sm90", 4096, "") == 512);           // 4096 / 128 x 4096 / 256
  CHECK(tiles("gemm_sm90", 4096, "STREAM_K=1") == -1);  // shares K as well
  CHECK(tiles("reg2d", 4096, "") == 0);                 // a block a tile
  CHECK(tiles("gemm_sm90", 1024, "") == 0);             // 32 tiles: every block has one
  CHECK(tiles("gemm_sm80", 4096, "BM=128,BN=128,PERSISTENT=1") == 1024);
}

TEST_CASE("explain: a step that is not valid alone takes another parameter with it", "[session][explain]") {
  const KernelFolder folder = open_catalogue({}).find("gemm");
  const Problem problem = make_problem(folder.family, {{{"M", 512}, {"N", 512}, {"K", 512}}, "fp32", {}, {}});
  const Variant& variant = find_variant(folder, "reg2d");
  const Configuration from = default_configuration(variant, problem, emulated());
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(variant.parameters, name, &Parameter::name) -
                                    variant.parameters.begin());
  };
  REQUIRE(from.values[index("BM")] == 128);
  REQUIRE(from.values[index("MIN_BLOCKS")] == 2);
  bool found = false;
  for (const Step& step : steps_from(folder.family, variant, problem, emulated(), from)) {
    if (step.parameter != index("BM") || step.up) continue;
    found = true;
    CHECK(step.configuration.values[index("BM")] == 64);
    CHECK(step.configuration.values[index("MIN_BLOCKS")] == 1);
  }
  CHECK(found);
}

TEST_CASE("explain: steps are valid, and the most telling come first", "[session][explain]") {
  const KernelFolder folder = open_catalogue({}).find("gemm");
  const Problem problem = make_problem(folder.family, {{{"M", 4096}, {"N", 4096}, {"K", 4096}}, "bf16", {}, {}});
  const Variant& variant = find_variant(folder, "gemm_sm80");
  const Configuration from = default_configuration(variant, problem, emulated());
  const std::vector<Step> steps = steps_from(folder.family, variant, problem, emulated(), from);
  REQUIRE(steps.size() > 4);
  std::optional<StepKind> bm, stages;
  for (const Step& step : steps) {
    CHECK(violated_constraint(variant, problem, emulated(), step.configuration).empty());
    int changed = 0;
    for (std::size_t i = 0; i < from.values.size(); ++i)
      if (step.configuration.values[i] != from.values[i]) ++changed;
    CHECK((changed == 1 || changed == 2));
    if (variant.parameters[step.parameter].name == "BM") bm = step.kind;
    if (variant.parameters[step.parameter].name == "STAGES") stages = step.kind;
  }
  CHECK(bm == StepKind::tile);
  CHECK(stages == StepKind::stage);

  Inspection inspection;
  LaunchInspection& launch = inspection.launches.emplace_back();
  launch.work.blocks = 1056;
  launch.occupancy.blocks = 1;
  launch.bottleneck.name = "latency";
  const auto first = [&](const std::vector<std::string>& timed_before) {
    const auto chosen = most_telling(steps, variant, inspection, emulated(), timed_before, 1);
    REQUIRE(chosen.size() == 1);
    return chosen.front();
  };
  CHECK(first({}).kind == StepKind::stage);  // waits are not covered
  launch.bottleneck.name = "tensor pipe";
  CHECK(first({}).kind == StepKind::tile);
  launch.bottleneck.name = "latency";
  launch.work.blocks = 60;  // most SMs have nothing to do: more blocks
  CHECK(first({}).blocks == std::ranges::max_element(steps, {}, &Step::blocks)->blocks);
  const std::string known = configuration_text(variant, steps.back().configuration);
  CHECK(configuration_text(variant, first({known}).configuration) == known);  // what was timed before everything
  CHECK(most_telling(steps, variant, inspection, emulated(), {}, 1000).size() == steps.size());
}

TEST_CASE("explain: timed ratios are of one session where they can be", "[session][explain]") {
  Database database = Database::in_memory();
  const auto session = [&] {
    SessionRecord record;
    record.command = "kerlab tune";
    return database.begin_session(record);
  };
  const std::int64_t first = session(), second = session();
  database.store_source("s", "reg2d.cu", "text");
  const auto trial = [&](const std::string& configuration) {
    Trial t;
    t.family = "gemm";
    t.variant = "reg2d";
    t.problem = "p";
    t.dtype = "fp32";
    t.configuration = configuration;
    t.source_hash = "s";
    t.device_class = "Scripted H200";
    t.device_kind = "script";
    t.status = TrialStatus::passed;
    t.session = first;
    seal(t);
    database.put(t);
    return t;
  };
  const auto put = [&](Measurement m) { database.put(m); };
  const Trial own = trial("BM=64"), other = trial("BM=128"), third = trial("BM=256");
  put(timed(own.id, first, 100, TimingStage::final));
  put(timed(other.id, first, 90, TimingStage::final));
  put(timed(other.id, second, 50, TimingStage::final));
  put(timed(third.id, second, 110, TimingStage::final));
  const TimedRatios ratios(own, &database);
  CHECK(ratios.configurations() == std::vector<std::string>{"BM=128", "BM=256"});
  const auto together = ratios.over("BM=128");
  REQUIRE(together);
  CHECK(together->ratio == Approx(0.9));  // not 50 of another session
  CHECK(together->low == Approx(0.9 * 0.98 / 1.02));
  CHECK(together->high == Approx(0.9 * 1.02 / 0.98));
  CHECK(together->same_session);
  CHECK_FALSE(ratios.over("BM=256")->same_session);
  CHECK_FALSE(ratios.over("BM=512"));
  CHECK_FALSE(TimedRatios(own, nullptr).over("BM=128"));
}
