// The parts of a session that need no device.

#include <set>

#include "base/error.h"
#include "catch.h"
#include "report/form/json.h"
#include "session/run/arguments.h"
#include "session/run/evaluation.h"
#include "session/run/prune.h"
#include "session/tune/decide.h"

using namespace kerlab;

TEST_CASE("arguments: sizes", "[session]") {
  CHECK(parse_size("M", "4096") == 4096);
  CHECK(parse_size("M", "4K") == 4096);
  CHECK(parse_size("M", "1M") == 1048576);
  CHECK(parse_size("K", "0") == 0);
  for (const char* bad : {"", "-1", "4KB", "four", "4.5", "99999999999999999999", "9000000000G", "K"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_size("M", bad), UsageError);
  }
}

TEST_CASE("arguments: lists and ranges", "[session]") {
  using Sizes = std::vector<std::int64_t>;
  CHECK(parse_sizes("M", "1K..16K:x2") == Sizes{1024, 2048, 4096, 8192, 16384});
  CHECK(parse_sizes("M", "1..4") == Sizes{1, 2, 4});
  CHECK(parse_sizes("M", "256..1024:+256") == Sizes{256, 512, 768, 1024});
  CHECK(parse_sizes("M", "5,1K,2..4:+1") == Sizes{5, 1024, 2, 3, 4});
  for (const char* bad : {"4..2", "0..4:x2", "1..4:x1", "1..4:+0", "1..4:", "1..4:2", "1..99999999:+1", "1,,2"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_sizes("M", bad), UsageError);
  }
}

TEST_CASE("check: what it found is JSON, whatever characters a text has", "[session]") {
  std::string text = "quote \" backslash \\ \xc3\xa9 ";
  for (char c = 0; c < 0x20; ++c) text += c;
  CheckReport report;
  report.recipes.emplace_back();
  RecipeReport& recipe = report.recipes.back();
  recipe.recipe = recipe.output = recipe.detail = recipe.pattern = recipe.culprit = recipe.scale = text;
  recipe.picture = {"..#\n", text};
  recipe.first = {{7, text, 1.5, 2.5, 0.01}};
  const std::string json = check_json(report);
  INFO(json);
  for (char c = 0; c < 0x20; ++c) CHECK(json.find(c) == std::string::npos);
  CHECK_THAT(json, Catch::Contains(R"(\u0000\u0001)") && Catch::Contains(R"(\u0008\t\n\u000b)") &&
                       Catch::Contains(R"(\u001f")"));
  const std::optional<JsonValue> value = parse_json(json);
  REQUIRE(value);
  REQUIRE(value->elements().size() == 1);
  const JsonValue& one = value->elements().front();
  for (const char* key : {"recipe", "output", "detail", "pattern", "culprit", "picture_scale"}) {
    INFO(key);
    REQUIRE(one.find(key) != nullptr);
    CHECK(one.find(key)->text() == text);
  }
  CHECK(one.find("picture")->elements().back().text() == text);
  CHECK(one.find("first")->elements().front().find("place")->text() == text);
}

namespace {
TimedTrial timed(double us, std::int64_t registers, std::int64_t shared, const std::string& variant,
                 const std::vector<double>& samples_us = {}) {
  TimedTrial one;
  one.trial.variant = variant;
  one.trial.registers = registers;
  one.trial.shared_bytes = shared;
  one.measurement.median_us = us;
  one.measurement.samples_us = samples_us;
  return one;
}
}  // namespace

TEST_CASE("decide: a clear winner, a tie broken by registers, shared memory, name", "[session]") {
  const auto winner = [](const std::vector<TimedTrial>& finalists) {
    const Verdict verdict = decide(finalists);
    return std::make_pair(finalists[verdict.order.front()].trial.variant, verdict.tie_break);
  };
  using Result = std::pair<std::string, TieBreak>;
  CHECK(winner({timed(100, 64, 0, "a"), timed(98, 64, 0, "b")}) == Result{"b", TieBreak::none});
  CHECK(winner({timed(100, 64, 0, "a"), timed(99.5, 80, 0, "b")}) == Result{"a", TieBreak::registers});
  CHECK(winner({timed(100, 64, 10, "a"), timed(99.5, 64, 20, "b")}) == Result{"a", TieBreak::shared_memory});
  CHECK(winner({timed(99.5, 64, 10, "b"), timed(100, 64, 10, "a")}) == Result{"a", TieBreak::name});
  CHECK(winner({timed(5, 1, 1, "only")}) == Result{"only", TieBreak::none});
}

TEST_CASE("decide: at most four tie, and the rest follow by time", "[session]") {
  const Verdict verdict = decide({timed(100.5, 1, 0, "f"), timed(100.0, 9, 0, "a"), timed(100.1, 8, 0, "b"),
                                  timed(100.2, 7, 0, "c"), timed(100.3, 6, 0, "d"), timed(120, 0, 0, "z")});
  CHECK(verdict.ties == 4);
  CHECK(verdict.order == std::vector<std::size_t>{4, 3, 2, 1, 0, 5});
}

TEST_CASE("decide: who is not clearly slower by more than a percent ties as well", "[session]") {
  // 1.2 % slower in the median; in the second case the rounds differ by more than that.
  std::vector<double> fast, steady, noisy;
  for (int i = 0; i < 30; ++i) {
    fast.push_back(100 + 0.1 * (i % 3));
    steady.push_back(1.012 * fast.back());
    noisy.push_back(fast.back() * (i % 2 == 0 ? 1.002 : 1.022));
  }
  CHECK(decide({timed(100.1, 64, 0, "fast", fast), timed(101.3, 32, 0, "steady", steady)}).ties == 1);
  CHECK(decide({timed(100.1, 64, 0, "fast", fast), timed(101.3, 32, 0, "noisy", noisy)}).ties == 2);
}

namespace {
DeviceInfo a_device() {
  DeviceInfo info;
  info.cc_major = 9;
  info.sms = 132;
  info.shared_per_block = 232448;
  info.shared_per_sm = 233472;
  info.registers_per_block = info.registers_per_sm = 65536;
  info.threads_per_block = 1024;
  info.threads_per_sm = 2048;
  info.blocks_per_sm = 32;
  return info;
}
LaunchPlan plan_of(std::uint32_t threads, std::uint32_t shared) {
  LaunchPlan plan;
  plan.launches.push_back({"k", {1, 1, 1}, {threads, 1, 1}, {}, shared, {}});
  return plan;
}
CompileResult compiled(int registers, int spills) {
  CompileResult result;
  result.status = CompileStatus::ok;
  KernelResources kernel;
  kernel.kernel = "k";
  kernel.registers = registers;
  kernel.spill_bytes = spills;
  result.kernels = {kernel};
  return result;
}
}  // namespace

TEST_CASE("prune: impossible launches are known before compiling", "[session]") {
  CHECK(impossible_launch(a_device(), plan_of(1024, 1024)).passed());
  CHECK_THAT(impossible_launch(a_device(), plan_of(1025, 0)).message, Catch::Contains("1025"));
  CHECK(impossible_launch(a_device(), plan_of(1025, 0)).reason == TrialReason::launch);
  CHECK_THAT(impossible_launch(a_device(), plan_of(32, 300000)).message, Catch::Contains("shared memory"));
  CHECK(impossible_launch(a_device(), plan_of(32, 300000)).reason == TrialReason::shared_memory);
}

TEST_CASE("prune: blocks that cannot be shared out evenly bound the time from below", "[session]") {
  DeviceInfo info = a_device();
  info.sms = 132;
  LaunchPlan plan = plan_of(256, 0);
  const auto bound = [&](std::uint32_t x, std::uint32_t y) {
    plan.launches.front().grid = {x, y, 1};
    return least_us(info, plan, 100);
  };
  CHECK(bound(132, 1) == Approx(100));
  CHECK(bound(132, 7) == Approx(100));
  CHECK(bound(4, 4) == Approx(100.0 * 132 / 16));     // 116 SMs have nothing to do
  CHECK(bound(133, 1) == Approx(100.0 * 264 / 133));  // one has two blocks
  plan.launches.push_back(plan.launches.front());
  CHECK(bound(4, 4) == Approx(100));  // of several launches nothing is known
}

TEST_CASE("prune: registers, spills and serialised wgmma after it", "[session]") {
  CHECK(reason_to_reject(a_device(), plan_of(256, 0), compiled(64, 0), false).passed());
  CHECK(reason_to_reject(a_device(), plan_of(1024, 0), compiled(128, 0), false).reason == TrialReason::occupancy);
  CHECK(reason_to_reject(a_device(), plan_of(256, 0), compiled(64, 64), false).passed());
  const Ending spills = reason_to_reject(a_device(), plan_of(256, 0), compiled(64, 65), false);
  CHECK_THAT(spills.message, Catch::Contains("--spills"));
  CHECK(spills.reason == TrialReason::spills);
  CHECK(reason_to_reject(a_device(), plan_of(256, 0), compiled(64, 65), true).passed());
  CompileResult serialised = compiled(64, 0);
  serialised.wgmma_serialised = true;
  CHECK_THAT(reason_to_reject(a_device(), plan_of(256, 0), serialised, true).message, Catch::Contains("C7511"));
  CHECK(reason_to_reject(a_device(), plan_of(256, 0), serialised, true).reason == TrialReason::serialised);
}

TEST_CASE("candidate: a source packs into one text and back", "[session]") {
  SourceBundle source;
  source.path = "folder/kernel.cu";
  source.text = "#include \"a.h\"\n== 3 not a header\n";
  source.headers = {{"a.h", "int a;\n"}, {"empty.h", ""}};
  source.hash = "hash";
  const SourceBundle back = unpack_source(pack_source(source), source.path, source.hash);
  CHECK(back.text == source.text);
  REQUIRE(back.headers.size() == 2);
  CHECK(back.headers[0].name == "a.h");
  CHECK(back.headers[0].text == "int a;\n");
  CHECK(back.headers[1].text.empty());
  CHECK_THROWS_AS(unpack_source("nonsense", "", ""), Error);
}

TEST_CASE("runner: what a check report says", "[session]") {
  CheckReport report;
  RecipeReport recipe;
  recipe.recipe = "normal";
  recipe.output = "D";
  recipe.passed = true;
  recipe.compared = 10;
  report.recipes = {recipe};
  CHECK(judge(report).status == TrialStatus::passed);
  report.recipes[0].passed = false;
  report.recipes[0].mismatches = 3;
  report.recipes[0].detail = "[1, 2]: got 3";
  CHECK(judge(report).status == TrialStatus::wrong);
  CHECK(judge(report).message == "D, recipe normal: 3 of 10 wrong; [1, 2]: got 3");
  report.whole_small = true;  // and of the whole one
  CHECK(judge(report).message == "D, recipe normal: 3 of 10 wrong; [1, 2]: got 3");
  report.recipes[0].in_small = true;
  CHECK(judge(report).message == "on the small problem: D, recipe normal: 3 of 10 wrong; [1, 2]: got 3");
  report.input_modified = "A";
  CHECK(judge(report).status == TrialStatus::input_modified);
  CHECK(judge(report).message == "on the small problem: input A was modified");
  report.guard_violation = "D: 16 bytes";
  CHECK(judge(report).status == TrialStatus::guard_violation);
}

TEST_CASE("whatever a run showed, one function says how each of its candidates ended", "[session]") {
  const std::vector<Loadable> items = {{"one", {}, {}, {}}, {"two", {}, {}, {}}};
  Protocol protocol;
  protocol.schedule.emplace();
  ProblemPlan plan;
  plan.minimum_us = 10;
  RunOutcome outcome;
  outcome.items.resize(2);
  for (ItemOutcome& item : outcome.items) item.samples.emplace().samples_us = {20, 21, 22};
  const auto ending = [&](std::size_t i) { return judge(items[i], i, outcome, protocol, plan); };
  CHECK(ending(0).status == TrialStatus::passed);
  CHECK(ending(0).message.empty());

  SampleSet& samples = *outcome.items[1].samples;
  samples.samples_us = {9, 9, 9};
  CHECK(ending(1).status == TrialStatus::impossible_time);
  samples.host_ratio = 2;
  CHECK(ending(1).message.starts_with("the device was busy 2.00 times as long"));
  samples.guard_violation = "Y: 4 bytes";
  CHECK(ending(1).status == TrialStatus::guard_violation);
  CHECK(ending(1).message == "after timing: Y: 4 bytes");
  CHECK(ending(0).status == TrialStatus::passed);

  outcome.items[1].fresh.emplace().input_modified = "X";
  CHECK(ending(1).status == TrialStatus::input_modified);
  CHECK(ending(1).message == "checked after timing, on data that it had not seen: input X was modified");
  CHECK(ending(0).status == TrialStatus::interrupted);  // it has not been checked again

  outcome.items[1].fresh.reset();
  outcome.status = TrialStatus::trap;
  outcome.message = "a trap";
  CHECK(ending(0).status == TrialStatus::trap);  // anybody's fault
  outcome.culprit = 1;
  CHECK(ending(0).status == TrialStatus::interrupted);
  CHECK(ending(1).message == "a trap");

  outcome = {};
  outcome.items.resize(2);
  CHECK(ending(0).message == "the worker sent no samples");
  protocol.schedule.reset();
  CHECK(ending(0).status == TrialStatus::passed);
}
