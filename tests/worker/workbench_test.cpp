// The worker's side in this process, on a scripted device.
#include "worker/workbench.h"

#include "catch.h"
#include "device/scripted.h"
#include "worker/example_problem.h"

using namespace kerlab;
using test::example_problem;
using test::load;
using test::set_problem;

namespace {

template <typename T>
T get(const Reply& reply) {
  if (const auto* fault = std::get_if<reply::Fault>(&reply)) INFO("fault: " << fault->message);
  if (const auto* fault = std::get_if<reply::Fault>(&reply); fault != nullptr && !std::is_same_v<T, reply::Fault>)
    FAIL("fault: " << fault->message);
  REQUIRE(std::holds_alternative<T>(reply));
  return std::get<T>(reply);
}

CheckReport check(Workbench& bench, std::uint32_t id, bool thorough = false) {
  return get<reply::Checked>(serve(bench, request::Check{id, {0, 1}, thorough})).report;
}

SampleSet time_one(Workbench& bench, std::uint32_t id, TimingSchedule schedule = {}) {
  return get<reply::Timed>(serve(bench, request::Time{{id}, schedule})).samples.at(0);
}

/// [[rule]] for label "bad ...".
std::string rule(const std::string& body) {
  return "[[rule]]\nmatch = \"bad*\"\n" + body + "\n";
}

}  // namespace

TEST_CASE("a right candidate is checked and timed", "[worker]") {
  test::Scripted device("[default]\nus = 100.0\nspread = 0.0\n");
  Workbench bench(*device);
  CHECK(get<reply::Hello>(serve(bench, request::Hello{})).magic == kProtocolMagic);
  const auto ready = get<reply::ProblemReady>(serve(bench, set_problem()));
  CHECK(ready.rotation_sets >= 2);
  CHECK(ready.device_bytes > 0);
  const auto loaded = get<reply::Loaded>(serve(bench, load(1, "good")));
  CHECK(loaded.resources.size() == 1);

  const CheckReport report = check(bench, 1);
  CHECK(report.passed());
  REQUIRE(report.recipes.size() == 2);
  CHECK(report.recipes[0].recipe == "normal v1 seed 1");
  CHECK(report.recipes[0].output == "C");
  CHECK(report.recipes[0].compared == 256 * 64);
  CHECK(report.recipes[0].error_ratio > 0);
  CHECK(report.recipes[1].error_ratio == 0);
  CHECK(report.first_us == Approx(100).epsilon(0.01));

  const SampleSet samples = time_one(bench, 1);
  CHECK(samples.id == 1);
  REQUIRE(samples.samples_us.size() == 3);
  CHECK(samples.samples_us[0] == Approx(100).epsilon(0.01));
  REQUIRE(samples.sm_clock_mhz.size() == 3);
  CHECK(samples.sm_clock_mhz[0] == Approx(device->info().clock_mhz).epsilon(0.01));
  CHECK(samples.protocol == "events-1");
  CHECK(samples.cache == CacheState::cold);
  CHECK(samples.clock == ClockKind::scripted);
  CHECK(samples.warning.empty());
  CHECK(samples.guard_violation.empty());
}

TEST_CASE("the small problem comes first, and what is wrong there goes no further", "[worker]") {
  test::Scripted device(rule("outcome = \"wrong\"") +
                        "[[rule]]\nmatch = \"guard*\"\noutcome = \"guard\"\n"
                        "[[rule]]\nmatch = \"fault*\"\noutcome = \"illegal_address\"\n");
  Workbench bench(*device);
  request::SetProblem set = set_problem();
  set.small = example_problem(3);
  set.small_reference_image = set.reference_image;
  get<reply::ProblemReady>(serve(bench, set));
  const auto load_both = [&](std::uint32_t id, const std::string& label) {
    request::Load both = load(id, label);
    both.small_plan = both.plan;
    get<reply::Loaded>(serve(bench, both));
  };
  load_both(1, "good");
  load_both(2, "bad one");
  load_both(3, "guard");
  load_both(5, "fault");
  get<reply::Loaded>(serve(bench, load(4, "good only on the whole")));
  get<reply::Loaded>(serve(bench, load(6, "bad only on the whole")));

  const CheckReport good = check(bench, 1);
  CHECK(good.passed());
  CHECK(good.whole_small);
  CHECK_FALSE(good.only_small());
  CHECK(good.blocks == 4);
  CHECK(good.blocks_run == 4);
  REQUIRE(good.recipes.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(good.recipes[i].in_small == (i >= 2));
    CHECK(good.recipes[i].compared == (i >= 2 ? 3 * 64 : 256 * 64));
  }
  const CheckReport bad = check(bench, 2);
  CHECK_FALSE(bad.passed());
  CHECK(bad.only_small());
  REQUIRE(bad.recipes.size() == 2);
  CHECK(bad.recipes[0].compared == 3 * 64);
  const CheckReport guard = check(bench, 3);
  CHECK(guard.only_small());
  CHECK_FALSE(guard.guard_violation.empty());
  CHECK(check(bench, 1).passed());  // whose data were mended

  CHECK(check(bench, 4).recipes.size() == 2);
  CHECK_FALSE(check(bench, 4).whole_small);
  CHECK_FALSE(check(bench, 6).only_small());
  get<reply::Done>(serve(bench, request::Unload{1}));
  get<reply::Loaded>(serve(bench, load(1, "good")));
  CHECK_FALSE(check(bench, 1).whole_small);  // nothing is left of its predecessor
  const auto fault = get<reply::Fault>(serve(bench, request::Check{5, {0}, false}));
  CHECK(fault.kind == FaultKind::illegal_address);
  CHECK_THAT(fault.message, Catch::StartsWith("on the small problem: "));
}

TEST_CASE("wrong results are explained with coordinates", "[worker]") {
  test::Scripted device(rule("outcome = \"wrong\""));
  Workbench bench(*device);
  get<reply::ProblemReady>(serve(bench, set_problem()));
  get<reply::Loaded>(serve(bench, load(1, "bad one")));
  const CheckReport report = check(bench, 1);
  CHECK_FALSE(report.passed());
  CHECK(report.mismatches() > 0);
  CHECK(report.error_ratio() > 1);
  CHECK(report.recipes[0].detail == "[128, 0]: got 3.5, expected 3.25 +- 0.01");
}

TEST_CASE("NaN, guards, modified inputs and rare errors are found", "[worker]") {
  for (const std::string outcome : {"nan", "guard", "input_modified", "flaky"}) {
    CAPTURE(outcome);
    test::Scripted device(rule("outcome = \"" + outcome + "\""));
    Workbench bench(*device);
    get<reply::ProblemReady>(serve(bench, set_problem()));
    get<reply::Loaded>(serve(bench, load(1, "bad one")));
    get<reply::Loaded>(serve(bench, load(2, "good")));
    const CheckReport report = check(bench, 1, outcome == "flaky");
    CHECK_FALSE(report.passed());
    if (outcome == "nan") CHECK(report.recipes[0].nans > 0);
    if (outcome == "guard") CHECK(report.guard_violation == "A: 16 bytes before its start overwritten, first at -4096");
    if (outcome == "input_modified") CHECK(report.input_modified == "A");
    CHECK(check(bench, 2).passed());
  }
}

TEST_CASE("who damages another's data is not followed by blame", "[worker]") {
  // Well behaved while checked, it writes into an input when timed.
  test::Scripted device(rule("outcome = \"input_modified\"\nstage = \"time\""));
  Workbench bench(*device);
  get<reply::ProblemReady>(serve(bench, set_problem()));
  get<reply::Loaded>(serve(bench, load(1, "bad one")));
  get<reply::Loaded>(serve(bench, load(2, "good")));
  CHECK(check(bench, 1).passed());
  time_one(bench, 1);
  CHECK(check(bench, 2).passed());
}

TEST_CASE("what is right when it is checked and wrong when it is timed is found out", "[worker]") {
  for (const std::string outcome : {"wrong", "nan"}) {
    test::Scripted device(rule("outcome = \"" + outcome + "\"\nstage = \"time\""));
    Workbench bench(*device);
    get<reply::ProblemReady>(serve(bench, set_problem()));
    for (const bool cold : {true, false}) {
      TimingSchedule schedule;
      schedule.cold = cold;
      get<reply::Loaded>(serve(bench, load(1, "bad one")));
      CHECK(check(bench, 1).passed());
      CHECK_THAT(time_one(bench, 1, schedule).guard_violation,
                 Catch::Contains("timed") && Catch::Contains("C is wrong"));
      get<reply::Loaded>(serve(bench, load(2, "good")));
      CHECK(check(bench, 2).passed());
      CHECK(time_one(bench, 2, schedule).guard_violation.empty());
    }
    for (std::uint32_t id = 1; id <= 3; ++id) {
      get<reply::Loaded>(serve(bench, load(id, id == 2 ? "bad one" : "good")));
      CHECK(check(bench, id).passed());
    }
    const auto timed = get<reply::Timed>(serve(bench, request::Time{{1, 2, 3}, {}})).samples;
    CHECK(timed[0].guard_violation.empty());
    CHECK_FALSE(timed[1].guard_violation.empty());
    CHECK(timed[2].guard_violation.empty());
  }
}

TEST_CASE("what goes wrong only after many launches is found by a thorough check", "[worker]") {
  for (const int after : {12, 25, 45, 60}) {
    CAPTURE(after);
    test::Scripted device(rule("outcome = \"wrong\"\nafter = " + std::to_string(after)));
    Workbench bench(*device);
    get<reply::ProblemReady>(serve(bench, set_problem()));
    get<reply::Loaded>(serve(bench, load(1, "bad one")));
    CHECK_FALSE(check(bench, 1, true).passed());
  }
}

TEST_CASE("guards are scanned after timing, and the culprit among several is named", "[worker]") {
  for (int repetition = 0; repetition < 20; ++repetition) {  // when results are looked at between samples is random
    test::Scripted device(rule("outcome = \"guard\"\nstage = \"time\""));
    Workbench bench(*device);
    get<reply::ProblemReady>(serve(bench, set_problem()));
    for (std::uint32_t id = 1; id <= 3; ++id) {
      get<reply::Loaded>(serve(bench, load(id, id == 2 ? "bad one" : "good")));
      CHECK(check(bench, id).passed());
    }
    const auto timed = get<reply::Timed>(serve(bench, request::Time{{1, 2, 3}, {}})).samples;
    CHECK(timed[0].guard_violation.empty());
    CHECK_FALSE(timed[1].guard_violation.empty());
    CHECK(timed[2].guard_violation.empty());
    CHECK(check(bench, 3).passed());
  }
}

TEST_CASE("faults become replies, sticky ones say so", "[worker]") {
  test::Scripted device(rule("outcome = \"illegal_address\""));
  Workbench bench(*device);
  get<reply::ProblemReady>(serve(bench, set_problem()));
  get<reply::Loaded>(serve(bench, load(1, "bad one")));
  const auto fault = get<reply::Fault>(serve(bench, request::Check{1, {0}, false}));
  CHECK(fault.kind == FaultKind::illegal_address);
  CHECK(fault.sticky);
}

TEST_CASE("failures that leave the device usable leave the worker usable", "[worker]") {
  test::Scripted device(rule("outcome = \"load_failed\""));
  Workbench bench(*device);
  CHECK_FALSE(get<reply::Fault>(serve(bench, load(1, "too early"))).sticky);
  get<reply::ProblemReady>(serve(bench, set_problem()));
  const auto fault = get<reply::Fault>(serve(bench, load(1, "bad one")));
  CHECK(fault.kind == FaultKind::load_failed);
  CHECK_FALSE(fault.sticky);
  CHECK(get<reply::Fault>(serve(bench, request::Check{9, {0}, false})).message.find("9 is not loaded") !=
        std::string::npos);
  get<reply::Loaded>(serve(bench, load(1, "good")));
  CHECK(get<reply::Fault>(serve(bench, request::Check{1, {5}, false})).message.find("no recipe 5") !=
        std::string::npos);
  CHECK(check(bench, 1).passed());
  get<reply::Done>(serve(bench, request::RunOnce{1}));
  get<reply::Done>(serve(bench, request::Unload{1}));
  CHECK(get<reply::Fault>(serve(bench, request::RunOnce{1})).kind == FaultKind::other);
  CHECK(get<reply::Fault>(serve(bench, request::Hello{99})).message.find("protocol") != std::string::npos);
}

TEST_CASE("a problem larger than the device is out of memory, and the next one works", "[worker]") {
  test::Scripted device("[device]\nmemory_bytes = 100000000\n");
  Workbench bench(*device);
  const auto fault = get<reply::Fault>(serve(bench, set_problem(example_problem(1 << 20))));
  CHECK(fault.kind == FaultKind::out_of_memory);
  CHECK_FALSE(fault.sticky);
  get<reply::ProblemReady>(serve(bench, set_problem()));
}

TEST_CASE("fast candidates are timed as graphs, slow ones abandoned", "[worker]") {
  test::Scripted device("[default]\nus = 4.0\nspread = 0.0\nnoise = 0.0\n[[rule]]\nmatch = \"slow\"\nus = 900.0\n");
  Workbench bench(*device);
  get<reply::ProblemReady>(serve(bench, set_problem(example_problem(1 << 16))));  // 32 MiB a set: rotates
  get<reply::Loaded>(serve(bench, load(1, "fast")));
  get<reply::Loaded>(serve(bench, load(2, "slow")));
  TimingSchedule schedule;
  schedule.rounds = 5;
  schedule.abandon_us = 100;
  const auto timed = get<reply::Timed>(serve(bench, request::Time{{1, 2}, schedule})).samples;
  CHECK(timed[0].protocol == "graph-1");
  CHECK(timed[0].samples_us.size() == 5);
  CHECK(timed[0].samples_us[4] == Approx(4).epsilon(0.05));
  CHECK(timed[0].sm_clock_mhz.size() == 5);
  CHECK_FALSE(timed[0].abandoned);
  CHECK(timed[0].warning.find("launch-bound") != std::string::npos);
  CHECK(timed[1].abandoned);
  CHECK(timed[1].samples_us.size() == 1);
  schedule.cold = false;
  schedule.batch_below_us = 0;
  const SampleSet hot = time_one(bench, 1, schedule);
  CHECK(hot.cache == CacheState::hot);
  CHECK(hot.protocol == "events-1");
}

namespace {

/// Five launches of 1 us that begin as `start` says, each of which costs half a microsecond more where no graph starts
/// it.
SampleSet time_five(Start start) {
  test::Scripted device("[default]\nus = 1.0\nspread = 0.0\nnoise = 0.0\nlaunch_overhead_us = 0.5\n");
  Workbench bench(*device);
  get<reply::ProblemReady>(serve(bench, set_problem(example_problem(1 << 16))));
  request::Load five = load(1, "five");
  five.plan.launches.resize(5, five.plan.launches.front());
  five.plan.start = start;
  get<reply::Loaded>(serve(bench, five));
  return time_one(bench, 1);
}

}  // namespace

TEST_CASE("launches that the host starts are timed so, however short they are, and those of a graph as one graph",
          "[worker]") {
  const SampleSet held = time_five(Start::held), host = time_five(Start::host), graph = time_five(Start::graph);
  CHECK(held.protocol == "graph-1");
  CHECK(held.samples_us[2] == Approx(5).epsilon(0.01));
  CHECK(host.protocol == "host-1");
  REQUIRE(host.samples_us.size() == 3);
  for (const double us : host.samples_us) CHECK(us == Approx(7.5).epsilon(0.01));
  REQUIRE(host.sm_clock_mhz.size() == 3);
  CHECK(graph.protocol == "host-1");
  for (const double us : graph.samples_us) CHECK(us == Approx(5).epsilon(0.01));
  CHECK(graph.sm_clock_mhz.size() == 3);
}

TEST_CASE("whoever gave up while the clocks were held down gets another first sample", "[worker]") {
  const auto timed_on = [](const std::string& reasons) {
    test::Scripted device("[device]\nconditions = \"now\"\n[default]\nus = 900.0\nspread = 0.0\nnoise = 0.01\n");
    std::ofstream(device.folder() / "now") << reasons;
    Workbench bench(*device);
    get<reply::ProblemReady>(serve(bench, set_problem()));
    get<reply::Loaded>(serve(bench, load(1, "slow")));
    TimingSchedule schedule;
    schedule.abandon_us = 100;
    return time_one(bench, 1, schedule);
  };
  const SampleSet calm = timed_on("0x0 300 50"), held_down = timed_on("0x40 300 90");
  REQUIRE(calm.samples_us.size() == 1);
  REQUIRE(held_down.samples_us.size() == 1);
  CHECK(calm.discarded == 0);
  CHECK(held_down.discarded == 1);
  CHECK(held_down.abandoned);
  CHECK(held_down.samples_us != calm.samples_us);
}

TEST_CASE("workspaces are initialised within the time", "[worker]") {
  test::Scripted device("[default]\nus = 100.0\nspread = 0.0\nnoise = 0.0\n");
  Workbench bench(*device);
  get<reply::ProblemReady>(serve(bench, set_problem()));
  get<reply::Loaded>(serve(bench, load(1, "plain")));
  get<reply::Loaded>(serve(bench, load(2, "zeroed", {{"partial", 1 << 20, WorkspaceInit::zero}})));
  get<reply::Loaded>(serve(bench, load(3, "raw", {{"partial", 1 << 20, WorkspaceInit::none}})));
  for (std::uint32_t id = 1; id <= 3; ++id) CHECK(check(bench, id).passed());
  const auto us = [&](std::uint32_t id) { return time_one(bench, id).samples_us[0]; };
  CHECK(us(1) == Approx(us(3)));
  CHECK(us(2) > us(1) + 1);
}

TEST_CASE("inout tensors, empty tensors and several outputs", "[worker]") {
  test::Scripted device("");
  Workbench bench(*device);
  ProblemPlan plan = example_problem();
  plan.tensors[2].role = Role::inout;
  plan.tensors.push_back({"E", DType::bf16, Role::output, {0, 64}});
  ReferencePlan empty = plan.references[0];
  empty.output = "E";
  plan.references.push_back(empty);
  get<reply::ProblemReady>(serve(bench, set_problem(plan)));
  get<reply::Loaded>(serve(bench, load(1, "good")));
  const CheckReport report = check(bench, 1, true);
  CHECK(report.passed());
  REQUIRE(report.recipes.size() == 8);  // two recipes, other data, and inputs changed in place
  CHECK(report.recipes[1].output == "E");
  CHECK(report.recipes[1].compared == 0);
  CHECK(time_one(bench, 1).samples_us.size() == 3);
}

TEST_CASE("a short kernel that works in place is timed one by one: its data are restored before each run", "[worker]") {
  test::Scripted device("[default]\nus = 5.0\nspread = 0.0\n");
  Workbench bench(*device);
  for (const Role role : {Role::output, Role::inout}) {
    ProblemPlan plan = example_problem();
    plan.tensors[2].role = role;
    get<reply::ProblemReady>(serve(bench, set_problem(plan)));
    get<reply::Loaded>(serve(bench, load(1, "good")));
    TimingSchedule hot;
    hot.cold = false;
    CHECK(time_one(bench, 1, hot).protocol == (role == Role::inout ? "events-1" : "graph-1"));
  }
}

TEST_CASE("canary and ceilings", "[worker]") {
  test::Scripted device("");
  Workbench bench(*device);
  CHECK(get<reply::Fault>(serve(bench, request::Health{})).message.find("no problem") != std::string::npos);
  ProblemPlan nothing;
  get<reply::ProblemReady>(serve(bench, request::SetProblem{nothing, Bytes{std::byte{1}}, {}}));
  CHECK(get<reply::Healthy>(serve(bench, request::Health{})).canary_right);
  const auto ceilings = get<reply::Ceilings>(serve(bench, request::Ceilings{})).ceilings;
  REQUIRE(ceilings.size() == 10);
  CHECK(ceilings[0].name == "copy");
  CHECK(ceilings[0].value > 1e12);
  CHECK(ceilings[3].name == "fp32_fma");
  CHECK(ceilings[3].value == Approx(0.85 * 256 * device->info().sms * device->info().clock_mhz * 1e6).epsilon(0.05));

  test::Scripted sick("[[rule]]\nmatch = \"lab*\"\noutcome = \"wrong\"\n");
  Workbench sick_bench(*sick);
  get<reply::ProblemReady>(serve(sick_bench, request::SetProblem{nothing, Bytes{std::byte{1}}, {}}));
  CHECK_FALSE(get<reply::Healthy>(serve(sick_bench, request::Health{})).canary_right);
}
