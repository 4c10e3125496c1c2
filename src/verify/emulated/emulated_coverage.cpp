// EmulatedChecker: what nobody has written. Of blocks that were chosen only what they wrote is compared: one that has
// nothing to do and one that does nothing are alike.
#include <algorithm>

#include "verify/emulated/emulated_check.h"
#include "verify/emulated/emulated_run.h"

namespace kerlab::verify {
namespace {

constexpr double kCoverage = 20;  // what the run of all blocks may cost: see emulation_cost

}  // namespace

/// After a run of all blocks: the first element that nobody wrote, or -1.
std::int64_t EmulatedChecker::first_unwritten(const Run& run, std::size_t reference) const {
  const Tensor& output = data_.output(reference);
  std::uint64_t reached = data_.buffer(run.set, output.name).pointer();
  const std::uint64_t begin = reached, end = begin + static_cast<std::uint64_t>(output.bytes());
  for (const AddressRange& range : run.written)
    if (range.begin <= reached && range.end > reached) reached = range.end;
  return reached >= end ? -1 : elements_in(output.dtype, static_cast<std::int64_t>(reached - begin));
}

/// Bytes of the outputs, and how many of them the run has written.
EmulatedChecker::Written EmulatedChecker::written_of(const Run& run) const {
  Written found;
  for (std::size_t i = 0; i < data_.plan().tensors.size(); ++i) {
    const Tensor& tensor = data_.plan().tensors[i];
    if (tensor.role == Role::input) continue;
    const std::uint64_t begin = data_.buffer(run.set, i).pointer();
    const std::uint64_t end = begin + static_cast<std::uint64_t>(tensor.bytes());
    found.all += static_cast<double>(end - begin);
    for (const AddressRange& range : run.written)
      if (overlap(range, begin, end))
        found.by_run += static_cast<double>(std::min(range.end, end) - std::max(range.begin, begin));
  }
  return found;
}

/// Where the blocks that ran have written less than their share, all of them run once, if that costs little: then what
/// is missing is missing.
void EmulatedChecker::look_for_unwritten(Candidate& candidate, std::uint32_t first, CheckReport& report) {
  if (!wrote_too_little_ || emulation_cost(data_.plan()) > kCoverage) return;
  const std::int64_t blocks = report.blocks, blocks_run = report.blocks_run;
  Run run{first, kPoisonNan, data_.set_with(first, candidate.plan().alignment), false, true, false};
  run.coverage = true;
  if (run_once(candidate, run, report, {}))
    for (RecipeReport& one : run.reports)
      if (!one.passed) report.recipes.push_back(std::move(one));
  report.blocks = blocks;
  report.blocks_run = blocks_run;
}

}  // namespace kerlab::verify
