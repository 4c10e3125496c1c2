// A baseline as text: what is written is read, and what is not as it was written is refused with its place.

#include "session/regress/regress_text.h"
#include <atomic>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "session/regress/regress_folder.h"
#include "spec/expression/expression.h"
#include "worker/plan_text.h"

using namespace kerlab;

namespace {

LaunchPlan a_plan() {
  LaunchPlan plan;
  plan.workspaces.push_back({"partial", 4096, WorkspaceInit::zero});
  Launch launch;
  launch.kernel = "gemm";
  launch.grid = {4, 2, 1};
  launch.block = {128, 1, 1};
  launch.dynamic_shared = 49152;
  launch.arguments = {ScalarArgument{{std::byte{0x00}, std::byte{0xff}, std::byte{0x7f}, std::byte{0x3f}}, "it's 1"},
                      TensorArgument{"A", 64}, WorkspaceArgument{"partial", 0}, TensorMapArgument{TensorMapSpec{}}};
  plan.launches = {launch, launch};
  plan.launches.back().arguments.clear();
  return plan;
}

Baseline a_baseline() {
  Baseline baseline;
  baseline.key = "emu-h200-132sm/gemm/reg2d-64x64x64-fp32-nn";
  baseline.family = "gemm";
  baseline.variant = "reg2d";
  baseline.configuration = "BM=64 BN=64";
  baseline.problem = "gemm M=64 N=64 K=64 fp32 layout=nn alpha=1 beta=0";
  baseline.title = "gemm 64x64x64 fp32 nn";
  baseline.dtype = "fp32";
  baseline.device_class = "Emulated H200 sm_90";
  baseline.device_kind = "emulated";
  baseline.chosen = "default";
  baseline.recorded = "2026-11-22";
  baseline.why = "a \"quoted\" reason\nwith two lines, and \xc3\xa9";
  baseline.min_tflops = 12.5;
  baseline.source_hash = digest("source");
  baseline.toolchain = "NVRTC 13.0";
  baseline.files = {{"reg2d.cu", digest("int a;\n")}, {"common/types.cuh", digest("int b;\n")}};
  baseline.options = {"-DBM=64", "--std=c++20"};
  baseline.tensors = {"A input fp32 64x64"};
  baseline.plan = a_plan();
  baseline.check_identity = digest("check");
  baseline.counted_by = "counts-1 model-4";
  baseline.error_ratio = 0.21;
  baseline.figures = {{"registers", 96}, {"instructions", 123456789012}, {"atomics", 0.5}};
  BaselineTime time;
  time.median_us = 12.25;
  time.low_us = 12;
  time.high_us = 12.5;
  time.samples = 20;
  time.samples_digest = digest("samples");
  time.protocol = "events-1";
  time.fingerprint = digest("here");
  baseline.time = time;
  return baseline;
}

std::string with_replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

/// One that is damaged is neither taken for missing nor written over.
void check_kept(const BaselineFolder& baselines, Baseline baseline, SourceBundle source) {
  const std::filesystem::path file = baselines.path() / (baseline.key + ".toml");
  const std::string before = read_text(file);
  const auto refuses = [&](auto&& action) {
    CHECK_THROWS_WITH(action(), Catch::Contains(file.filename().string() + ":2") && Catch::Contains("`git checkout`") &&
                                    Catch::Contains("delete it, and `kerlab regress record` again"));
  };
  refuses([&] { (void)baselines.find(baseline.key); });
  source.text += "// another\n";
  const BaselineFolder::Lock lock(baselines);
  refuses([&] { baselines.write(baseline, source, lock); });
  CHECK(read_text(file) == before);
  CHECK_FALSE(std::filesystem::exists(baselines.path() / "sources" / (digest(source.text).substr(0, 12) + ".txt")));
}

void check_refused(const std::string& text, const std::string& message) {
  INFO(text);
  CHECK_THROWS_WITH(parse_baseline(text, "here.toml"), Catch::Contains(message));
}

}  // namespace

TEST_CASE("regress: a launch plan survives its text", "[session][regress]") {
  const LaunchPlan plan = a_plan();
  const std::string text = plan_text(plan);
  CHECK(text.find('\'') == std::string::npos);
  CHECK(parse_plan_text(text) == plan);
  CHECK(parse_plan_text(plan_text({})) == LaunchPlan{});
  CHECK(text.find("pitch") == std::string::npos);
  LaunchPlan padded = plan;
  padded.pitches = {{"A", 48}, {"B", 100}};
  CHECK(parse_plan_text(plan_text(padded)) == padded);
  padded.start = Start::graph;
  CHECK(parse_plan_text(plan_text(padded)) == padded);
}

TEST_CASE("regress: a text that is no launch plan is refused", "[session][regress]") {
  const std::string text = plan_text(a_plan());
  for (const std::string& wrong :
       {std::string(), std::string("{}"), std::string("[]"), std::string("nonsense"), text.substr(0, text.size() / 2),
        with_replaced(text, "\"grid\"", "\"gird\""), with_replaced(text, "49152", "-1"),
        with_replaced(text, "00ff7f3f", "00ff7f3"), with_replaced(text, "\"gemm\"", "7"), std::string(100000, '[')}) {
    INFO(wrong.substr(0, 300));
    CHECK_THROWS_AS(parse_plan_text(wrong), Error);
  }
}

TEST_CASE("regress: a baseline survives its text, byte for byte", "[session][regress]") {
  Baseline baseline = a_baseline();
  const std::string text = baseline_text(baseline);
  Baseline read = parse_baseline(text, "here.toml");
  CHECK(read.file == "here.toml");
  read.file.clear();
  read.key = baseline.key;
  CHECK(read == baseline);
  CHECK(baseline_text(read) == text);
}

TEST_CASE("regress: a damaged baseline is refused with its place", "[session][regress]") {
  const std::string text = baseline_text(a_baseline());
  check_refused("", "here.toml");
  check_refused(text.substr(0, text.size() / 2), "here.toml:");
  check_refused(with_replaced(text, "instructions = 123456789012",
                              "<<<<<<< ours\ninstructions = 1\n=======\ninstructions = 2\n>>>>>>> theirs"),
                "here.toml:1");
  check_refused(with_replaced(text, "format = 1", "format = 9"), "here.toml:2:10: 9 is not known here");
  check_refused(with_replaced(text, "instructions = 123456789012", "instructions = -3"), "not negative");
  check_refused(with_replaced(text, "instructions = 123456789012", "instructions = nan"), "not negative");
  check_refused(with_replaced(text, "instructions = 123456789012", "instructions = \"many\""), "expected a number");
  check_refused(with_replaced(text, "[figures]", "[figure]"), "unknown key 'figure'");
  check_refused(with_replaced(text, "variant = ", "varaint = "), "unknown key 'varaint'");
  check_refused(with_replaced(text, digest("int a;\n") + " ", "../../etc/passwd "), "expected the digest of a file");
  check_refused(with_replaced(text, "\"emulated\"", "\"imagined\""), "'imagined' is not one of");
  check_refused(with_replaced(text, "median_us = 12.25", "median_us = 0"), "must be above 0");
  check_refused(with_replaced(text, "{\"workspaces\"", "{\"workplaces\""), "plan");
  check_refused("name = \"gemm\"\ndoc = \"a family\"\n", "unknown key");
}

TEST_CASE("regress: no text of a baseline does harm, wherever it is torn or changed", "[session][regress]") {
  const std::string text = baseline_text(a_baseline());
  const auto survives = [](const std::string& damaged) {
    try {
      static_cast<void>(parse_baseline(damaged, "here.toml"));
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Catch::Contains("here.toml"));
    }
  };
  for (std::size_t at = 0; at < text.size(); at += 3) survives(text.substr(0, at));
  std::uint64_t state = 1;
  const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; };
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 3; ++i) damaged[next() % damaged.size()] = "\0\n\"'[]{}=,9-\xff"[next() % 14];
    survives(damaged);
  }
}

TEST_CASE("regress: a folder keeps sources once, and what is damaged loses nothing else", "[session][regress]") {
  const TemporaryFolder folder;
  const BaselineFolder baselines(folder.path(), "main");
  CHECK_FALSE(baselines.exists());
  SourceBundle source{"/somewhere/reg2d.cu", "int a;\n", {{"common/types.cuh", "int b;\n"}}, digest("source")};
  Baseline one = a_baseline(), two = a_baseline();
  two.key = "emu-h200-132sm/gemm/other-64x64x64-fp32-nn";
  {
    const BaselineFolder::Lock lock(baselines);
    CHECK(baselines.write(one, source, lock));
    CHECK_FALSE(baselines.write(one, source, lock));  // nothing is new
    Baseline later = one;
    later.recorded = "2027-01-01";
    CHECK_FALSE(baselines.write(later, source, lock));  // a date alone is no news
    CHECK(baselines.write(two, source, lock));
  }
  const auto files = [&] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(baselines.path() / "sources")) count += entry.exists();
    return count;
  };
  CHECK(files() == 2);
  REQUIRE(baselines.read().baselines.size() == 2);
  const Baseline read = baselines.read().baselines.front();
  CHECK(read.key == two.key);
  const SourceBundle back = baselines.source(read);
  CHECK(back.text == source.text);
  CHECK(back.hash == source.hash);
  REQUIRE(back.headers.size() == 1);
  CHECK(back.headers.front().name == "common/types.cuh");

  write_atomic(baselines.path() / (one.key + ".toml"), std::string_view("format = 1\nfam"));
  write_atomic(baselines.path() / "emu-h200-132sm/gemm/README.md", std::string_view("not ours"));
  const BaselineFolder::Listing listing = baselines.read();
  CHECK(listing.baselines.size() == 1);
  REQUIRE(listing.damaged.size() == 1);
  CHECK(listing.damaged.front().key == one.key);
  CHECK_THAT(listing.damaged.front().why, Catch::Contains("reg2d-64x64x64-fp32-nn.toml:2") && Catch::Contains("git"));
  {
    const BaselineFolder::Lock lock(baselines);
    baselines.remove_unused_sources(lock);
  }
  CHECK(files() == 2);  // nothing is thrown away while it is not known what the damaged one needs
  check_kept(baselines, one, source);

  const std::filesystem::path header = baselines.path() / "sources" / (digest("int b;\n").substr(0, 12) + ".txt");
  write_atomic(header, std::string_view("int c;\n"));
  CHECK_THROWS_WITH(baselines.source(read), Catch::Contains("not the common/types.cuh that"));
  std::filesystem::remove(header);
  CHECK_THROWS_WITH(baselines.source(read), Catch::Contains(header.filename().string()));
  {
    const BaselineFolder::Lock lock(baselines);
    CHECK_FALSE(baselines.write(two, source, lock));  // the same text, but its sources are made whole
    baselines.remove(one.key, lock);
    CHECK_FALSE(baselines.find(one.key));
    CHECK(baselines.write(one, source, lock));
  }
  CHECK(baselines.source(read).headers.front().text == "int b;\n");
}

TEST_CASE("regress: of two writers one waits for the other", "[session][regress]") {
  const TemporaryFolder folder;
  const BaselineFolder baselines(folder.path(), "main");
  std::atomic<bool> written = false;
  std::optional<BaselineFolder::Lock> first(std::in_place, baselines);
  std::thread second([&] {
    const BaselineFolder::Lock lock(baselines);
    written = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  CHECK_FALSE(written);
  first.reset();
  second.join();
  CHECK(written);
}

TEST_CASE("regress: a baseline's name cannot leave its folder", "[session][regress]") {
  for (const std::string name : {"", "..", "../up", "a/b", ".hidden", "na me", "x\n"})
    CHECK_THROWS_AS(BaselineFolder("/tmp", name), UsageError);
  CHECK(BaselineFolder("/tmp", "release-1.2_x").name() == "release-1.2_x");
}
