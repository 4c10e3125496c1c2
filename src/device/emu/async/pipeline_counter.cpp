#include "device/emu/async/pipeline_counter.h"

#include <algorithm>

namespace kerlab::emu {

void PipelineCounter::begin_block() {
  ended_ += of_block();
  begun_ = true;
  expected_.clear();
  waits_ = unfinished_ = products_ = 0;
}

void PipelineCounter::expect(std::uint32_t mbarrier, std::int64_t bytes) {
  const auto at = std::ranges::find(expected_, mbarrier, &std::pair<std::uint32_t, std::int64_t>::first);
  if (at == expected_.end()) {
    expected_.emplace_back(mbarrier, bytes);
  } else {
    at->second += bytes;
  }
}

void PipelineCounter::wait(std::int64_t unfinished) {
  ++waits_;
  unfinished_ += unfinished;
}

Pipeline PipelineCounter::of_block() const {
  Pipeline block;
  if (!begun_) return block;
  block.blocks = 1;
  for (const auto& [mbarrier, bytes] : expected_) {
    block.expected += bytes;
    block.most_expected = std::max(block.most_expected, bytes);
  }
  block.waits = waits_;
  block.unfinished = unfinished_;
  block.most_products = block.least_products = products_;
  return block;
}

Pipeline PipelineCounter::pipeline() const {
  Pipeline all = ended_;
  return all += of_block();
}

}  // namespace kerlab::emu
