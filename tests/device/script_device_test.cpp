#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <set>
#include <thread>

#include "base/file.h"
#include "catch.h"
#include "common/canary.h"
#include "device/script/script.h"
#include "device/scripted.h"

using namespace kerlab;
using test::Scripted;

namespace {

std::string rule(const std::string& outcome, const std::string& more = "") {
  return "[[rule]]\nmatch = \"bad *\"\noutcome = \"" + outcome + "\"\n" + more;
}

/// The fault that launching a "bad" configuration ends in.
DeviceFault fault_of(Scripted& device) {
  const ModuleId module = device->load({}, "bad BM=1");
  try {
    device->launch(Scripted::bound(module));
    device->synchronize();
  } catch (const DeviceFault& fault) {
    return fault;
  }
  FAIL("no fault");
  return {FaultKind::other, "", false};
}

/// Loads and launches a "bad" configuration in a child process; its wait status, or -1 when it still runs after 300 ms.
int status_of_child(Scripted& device) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);  // not Catch's handler
    const ModuleId module = device->load({}, "bad BM=1");
    device->launch(Scripted::bound(module));
    device->synchronize();
    _exit(0);
  }
  int status = 0;
  for (int i = 0; i < 30; ++i) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}

}  // namespace

TEST_CASE("script: defaults are those of an H200, fields override", "[device]") {
  Scripted plain("");
  CHECK(plain->info().arch() == "sm_90a");
  CHECK(plain->info().sms == 132);
  CHECK(plain->info().shared_per_block == 232448);
  CHECK(plain->info().kind == DeviceKind::script);
  CHECK(plain->info().id == "script:" + plain.file().string());
  Scripted other("[device]\nname = \"Tiny\"\ncc = \"8.6\"\nsms = 2\nfp64_ratio = 0.015625\n");
  CHECK(other->info().name == "Tiny");
  CHECK(other->info().arch() == "sm_86");
  CHECK(other->info().sms == 2);
  CHECK(other->info().fp64_ratio == 1.0 / 64);
}

TEST_CASE("script: mistakes in the file have a place", "[device]") {
  const auto error = [](const std::string& toml) -> std::string {
    try {
      Scripted device(toml);
    } catch (const Error& e) {
      const std::string text = e.what();
      return text.substr(text.find("script.toml") + 11);
    }
    return "none";
  };
  CHECK(error("[device]\nsm = 3\n") == ":2:1: unknown key 'sm'; did you mean 'sms'?");
  CHECK(error("[devices]\n").find("unknown section 'devices'") != std::string::npos);
  CHECK(error("[device]\ncc = \"9\"\n") == ":2:6: 'cc' must look like \"9.0\", not \"9\"");
  CHECK(error("[default]\nus = \"fast\"\n") == ":2:6: 'us' must be a number");
  CHECK(error("[default]\nus = -1\n") == ":2:6: 'us' must not be negative");
  CHECK(error("[device]\nsms = 1.5\n") == ":2:7: 'sms' must be a whole number, not negative");
  CHECK(error("[[rule]]\nmatch = \"*\"\noutcome = \"wrog\"\n")
            .find(":3:11: unknown outcome 'wrog'; there are ok, wrong") == 0);
  CHECK(error("[[rule]]\noutcome = \"ok\"\n").find("needs 'match'") != std::string::npos);
  CHECK(error("[rule]\nmatch = \"*\"\n").find("two brackets") != std::string::npos);
  CHECK(error("[default\n").find(":1:") == 0);
  CHECK_THROWS_AS(open_device("script:"), UsageError);
  CHECK_THROWS_AS(open_device("script:does-not-exist.toml"), Error);
}

TEST_CASE("script: time is virtual, deterministic, and as the rules say", "[device]") {
  const std::string toml =
      "[default]\nus = 100\nspread = 0.5\nnoise = 0\n[[rule]]\nmatch = \"fast *\"\nus = 20\n"
      "[[rule]]\nmatch = \"f*\"\nus = 30\nspread = 1\n";
  Scripted device(toml), again(toml);
  CHECK(device.time(device->load({}, "fast BM=1")) == Approx(20));
  const double a = device.time(device->load({}, "k BM=1")), b = device.time(device->load({}, "k BM=2"));
  CHECK(a >= 100);
  CHECK(a < 150);
  CHECK(a != Approx(b));
  CHECK(again.time(again->load({}, "k BM=1")) == Approx(a));
  const double spread = device.time(device->load({}, "f BM=1"));
  CHECK(spread >= 30);
  CHECK(spread < 60);
}

TEST_CASE("script: noise and launch overhead", "[device]") {
  Scripted device("[default]\nus = 100\nspread = 0\nnoise = 0.01\nlaunch_overhead_us = 5\n");
  const ModuleId module = device->load({}, "k");
  const double first = device.time(module), second = device.time(module);
  CHECK(first != Approx(second).epsilon(1e-9));
  CHECK(std::abs(first - 105) <= 1);
  CHECK(std::abs(second - 105) <= 1);
  const std::vector<BoundLaunch> launches{Scripted::bound(module), Scripted::bound(module)};
  const GraphId graph = device->capture(launches, 5);
  const EventId from = device->create_event(), to = device->create_event();
  device->record(from);
  device->launch_graph(graph);
  device->record(to);
  CHECK(std::abs(device->elapsed_us(from, to) - 1000) <= 10);  // ten launches, no overhead
}

TEST_CASE("script: a tensor of many GB costs nothing, the limit holds", "[device]") {
  Scripted device("[device]\nmemory_bytes = 100000000000\n");
  const std::int64_t before = device->free_memory();
  {
    const Allocation large(*device, std::size_t{90} << 30);
    CHECK(device->free_memory() == before - (std::int64_t{90} << 30));
    device->fill(large.pointer(), 0xFFFFFFFFu, std::size_t{20} << 30);
    const std::uint32_t word = 7;
    device->copy_in(large.pointer() + (std::size_t{80} << 30), std::as_bytes(std::span(&word, 1)));
    CHECK(device.read<std::uint32_t>(large.pointer() + (std::size_t{80} << 30)) == 7);
    try {
      device->allocate(std::size_t{10} << 30);
      FAIL("allocated beyond the limit");
    } catch (const DeviceFault& fault) {
      CHECK(fault.kind() == FaultKind::out_of_memory);
      CHECK_FALSE(fault.sticky());
    }
  }
  CHECK(device->free_memory() == before);
  const Allocation small(*device, 16);
  device->fill(small.pointer(), 5, 4);
  CHECK(device.read<std::uint32_t>(small.pointer() + 12) == 5);
  CHECK_THROWS_AS(device.read<std::uint32_t>(small.pointer() + (1 << 20)), DeviceFault);
}

TEST_CASE("script: what the comparison finds", "[device]") {
  Scripted device(rule("wrong") + "[[rule]]\nmatch = \"nan*\"\noutcome = \"nan\"\n");
  const ModuleId good = device->load({}, "good"), wrong = device->load({}, "bad 1"), nan = device->load({}, "nan");
  device->launch(Scripted::bound(good));
  CHECK(device.compare().compared == 1000);
  CHECK(device.compare().mismatches == 0);
  CHECK(device.compare().max_ratio > 0);
  CHECK(device.compare().max_ratio < 1);
  CHECK(device.compare(true).max_ratio == 0);
  device->launch(Scripted::bound(wrong));
  CHECK(device.compare().mismatches > 0);
  CHECK(device.compare().max_ratio > 1);
  CHECK(device.compare().worst_index > 0);
  CHECK(device.compare(true).mismatches > 0);
  device->launch(Scripted::bound(nan));
  CHECK(device.compare().nans > 0);
  CHECK(std::isnan(device.compare().worst_got));
  device->launch(Scripted::bound(good));
  CHECK(device.compare().mismatches == 0);
}

TEST_CASE("script: guards and modified inputs", "[device]") {
  Scripted device(rule("guard") + "[[rule]]\nmatch = \"modifies\"\noutcome = \"input_modified\"\n");
  const ModuleId guard = device->load({}, "bad 1"), modifies = device->load({}, "modifies");
  const Allocation a(*device, 4096), b(*device, 4096);
  CHECK(device.damaged_guard_words() == 0);
  device->launch(Scripted::bound(guard));
  CHECK(device.compare().mismatches == 0);
  CHECK(device.damaged_guard_words() > 0);
  CHECK(device.damaged_guard_words() == 0);  // reported once
  const auto hash_a = device.hash(a.pointer(), 4096), hash_b = device.hash(b.pointer(), 4096);
  CHECK(device.hash(a.pointer(), 4096) == hash_a);
  device->launch(Scripted::bound(modifies, {a.pointer(), b.pointer()}));
  CHECK(device.hash(a.pointer(), 4096) != hash_a);
  CHECK(device.hash(b.pointer(), 4096) == hash_b);
  lab::FillArguments fill{};
  fill.out = a.pointer();
  fill.count = 1024;
  fill.dtype = static_cast<lab::u32>(DType::fp32);
  device.lab("lab_fill", fill);
  CHECK(device.hash(a.pointer(), 4096) == hash_a);  // filled anew
}

TEST_CASE("script: flaky is wrong every second time, and differs bit by bit", "[device]") {
  Scripted device(rule("flaky"));
  const Allocation out(*device, 4096);
  const ModuleId module = device->load({}, "bad 1");
  std::vector<bool> wrong;
  std::vector<lab::u64> hashes;
  for (int i = 0; i < 4; ++i) {
    device->launch(Scripted::bound(module, {out.pointer()}));
    wrong.push_back(device.compare().mismatches > 0);
    hashes.push_back(device.hash(out.pointer(), 4096));
  }
  CHECK(wrong == std::vector<bool>{false, true, false, true});
  CHECK(hashes[0] == hashes[2]);
  CHECK(hashes[0] != hashes[1]);
}

TEST_CASE("script: sticky faults come when somebody waits, and stay", "[device]") {
  for (const FaultKind kind : {FaultKind::illegal_address, FaultKind::misaligned_address, FaultKind::trap}) {
    Scripted device(rule(std::string(name(kind))));
    const ModuleId good = device->load({}, "good");
    CHECK_NOTHROW(device->launch(Scripted::bound(device->load({}, "bad x"))));
    CHECK_THROWS_AS(device->synchronize(), DeviceFault);
    CHECK_THROWS_AS(device->launch(Scripted::bound(good)), DeviceFault);
    CHECK_THROWS_AS(device->allocate(16), DeviceFault);
    Scripted fresh(rule(std::string(name(kind))));
    const DeviceFault fault = fault_of(fresh);
    CHECK(fault.kind() == kind);
    CHECK(fault.sticky());
  }
}

TEST_CASE("script: faults that leave the device alive", "[device]") {
  Scripted launch(rule("launch_failed"));
  CHECK(fault_of(launch).kind() == FaultKind::launch_failed);
  CHECK_FALSE(fault_of(launch).sticky());
  CHECK_NOTHROW(launch->synchronize());
  Scripted memory(rule("out_of_memory", "stage = \"launch\"\n"));
  CHECK(fault_of(memory).kind() == FaultKind::out_of_memory);
  for (const FaultKind kind : {FaultKind::load_failed, FaultKind::out_of_memory}) {
    Scripted device(rule(std::string(name(kind))));
    try {
      device->load({}, "bad 1");
      FAIL("loaded");
    } catch (const DeviceFault& fault) {
      CHECK(fault.kind() == kind);
      CHECK_FALSE(fault.sticky());
    }
    CHECK_NOTHROW(device->load({}, "good"));
  }
}

TEST_CASE("script: process ends, at launch and at load", "[device]") {
  for (const std::string stage : {"launch", "load"}) {
    INFO(stage);
    Scripted killed(rule("sigkill", "stage = \"" + stage + "\"\n"));
    const int status = status_of_child(killed);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGKILL);
    Scripted aborted(rule("abort", "stage = \"" + stage + "\"\n"));
    CHECK(WTERMSIG(status_of_child(aborted)) == SIGABRT);
    Scripted hung(rule("hang", "stage = \"" + stage + "\"\n"));
    CHECK(status_of_child(hung) == -1);
  }
}

TEST_CASE("script: once_file lets a respawned worker go on", "[device]") {
  Scripted device(rule("sigkill", "once_file = \"happened\"\n"));
  CHECK(WTERMSIG(status_of_child(device)) == SIGKILL);
  CHECK(std::filesystem::exists(device.folder() / "happened"));
  CHECK(status_of_child(device) == 0);
}

TEST_CASE("script: after and stage = time", "[device]") {
  Scripted after(rule("wrong", "after = 2\n"));
  const ModuleId module = after->load({}, "bad 1");
  for (const bool expected : {false, false, true, true}) {
    after->launch(Scripted::bound(module));
    CHECK((after.compare().mismatches > 0) == expected);
  }
  Scripted timed(rule("illegal_address", "stage = \"time\"\nafter = 1\n"));
  const ModuleId bad = timed->load({}, "bad 1");
  timed.time(bad);  // the first run of a check is timed, too
  CHECK(timed.compare().mismatches == 0);
  timed->launch(Scripted::bound(bad));
  CHECK(timed.compare().mismatches == 0);
  CHECK_NOTHROW(timed.time(bad));
  CHECK_THROWS_AS(timed.time(bad), DeviceFault);
}

TEST_CASE("script: resources and impossible launches", "[device]") {
  Scripted device("[default]\nregisters = 128\n[[rule]]\nmatch = \"heavy\"\nregisters = 255\n");
  Launch launch;
  launch.kernel = "k";
  launch.block = {256, 1, 1};
  const ModuleId module = device->load({}, "k"), heavy = device->load({}, "heavy");
  CHECK(device->prepare(module, launch).registers == 128);
  CHECK(device->prepare(module, launch).blocks_per_sm == 2);
  CHECK(device->prepare(heavy, launch).blocks_per_sm == 1);
  launch.dynamic_shared = 232448;
  CHECK(device->prepare(module, launch).blocks_per_sm == 1);
  launch.dynamic_shared += 1;
  CHECK_THROWS_WITH(device->prepare(module, launch), Catch::Contains("1 more than the device's 232448"));
  launch.dynamic_shared = 0;
  launch.block = {1024, 1, 1};
  CHECK_THROWS_WITH(device->prepare(heavy, launch), Catch::Contains("no block fits"));
  TensorMapSpec spec;
  spec.tensor = "A";
  spec.dims = {256, 256};
  spec.stride_bytes = {512};
  spec.box = {64, 64};
  CHECK_NOTHROW(device->encode(spec, 0x1000));
  CHECK_THROWS_WITH(device->encode(spec, 0x1008), Catch::Contains("16-byte aligned"));
}

TEST_CASE("script: canary and clock", "[device]") {
  Scripted device(""), sick("[[rule]]\nmatch = \"lab*\"\noutcome = \"wrong\"\n");
  for (Scripted* each : {&device, &sick}) {
    const Allocation out(**each, 1024 * 4);
    lab::CanaryArguments canary{};
    canary.out = out.pointer();
    canary.count = 1024;
    each->lab("lab_canary", canary);
    const bool right = each->read<lab::u32>(out.pointer() + 4 * 777) == lab::canary_expected(777);
    CHECK(right == (each == &device));
  }
  const Allocation out(*device, 32);
  device.lab("lab_clock", lab::ClockArguments{out.pointer()});
  const ModuleId module = device->load({}, "k");
  device->launch(Scripted::bound(module));
  device.lab("lab_clock", lab::ClockArguments{out.pointer() + 16});
  const auto ticks =
      static_cast<double>(device.read<lab::u64>(out.pointer() + 16) - device.read<lab::u64>(out.pointer()));
  const auto ns =
      static_cast<double>(device.read<lab::u64>(out.pointer() + 24) - device.read<lab::u64>(out.pointer() + 8));
  CHECK(ticks / ns * 1000 == Approx(1980).epsilon(1e-3));
}

TEST_CASE("script: lab and reference kernels are spared by general rules", "[device]") {
  Scripted device("[[rule]]\nmatch = \"*\"\noutcome = \"launch_failed\"\n");
  CHECK_NOTHROW(device->launch(Scripted::bound(device->load({}, "reference gemm"))));
  CHECK_NOTHROW(device->launch(Scripted::bound(device->load({}, "lab"))));
  CHECK_THROWS_AS(device->launch(Scripted::bound(device->load({}, "naive"))), DeviceFault);
}

TEST_CASE("script: real_sleep takes wall time", "[device]") {
  Scripted device("[default]\nus = 30000\nspread = 0\nnoise = 0\nreal_sleep = true\n");
  const auto start = std::chrono::steady_clock::now();
  device->launch(Scripted::bound(device->load({}, "k")));
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(29));
}

TEST_CASE("script: the example scripts are readable, the drill has every fault", "[device]") {
  const auto folder = share_folder() / "configs" / "scripts";
  CHECK(read_script(folder / "healthy.toml").rules.empty());
  const Script drill = read_script(folder / "faults.toml");
  std::set<Outcome> outcomes;
  for (const ScriptRule& rule : drill.rules) outcomes.insert(rule.outcome);
  CHECK(outcomes.size() == static_cast<std::size_t>(Outcome::flaky));  // all but ok
  const ScriptRule* rule = find_rule(drill, "reg2d BM=64 BN=64 BK=16 TM=8 TN=8 PAD=0 DB=1 MIN_BLOCKS=1");
  REQUIRE(rule != nullptr);
  CHECK(rule->outcome == Outcome::nan);
  CHECK(find_rule(drill, "reg2d BM=128 BN=128 BK=8 TM=8 TN=8 PAD=0 DB=1 MIN_BLOCKS=1") == nullptr);
}
