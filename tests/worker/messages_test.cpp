#include "worker/messages.h"

#include <cmath>
#include <limits>
#include <random>

#include "base/error.h"
#include "base/frame_depth.h"
#include "catch.h"

using namespace kerlab;

namespace {

Bytes bytes(std::initializer_list<int> values) {
  Bytes out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

LaunchPlan example_plan() {
  Launch launch{"gemm", {3, 2, 1}, {256, 1, 1}, {2, 1, 1}, 98304, {}};
  TensorMapSpec map{"A", 64, DType::fp16, {4096, 512}, {8192}, {64, 128}, Swizzle::b128, L2Promotion::b256, true};
  launch.arguments = {ScalarArgument{bytes({0, 0, 128, 63}), "alpha = 1"}, TensorArgument{"A", -16},
                      WorkspaceArgument{"partial", 256}, TensorMapArgument{map}, ReferenceSlot::value};
  return {{{"partial", std::int64_t{1} << 33, WorkspaceInit::poison}}, {launch}, 32, {{"A", std::int64_t{1} << 33}}};
}

ProblemPlan example_problem() {
  ProblemPlan plan;
  plan.key = "gemm M=1";
  plan.tensors = {{"A", DType::e4m3, Role::inout, {4096, 0, 3}}, {"o", DType::int32, Role::input, {9}, 4096}};
  plan.references = {{"A", example_plan().launches[0], DType::fp32, 7, {1e-7, 2e-7, 1e-300}, {1.0}}};
  plan.recipes = {{"mine",
                   1,
                   std::numeric_limits<std::uint64_t>::max(),
                   {4.0, -0.5},
                   true,
                   "small_integer",
                   {{"one", "A", true, 5, 2, 4, std::numeric_limits<double>::quiet_NaN()},
                    {"mask", "A", false, 1, 0, 4, -std::numeric_limits<double>::infinity()}}}};
  plan.library_gemm = {{1, 2, 3, 4, true, false, -1, 0.5, "A", "B", "C", "D"}};
  plan.flops = 1e12, plan.bytes = 3, plan.minimum_us = 0.5;
  return plan;
}

/// One of every message, with values at the edges of their types.
std::vector<Request> requests() {
  return {request::Hello{7},
          request::SetProblem{example_problem(), bytes({1, 2, 255}), {}, example_problem(), bytes({3})},
          request::Load{3, "reg2d BM=128", bytes({0, 127, 128}), example_plan(), example_plan()},
          request::Check{4, {0, 2}, true, Sampling::everything},
          request::Time{{1, 2, 4294967295u}, {9, false, 1234.5, 0, false, 42}, true, true},
          request::RunOnce{5},
          request::Unload{6},
          request::Health{},
          request::Ceilings{},
          request::Library{},
          request::Bye{},
          request::Sanitize{9},
          request::Energy{{1, 2}, 2.5, true},
          request::Neighbours{},
          request::CountCost{example_problem(), bytes({1}), bytes({2, 3}), example_plan().launches[0]}};
}

std::vector<Reply> replies() {
  DeviceInfo device;
  device.set_kind(DeviceKind::script);
  device.id = "cuda:0", device.name = "H\xC3\xA9", device.memory_bytes = 150754820096, device.fp64_ratio = 0.5;
  const double infinity = std::numeric_limits<double>::infinity();
  CheckReport check;
  check.recipes = {{"normal",
                    "D",
                    false,
                    Cause::nan,
                    10,
                    2,
                    1,
                    infinity,
                    0.25,
                    7,
                    1.5,
                    -infinity,
                    0.01,
                    "[7]: got 1.5",
                    true,
                    10,
                    {2000, 0.6, 0.577, -0.01, 0.02, 0.03},
                    {{7, "[7]", 1.5, -infinity, 0.01}},
                    {"..#"},
                    "a character is 1 element",
                    "last column only",
                    "D[7] holds 0"}};
  check.runs = 10;
  check.guard_violation = "D", check.input_modified = "A", check.first_us = 3.5, check.blocks = 1024,
  check.blocks_run = 6, check.whole_small = true;
  Counts counts;
  counts.warp_instructions[kPipes - 1] = 7, counts.lane_instructions[0] = -1, counts.barriers = 1LL << 60;
  counts.barrier_waits = 3;
  LineCounts line;
  line.line = {"a.cu", 57, 120}, line.text = "ld.shared.v4.f32", line.pipe = Pipe::barrier, line.wavefronts = 8,
  line.divergences = 2;
  const SampleSet samples{1,
                          {1.25, 2.5},
                          {1980.0},
                          "graph-1",
                          CacheState::hot,
                          ClockKind::scripted,
                          true,
                          "D",
                          "launch-bound",
                          {{"gemm", {8, 4, 1}, {256, 1, 1}, 1024, 32, 6, counts, {}, {9, 5, 3, 1}, {line}}}};
  return {
      reply::Hello{"kerlab-worker", 1, device},
      reply::ProblemReady{1.5, -1, 64},
      reply::Loaded{1, {{"gemm", 168, 8, 16, 1024, 1024, 2, true}}},
      reply::Checked{2, check},
      reply::Timed{{samples}},
      reply::Done{},
      reply::Healthy{true, 2.5, "SM 1980 MHz"},
      reply::Ceilings{{{"copy", "B/s", 4e12}}},
      reply::LibraryReady{{"cuBLASLt", "its own pick"}, "why not", 1.5, 2.5, 0.25, 0.75},
      reply::Fault{FaultKind::out_of_memory, "no", true, 4, true, reply::FaultOf::small_problem},
      reply::Sanitized{{{"gemm", 8, 8, {{Hazard::shared_race, "two warps", {"a.cu", 5, 60}, {"", 0, 61}, 4}}, true}}},
      reply::Energy{{{1, 500, 250.5, 690.25, 1755}}, "why"},
      reply::Neighbours{{{4711, "python3", 512}, {4712, "", -1}}},
      reply::CostCounted{1.5e12, std::numeric_limits<double>::quiet_NaN()},
      reply::Working{}};
}

}  // namespace

TEST_CASE("every request survives its frame", "[worker]") {
  const std::vector<Request> all = requests();
  REQUIRE(all.size() == std::variant_size_v<Request>);
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(all[i].index() == i);
    const Bytes frame = encode(all[i]);
    const Request back = decode_request(frame);
    CHECK(back.index() == i);
    CHECK(encode(back) == frame);
  }
  const auto load = std::get<request::Load>(decode_request(encode(all[2])));
  CHECK(load.plan == example_plan());
  CHECK(load.image == bytes({0, 127, 128}));
  CHECK(std::get<request::SetProblem>(decode_request(encode(all[1]))).problem == example_problem());
  CHECK(std::get<request::Time>(decode_request(encode(all[4]))).schedule == std::get<request::Time>(all[4]).schedule);
}

TEST_CASE("every reply survives its frame", "[worker]") {
  const std::vector<Reply> all = replies();
  REQUIRE(all.size() == std::variant_size_v<Reply>);
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(all[i].index() == i);
    const Bytes frame = encode(all[i]);
    CHECK(encode(decode_reply(frame)) == frame);
  }
  CHECK(std::get<reply::Hello>(decode_reply(encode(all[0]))).device == std::get<reply::Hello>(all[0]).device);
  CHECK(std::get<reply::Checked>(decode_reply(encode(all[3]))).report == std::get<reply::Checked>(all[3]).report);
  CHECK(std::get<reply::Timed>(decode_reply(encode(all[4]))).samples == std::get<reply::Timed>(all[4]).samples);
  reply::Checked with_nan;
  with_nan.report.first_us = std::nan("");
  CHECK(std::isnan(std::get<reply::Checked>(decode_reply(encode(Reply{with_nan}))).report.first_us));
}

TEST_CASE("a frame of the other direction, cut off or with more behind it is refused", "[worker]") {
  CHECK_THROWS_AS(decode_reply(encode(requests()[2])), Error);
  CHECK_THROWS_AS(decode_request(encode(replies()[0])), Error);
  CHECK_THROWS_AS(decode_request({}), Error);
  for (const Request& request : requests()) {
    Bytes frame = encode(request);
    for (std::size_t length = 0; length < frame.size(); ++length) {
      CHECK_THROWS_AS(decode_request(std::span(frame).first(length)), Error);
    }
    frame.push_back(std::byte{0});
    CHECK_THROWS_AS(decode_request(frame), Error);
  }
}

TEST_CASE("refusals name the field", "[worker]") {
  Bytes frame = encode(Request{request::Unload{6}});
  const std::string text(reinterpret_cast<const char*>(frame.data()), frame.size());
  const std::size_t at = text.find("bid") + 1;  // the key "id" with its length byte in front
  REQUIRE(at != std::string::npos + 1);
  frame[at] = std::byte{'x'};
  CHECK_THROWS_WITH(decode_request(frame), Catch::Contains("unload.id") && Catch::Contains("missing"));
}

TEST_CASE("garbage gives an Error and nothing else", "[worker]") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 3000; ++round) {
    Bytes frame(random() % 200);
    for (std::byte& b : frame) b = static_cast<std::byte>(random());
    CHECK_THROWS_AS(decode_request(frame), Error);
    CHECK_THROWS_AS(decode_reply(frame), Error);
  }
  // Damaged messages: either still a message or an Error.
  const auto survives = [&](Bytes frame, const auto& decode) {
    for (int hits = 0; hits < 3; ++hits) frame[random() % frame.size()] = static_cast<std::byte>(random());
    try {
      decode(frame);
    } catch (const Error&) {
    }
  };
  for (int round = 0; round < 3000; ++round) {
    survives(encode(requests()[round % requests().size()]), [](const Bytes& frame) { decode_request(frame); });
    survives(encode(replies()[round % replies().size()]), [](const Bytes& frame) { decode_reply(frame); });
  }
}

TEST_CASE("deep nesting is refused before it reaches the parser", "[worker]") {
  CHECK_THROWS_AS(decode_request(Bytes(1'000'000, std::byte{0x81})), Error);
  CHECK_THROWS_AS(decode_reply(Bytes(1'000'000, std::byte{0x9F})), Error);
  CHECK_THROWS_AS(decode_reply(Bytes(1'000'000, std::byte{0xC1})), Error);
  CHECK(nested_deeper_than(bytes({0x81, 0x81, 0x80}), 1));
  CHECK_FALSE(nested_deeper_than(bytes({0x81, 0x81, 0x80}), 2));
  CHECK_FALSE(nested_deeper_than(bytes({0x83, 0x80, 0x80, 0x81, 0x00}), 2));
}
