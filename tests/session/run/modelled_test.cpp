// What counts of some blocks are taken for, where the variant predicts what all of them do.

#include "session/run/modelled.h"

#include "catch.h"

using namespace kerlab;

namespace {

CountedLaunch some_of_a_grid(std::int64_t blocks, std::int64_t blocks_run, std::int64_t tensor_flops) {
  CountedLaunch launch;
  launch.kernel = "k";
  launch.blocks = blocks;
  launch.blocks_run = blocks_run;
  launch.counts.tensor_flops = tensor_flops;
  return launch;
}

double weight_of(const std::vector<CountedLaunch>& launches, const session::PredictedCounts& predicted,
                 std::size_t at = 0) {
  return session::counted_work(launches, {}, ProblemPlan{}, predicted, DeviceInfo{}).at(at).weight;
}

}  // namespace

TEST_CASE("modelled: blocks that were run stand for unlike ones by the FLOPs predicted of all", "[session]") {
  // Six of 2048 with 1.42 times the average work.
  CHECK(weight_of({some_of_a_grid(2048, 6, 6 * 142)}, {{"global_load_bytes", 5}, {"tensor_flops", 2048 * 100}}) ==
        Approx(1 / 1.42));
  CHECK(weight_of({some_of_a_grid(2048, 6, 6 * 142)}, {{"global_load_bytes", 5}}) == 1);
  CHECK(weight_of({some_of_a_grid(2048, 6, 6 * 142)}, {}) == 1);
  CHECK(weight_of({some_of_a_grid(2048, 6, 0)}, {{"tensor_flops", 2048 * 100}}) == 1);
}

TEST_CASE("modelled: what all blocks were run of is counted, not weighed", "[session]") {
  CHECK(weight_of({some_of_a_grid(6, 6, 6 * 142)}, {{"tensor_flops", 6 * 100}}) == 1);
  // A launch of which all were run has its part of what is predicted; the other one gets the rest.
  const std::vector<CountedLaunch> two = {some_of_a_grid(4, 4, 400), some_of_a_grid(100, 5, 5 * 20)};
  CHECK(weight_of(two, {{"tensor_flops", 400 + 100 * 10}}, 0) == 1);
  CHECK(weight_of(two, {{"tensor_flops", 400 + 100 * 10}}, 1) == Approx(0.5));
  CHECK(weight_of(two, {{"tensor_flops", 300}}, 1) == 1);  // less than was counted already: the prediction is wrong
}

TEST_CASE("modelled: a problem that begins with offsets has the peak of its numbers", "[session]") {
  Tensor starts, values;
  starts.dtype = DType::int32;
  starts.partition = 100;
  values.dtype = DType::bf16;
  ProblemPlan problem;
  problem.tensors = {starts, values};
  DeviceInfo device;
  device.cc_major = 9;
  device.sms = 132;
  device.clock_mhz = 1980;
  CHECK(session::model_ceilings(problem, device).unit == "tensor pipe");
}

TEST_CASE("modelled: hot inputs that L2 holds are no traffic of DRAM", "[session]") {
  ProblemPlan problem;
  problem.tensors = {{"A", DType::fp32, Role::input, {1000}}, {"X", DType::fp32, Role::input, {250}}};
  problem.bytes = 5000;
  DeviceInfo device;
  device.l2_bytes = 1 << 20;
  CountedLaunch launch = some_of_a_grid(8, 8, 0);
  launch.counts.global_sectors = 100;
  const auto bytes = [&] { return session::counted_work({launch}, {}, problem, {}, device).at(0).dram_bytes; };
  CHECK(bytes() == 5000);
  problem.tensors[1].hot = true;
  CHECK(bytes() == 4000);
  CHECK(temperatures(problem) == "A cold, X hot");
  device.l2_bytes = 600;  // it holds a part of it
  CHECK(bytes() == 4400);
  problem.tensors[1].unread = true;
  CHECK(bytes() == 5000);
}
