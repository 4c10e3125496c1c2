#include "measure/canary.h"

#include <vector>

#include "common/canary.h"
#include "measure/stopwatch.h"

namespace kerlab::measure {

CanaryResult run_canary(Lab& lab) {
  Device& device = lab.device();
  std::vector<lab::u32> words(static_cast<std::size_t>(lab.full_grid()) * lab::kCanaryBlock);
  const std::size_t bytes = words.size() * sizeof words[0];
  const Allocation out(device, bytes);
  device.fill(out.pointer(), 0xFFFFFFFF, words.size());
  const lab::CanaryArguments arguments{out.pointer(), static_cast<lab::i64>(words.size())};
  Stopwatch watch(device);
  CanaryResult result{true, watch.time_us(lab.bind("lab_canary", arguments, lab.full_grid(), lab::kCanaryBlock))};
  device.copy_out(std::as_writable_bytes(std::span(words)), out.pointer());
  for (std::size_t i = 0; i < words.size(); ++i)
    result.right = result.right && words[i] == lab::canary_expected(static_cast<lab::i64>(i));
  return result;
}

}  // namespace kerlab::measure
