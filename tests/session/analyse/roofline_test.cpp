// Rooflines from stored records, and `kerlab roofline` and `kerlab device` as whole processes on a scripted device.
#include "session/analyse/roofline.h"

#include <csignal>

#include "base/child.h"
#include "base/interrupt.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "db/fixture.h"
#include "locations.h"
#include "report/form/json.h"

using namespace kerlab;

namespace {

/// 1 TB/s and, in FP32, 12.8 TFLOP/s: a ridge at 12.8. No data sheet matches its name.
DeviceInfo test_gpu() {
  DeviceInfo device;
  device.id = "cuda:0";
  device.name = "Plain Test GPU";
  device.cc_major = 8;
  device.sms = 100;
  device.clock_mhz = 1000;
  device.memory_clock_mhz = 1000;
  device.memory_bus_bits = 4000;
  device.memory_bytes = std::int64_t{16} << 30;
  return device;
}

MeasuredCeilings ceilings(std::vector<Ceiling> rows, ClockKind clock = ClockKind::measured) {
  return {std::move(rows), clock, "2026-01-01T00:00:00Z"};
}

struct Stored {
  Database database = Database::in_memory();
  Family family = open_catalogue({}).find("reduce").family;
  Problem problem = make_problem(family, {{{"N", 1'000'000}}, "fp32", {}, {}});
  DeviceInfo device = test_gpu();
  std::int64_t session = db_test::begin(database);

  Trial add(const std::string& variant, int number, double us, ClockKind clock = ClockKind::measured,
            TrialStatus status = TrialStatus::passed, TimingStage stage = TimingStage::final) {
    Trial trial = db_test::a_trial(session, number, status);
    trial.family = "reduce";
    trial.variant = variant;
    trial.problem = problem.key();
    trial.device_class = device.device_class();
    seal(trial);
    database.put(trial);
    if (status != TrialStatus::passed) return trial;  // never timed
    last = db_test::measurement(trial, us);
    last.clock = clock;
    last.stage = stage;
    database.put(last);
    return trial;
  }
  void decide(const Trial& winner) {
    Decision decision = db_test::decision(winner, last);
    database.put(decision);
  }
  ProblemRoofline roofline(const MeasuredCeilings& measured) {
    return problem_roofline(family, problem, device, measured, database);
  }

  Measurement last;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a stored problem key becomes the problem again", "[session]") {
  const Family family = open_catalogue({}).find("gemm").family;
  const Problem problem =
      make_problem(family, {{{"M", 256}, {"K", 32}}, "fp16", {{"layout", "nt"}}, {{"alpha", 0.1}, {"beta", -2}}});
  CHECK(make_problem(family, request_of_key(family, problem.key())).key() == problem.key());
  CHECK_THROWS_AS(request_of_key(family, "gemm M=256 fp16 depth=3"), UsageError);
}

TEST_CASE("a roofline shows what stored trials reach of theoretical and measured ceilings", "[session]") {
  Stored stored;
  const Trial winner = stored.add("grid", 1, 8.0);  // the least time is 4.000004 us by 1 TB/s, 5.000005 by 0.8
  stored.decide(winner);
  stored.add("grid", 2, 7.0);  // of the winner's variant: not shown
  stored.add("atomic", 3, 20.0);
  stored.add("atomic", 4, 16.0, ClockKind::measured, TrialStatus::passed, TimingStage::screen);
  stored.add("serial", 5, 1.0, ClockKind::measured, TrialStatus::wrong);
  stored.add("pretended", 6, 1.0, ClockKind::scripted);
  const auto roofline =
      stored.roofline(ceilings({{"read", "B/s", 0.8e12}, {"copy", "B/s", 0.5e12}, {"fp32_fma", "FLOP/s", 12e12}}));
  CHECK(roofline.bandwidth == "read");
  CHECK(roofline.roof.ridge == Approx(12.8));
  CHECK(roofline.roof.intensity == Approx(0.25).epsilon(1e-4));
  REQUIRE(roofline.measured_roof);
  CHECK(roofline.measured_roof->ridge == Approx(15));
  CHECK(roofline.measured->source() == "measured");
  REQUIRE(roofline.points.size() == 2);
  CHECK(roofline.points[0].winner);
  CHECK(roofline.points[0].trial.id == winner.id);
  CHECK(roofline.points[0].of_theoretical == Approx(0.5).epsilon(1e-4));
  CHECK(roofline.points[0].of_measured == Approx(0.625).epsilon(1e-4));
  CHECK(roofline.points[0].flops_per_s == Approx(1.25e11));
  CHECK_FALSE(roofline.points[1].winner);
  CHECK(roofline.points[1].trial.configuration == "BM=4");
  CHECK(roofline.sentence ==
        "0.25 FLOP/byte is left of the ridge at 15: the roof there is the memory bandwidth; the winner reaches 500.0 "
        "GB/s, 63 % of the "
        "measured read bandwidth (50 % of the theoretical bandwidth)");
}

TEST_CASE("without measured ceilings a roofline says theoretical, without trials that there are none", "[session]") {
  Stored stored;
  const auto empty = stored.roofline({});
  CHECK(empty.points.empty());
  CHECK(contains(empty.sentence, "nothing of it is stored yet"));
  stored.decide(stored.add("grid", 1, 8.0));
  const auto roofline = stored.roofline({});
  CHECK_FALSE(roofline.measured);
  REQUIRE(roofline.points.size() == 1);
  CHECK(roofline.points[0].of_measured == 0);
  CHECK(contains(roofline.sentence, "50 % of the theoretical bandwidth"));
  CHECK_FALSE(contains(roofline.sentence, "measured"));
}

TEST_CASE("what is shipped stands under the roof of a device like its own, and says where it was measured",
          "[session]") {
  Stored stored;
  ShippedWinner shipped;
  shipped.device_class = stored.device.device_class();
  shipped.family = "reduce";
  shipped.problem = stored.problem.key();
  shipped.variant = "grid";
  shipped.configuration = "BM=64";
  shipped.median_us = 8;
  shipped.date = "2026-01-02";
  ShippedWinner other = shipped;
  other.problem = "reduce N=5 fp32";
  const auto with = [&](const std::vector<ShippedWinner>& winners) {
    return problem_roofline(stored.family, stored.problem, stored.device, {}, stored.database, winners);
  };
  const ProblemRoofline alone = with({other, shipped});
  REQUIRE(alone.points.size() == 1);
  CHECK_FALSE(alone.points[0].winner);
  CHECK(alone.points[0].trial.id == 0);
  CHECK(alone.points[0].of_theoretical == Approx(0.5).epsilon(1e-4));
  CHECK(contains(alone.points[0].shipped, ", 2026-01-02"));
  CHECK(contains(alone.sentence, "nothing of it is stored yet (kerlab tune); the shipped winner ("));
  CHECK(alone.bottleneck.shape.empty());  // no GEMM
  stored.decide(stored.add("grid", 1, 7.5));
  const ProblemRoofline both = with({shipped});
  REQUIRE(both.points.size() == 2);
  CHECK(both.points[0].winner);
  CHECK_FALSE(both.points[1].shipped.empty());
  CHECK_FALSE(contains(both.sentence, "shipped"));
}

TEST_CASE("the bottleneck of a family that is a GEMM follows layout, dtype and residual", "[session]") {
  const Family family = open_catalogue({}).find("gemm").family;
  const auto name = [&](ProblemRequest request) {
    return bottleneck_of(family, make_problem(family, request), test_gpu()).name;
  };
  CHECK(name({{{"M", 4096}, {"K", 4095}}, "bf16", {}, {}}) == "unaligned rows");
  CHECK(name({{{"M", 4096}, {"K", 4095}}, "bf16", {{"layout", "tn"}}, {}}) != "unaligned rows");
  CHECK(name({{{"M", 4096}, {"K", 4092}}, "bf16", {}, {}}) == "unaligned rows");
  CHECK(name({{{"M", 4096}, {"K", 4092}}, "tf32", {}, {}}) != "unaligned rows");
  const Problem decode = make_problem(family, {{{"M", 1}, {"N", 4096}, {"K", 4096}}, "bf16", {{"bias", "yes"}}, {}});
  const ProblemBottleneck skinny = bottleneck_of(family, decode, test_gpu());
  CHECK(skinny.name == "DRAM");
  CHECK(skinny.shape == "decode");
  CHECK(contains(skinny.reason, "1 row"));
  CHECK(
      bottleneck_of(family, make_problem(family, {{{"M", 4096}, {"K", 0}}, "bf16", {}, {}}), test_gpu()).shape.empty());
}

TEST_CASE("families that work along rows know their rows, and are told what helps these", "[session]") {
  const auto shape = [](const char* name, std::map<std::string, std::int64_t> dimensions) {
    const Family family = open_catalogue({}).find(name).family;
    return row_shape(family, make_problem(family, {std::move(dimensions), "bf16", {}, {}}));
  };
  for (const char* name : {"softmax", "log_softmax", "layernorm", "rmsnorm", "quantize", "softmax_backward"}) {
    INFO(name);
    const auto rows = shape(name, {{"M", 300}, {"N", 512}});
    REQUIRE(rows);
    CHECK(rows->rows == 300);
    CHECK(rows->row_bytes == 1024);  // gamma and beta are read once, not row by row
    CHECK(rows->read_bytes == (name == std::string("softmax_backward") ? 2048 : 1024));
  }
  CHECK_FALSE(shape("embedding", {{"T", 512}, {"V", 512}, {"D", 512}}));  // nothing is made of a row as a whole
  CHECK_FALSE(shape("activation", {{"M", 300}, {"N", 512}}));

  DeviceInfo device = test_gpu();  // 0.8 us of 1 TB/s are 8 kB for each of its SMs
  device.blocks_per_sm = 32;
  const Family softmax = open_catalogue({}).find("softmax").family;
  const auto found = [&](std::int64_t rows, std::int64_t columns) {
    return bottleneck_of(softmax, make_problem(softmax, {{{"M", rows}, {"N", columns}}, "bf16", {}, {}}), device);
  };
  CHECK(found(1 << 20, 64).name == "latency");
  CHECK(found(1 << 20, 64).shape == "short rows");
  CHECK(found(1 << 16, 1024).name == "DRAM");
  CHECK(found(1 << 16, 1024).shape == "rows");
  CHECK(found(40, 1 << 17).name == "too few rows");
  CHECK(contains(found(40, 1 << 17).suggestion, "each row over 3 blocks"));
}

TEST_CASE("a library that was timed beside a trial stands under the same roof", "[session]") {
  Stored stored;
  stored.decide(stored.add("grid", 1, 8.0));
  CHECK(stored.roofline({}).library.empty());
  LibraryTime time;
  time.measurement = stored.last.id;
  time.label = "a library";
  time.median_us = time.low_us = time.high_us = 6.0;
  stored.database.put(std::vector{&time});
  const auto roofline = stored.roofline({});
  REQUIRE(roofline.library.size() == 1);
  CHECK(roofline.library[0].label == "a library");
  stored.device.set_kind(DeviceKind::script);  // it measured nothing
  CHECK(stored.roofline({}).library.empty());
}

TEST_CASE("times of a pretended device are not shown under a real one's roof", "[session]") {
  Stored stored;
  stored.decide(stored.add("grid", 1, 8.0, ClockKind::scripted));
  CHECK(stored.roofline({}).points.empty());
  stored.device.set_kind(DeviceKind::script);
  const auto roofline = stored.roofline(ceilings({{"read", "B/s", 0.8e12}}, ClockKind::scripted));
  REQUIRE(roofline.points.size() == 1);
  CHECK(contains(roofline.sentence, "63 % of the scripted read bandwidth"));
  CHECK(contains(roofline.sentence, "scripted times, not those of a GPU"));
  CHECK_FALSE(contains(roofline.sentence, "measured"));
}

TEST_CASE("a peak that no ceiling kernel measures stays theoretical and is called so", "[session]") {
  const Ceilings theoretical{1e12, 100e12, "tensor pipe", {}, false};
  const auto measured = ceilings({{"copy", "B/s", 0.9e12}, {"bf16_mma", "FLOP/s", 80e12}, {"fp32_fma", "FLOP/s", 5}});
  const auto bf16 = practical_ceilings(measured, "copy", DType::bf16, theoretical);
  REQUIRE(bf16);
  CHECK(bf16->bytes_per_s == 0.9e12);
  CHECK(bf16->flops_per_s == 80e12);
  CHECK(bf16->source() == "measured");
  const auto fp64 = practical_ceilings(measured, "copy", DType::fp64, theoretical);
  REQUIRE(fp64);
  CHECK(fp64->flops_per_s == 100e12);
  CHECK(fp64->source() == "measured bandwidth, theoretical compute");
  CHECK_FALSE(practical_ceilings(measured, "write", DType::bf16, theoretical));
}

TEST_CASE("a compute-bound problem is held against the peak of its pipe", "[session]") {
  ProblemRoofline problem;
  problem.flops = 1e12;
  problem.bytes = 1e9;
  problem.theoretical = {1e12, 100e12, "tensor pipe", {}, false};
  problem.roof = roofline(problem.flops, problem.bytes, problem.theoretical);
  problem.measured = Ceilings{0.8e12, 60e12, "tensor pipe", ClockKind::measured, true};
  problem.measured_roof = roofline(problem.flops, problem.bytes, *problem.measured);
  RooflinePoint point;
  point.winner = true;
  point.measurement.clock = ClockKind::measured;
  point.flops_per_s = 75e12;
  point.of_theoretical = 0.75;
  point.of_measured = 1.25;
  problem.points.push_back(point);
  CHECK(roofline_sentence(problem) ==
        "1000 FLOP/byte is right of the ridge at 75: the roof there is the tensor pipe peak; the winner reaches 75.00 "
        "TFLOP/s, 125 % of the measured mma.sync peak (75 % of the theoretical tensor pipe peak); above 100 % because "
        "it does not use the instruction that the ceiling kernel uses");
}

TEST_CASE("ceilings of a pretended device are never taken for those of a GPU of its name", "[session]") {
  Database database = Database::in_memory();
  DeviceInfo real = test_gpu(), pretended = test_gpu();
  pretended.set_kind(DeviceKind::script);
  database.put_ceilings({{ceilings_class(pretended), "copy", "B/s", 7, ""}});
  CHECK(stored_ceilings(database, real).rows.empty());
  CHECK(stored_ceilings(database, pretended).value("copy") == 7);
  CHECK(stored_ceilings(database, pretended).clock == ClockKind::scripted);
}

namespace {

struct Program {
  TemporaryFolder folder;
  std::string script = "script:" + (share_folder() / "configs" / "scripts" / "healthy.toml").string();

  [[nodiscard]] ProcessResult run(const std::string& device, std::vector<std::string> words) const {
    words.insert(words.begin(), kerlab_program().string());
    words.insert(words.end(), {"--device", device, "--db", (folder / "kerlab.db").string()});
    return run_process(words, std::chrono::seconds(60));
  }
  [[nodiscard]] JsonValue json(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const ProcessResult result = run(script, std::move(words));
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const auto document = parse_json(result.out);
    REQUIRE(document);
    return *document;
  }
};

std::string text_at(const JsonValue& value, const std::string& key) {
  const JsonValue* member = value.find(key);
  return member != nullptr ? member->text() : "(none)";
}

}  // namespace

TEST_CASE("kerlab roofline says of few rows what helps them", "[session]") {
  const Program program;
  const JsonValue document = program.json({"roofline", "softmax", "--M", "64", "--N", "128K", "--dtype", "bf16"});
  const JsonValue* bottleneck = document.find("problems")->elements().front().find("bottleneck");
  REQUIRE(bottleneck != nullptr);
  CHECK(text_at(*bottleneck, "name") == "too few rows");
  CHECK(text_at(*bottleneck, "shape") == "few rows");
  CHECK(contains(text_at(*bottleneck, "suggestion"), "each row over"));
}

TEST_CASE("kerlab device lists without a GPU, but does not open one that is not there", "[session]") {
  const Program program;
  const ProcessResult listing = program.run("auto", {"device"});
  CHECK(listing.exit_code == 0);
  CHECK_FALSE(listing.out.empty());
  const ProcessResult absent = program.run("cuda:99", {"device"});
  CHECK(absent.exit_code != 0);
  CHECK(absent.out.empty());
  CHECK(contains(absent.err, "GPU"));
}

TEST_CASE("ceilings are measured once, stored, and labelled by their clock", "[session]") {
  const Program program;
  const JsonValue before = program.json({"device"});
  CHECK(text_at(before, "practical") == "{}");
  const JsonValue first = program.json({"roofline", "reduce"});
  CHECK(text_at(first, "clock") == "scripted");
  CHECK(text_at(first, "ceilings_measured_now") == "true");
  CHECK(text_at(program.json({"roofline", "reduce"}), "ceilings_measured_now") == "false");
  const JsonValue after = program.json({"device"});
  CHECK(text_at(after, "practical_clock") == "scripted");
  CHECK(text_at(after, "practical") == text_at(first, "ceilings"));
  const ProcessResult text = program.run(program.script, {"roofline", "reduce"});
  CHECK(contains(text.out, "roof (scripted)"));
  CHECK_FALSE(contains(text.out, "measured"));
}

TEST_CASE("kerlab roofline shows the winner that tune stored, alone and among all", "[session]") {
  const Program program;
  const ProcessResult none = program.run(program.script, {"roofline", "--dry-run"});
  CHECK(none.exit_code == 0);
  CHECK(contains(none.out, "no stored winner"));
  const JsonValue tuned = program.json({"tune", "reduce", "--N", "64K", "--trials", "2"});
  const JsonValue one = program.json({"roofline", "reduce", "--N", "64K"});
  const JsonValue all = program.json({"roofline"});
  const JsonValue* rows = tuned.find("rows");
  REQUIRE(rows != nullptr);
  REQUIRE_FALSE(rows->elements().empty());
  const std::string winner = rows->elements().front().find("trial")->find("id")->text();
  for (const JsonValue* document : {&one, &all}) {
    const auto& problems = document->find("problems")->elements();
    REQUIRE(problems.size() == 1);
    CHECK(text_at(problems[0], "problem") == text_at(tuned, "problem"));
    const auto& points = problems[0].find("points")->elements();
    REQUIRE_FALSE(points.empty());
    CHECK(text_at(points[0], "winner") == "true");
    CHECK(text_at(*points[0].find("trial"), "id") == winner);
    CHECK(text_at(*points[0].find("measurement"), "clock") == "scripted");
  }
}

TEST_CASE("a roofline of all winners ends where it is interrupted", "[session]") {
  Database database = Database::in_memory();
  RooflineOptions options;
  options.rig.device = "emu:h200";
  options.rig.program = kerlab_program();
  Stepped<RooflineReport> work = make_rooflines(std::move(options), database);
  REQUIRE(work.step());  // the device is there; next are its ceilings, and every shipped winner
  const InterruptedWaitsEnd at_once;
  std::raise(SIGINT);
  CHECK_THROWS_WITH(work.step(), "interrupted");
}
