// EmulatedChecker: what kernels may remember from run to run.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "common/recipe.h"
#include "device/shared_memory.h"
#include "verify/emulated/emulated_check.h"
#include "verify/emulated/emulated_run.h"

namespace kerlab::verify {
namespace {

constexpr double kFreshRun = 0.2, kRow = 0.5, kOtherDraw = 0.02;  // what they may cost: see emulation_cost
constexpr int kDraws = 5;  // of changes: of short rows, those who sample 32 elements see every third

/// Of where a run has written, and of what is there afterwards.
std::string digest_of_written(Device& device, const std::vector<LaunchReport>& launched) {
  std::vector<std::byte> held;
  for (const LaunchReport& launch : launched)
    for (const AddressRange& range : launch.written) {
      const std::size_t at = held.size();
      held.resize(at + sizeof range + (range.end - range.begin));
      std::memcpy(held.data() + at, &range, sizeof range);
      device.copy_out(std::span(held).subspan(at + sizeof range), range.begin);
    }
  return digest(held);
}

constexpr std::uint64_t kMostPieces = 4096;  ///< how many are told apart

/// What of earlier results is taken away, by pieces of so many bytes, drawn at random.
struct Loss {
  std::uint64_t piece, one_of;
  const char* left;
};
// Half: who looks at some of its results finds some missing. Single words: who looks at some finds most of them all
// there.
constexpr Loss kLosses[] = {{64, 2, "half of the results was"}, {4, 64, "most of the results were"}};

void poison_pieces(ProblemData& data, int set, const std::vector<AddressRange>& written, const Loss& loss) {
  std::uint64_t bytes = 0, draw = 0;
  for (const AddressRange& range : written) bytes += range.end - range.begin;
  const std::uint64_t piece = (bytes / kMostPieces / loss.one_of * 2 / loss.piece + 1) * loss.piece;
  const lab::u64 key = lab::stream_key(bytes, 0);
  for (std::size_t i = 0; i < data.plan().tensors.size(); ++i) {
    if (data.plan().tensors[i].role != Role::output) continue;
    const GuardedBuffer& buffer = data.buffer(set, i);
    const std::uint64_t begin = buffer.pointer(), end = begin + 4 * buffer.words();
    for (const AddressRange& range : written) {
      if (!overlap(range, begin, end)) continue;
      const std::uint64_t last = std::min(range.end, end) & ~std::uint64_t{3};
      for (std::uint64_t at = (std::max(range.begin, begin) + 3) & ~std::uint64_t{3}; at < last; at += piece)
        if (lab::random_word(key, draw++, 0) % loss.one_of == 0)
          data.device().fill(at, kPoisonFinite, (std::min(at + piece, last) - at) / 4);
    }
  }
}

}  // namespace

/// Where the whole run costs little, with everything that can be changed; some blocks of a large problem, with all of
/// its inputs changed, since few of them are seen by the blocks that run.
void EmulatedChecker::look_for_memory(Candidate& candidate, std::uint32_t first, bool sampled, CheckReport& report) {
  if (!sampled && emulation_cost(data_.plan()) > kFreshRun) return;
  if (!sampled) run_fresh(candidate, first, sampled, report);
  if (report.passed()) run_kept(candidate, first, sampled, report);
  if (sampled || emulation_cost(data_.plan()) > kOtherDraw) return;
  for (int draw = 1; draw < kDraws && report.passed(); ++draw) {
    data_.draw_other_changes();
    const std::size_t known = report.recipes.size();
    run_kept(candidate, first, sampled, report);
    if (report.passed()) report.recipes.resize(known);  // told once
  }
}

/// Other data in the buffers of the first recipe, at once: whoever keeps results for an address is found out.
void EmulatedChecker::run_fresh(Candidate& candidate, std::uint32_t first, bool sampled, CheckReport& report) {
  const std::uint32_t recipe = data_.fresh_recipe(ProblemData::Fresh::check);
  const int set = data_.set_with(first, candidate.plan().alignment);
  data_.refill(set, recipe);
  Run run{recipe, kPoisonFinite, set, sampled, true, true};
  if (run_once(candidate, run, report, {}))
    for (RecipeReport& one : run.reports) report.recipes.push_back(std::move(one));
  data_.distrust(set);
}

/// Some blocks of a large problem run again on what they have written, of which pieces, drawn at random, are poisoned:
/// whoever finds some of its results there and takes them for all is found out. Of inputs that were all changed it
/// finds none.
bool EmulatedChecker::run_on_own_results(Candidate& candidate, std::uint32_t first, CheckReport& report) {
  const int set = data_.set_with(first, candidate.plan().alignment);
  std::vector<AddressRange> written;
  for (const LaunchReport& launch : candidate.run(set, LaunchMode::check)) {
    written.insert(written.end(), launch.written.begin(), launch.written.end());
    if (data_.has_inout()) data_.restore_written(set, launch.written);
  }
  for (const Loss& loss : kLosses) {  // what was lost is there again afterwards
    poison_pieces(data_, set, written, loss);
    Run run{first, kPoisonFinite, set, true, true, true};
    run.untouched = true;
    run.written = written;  // compared, whether it is written again or not
    if (!run_once(candidate, run, report, {.explain = true})) return false;
    for (RecipeReport& one : run.reports) {
      if (one.passed) continue;
      one.detail += fmt::format("{}{} there before the launch", one.detail.empty() ? "" : "; ", loss.left);
      report.recipes.push_back(std::move(one));
    }
    if (!report.passed()) return false;
  }
  return true;
}

/// Nothing is poisoned between launches in a row and one on inputs that were changed in place: whoever keeps results
/// for inputs that it knows by some of their elements, leaves itself a word in a workspace or in its outputs, or
/// counts, is found out. In shared memory blocks find what those before them left. A whole run that writes what the one
/// before it has left, and leaves the same there, changes nothing: an emulated device has nothing else to tell two
/// launches by, so that all further ones would do the same.
void EmulatedChecker::run_kept(Candidate& candidate, std::uint32_t first, bool sampled, CheckReport& report) {
  const std::uint32_t recipe = data_.fresh_recipe(sampled ? ProblemData::Fresh::check : ProblemData::Fresh::changed);
  const int set = data_.set_with(first, candidate.plan().alignment);
  const double affordable = kRow / emulation_cost(data_.plan());
  const int launches = static_cast<int>(std::clamp(affordable, 2.0, 1.0 * kLaunchesInARow));
  poisoned_.erase(set);
  const KeptSharedMemory shared(data_.device());
  try {
    if (sampled && !run_on_own_results(candidate, first, report)) return data_.distrust(set);
    std::string before;
    for (int i = 0; i < launches && !sampled; ++i) {
      const std::vector<LaunchReport> launched = candidate.run(set, LaunchMode::check_all);
      std::string after = digest_of_written(data_.device(), launched) + shared.digest();
      if (data_.has_inout())
        for (const LaunchReport& launch : launched) data_.restore_written(set, launch.written);
      if (after == before) break;
      before = std::move(after);
    }
  } catch (const DeviceFault&) {
    data_.distrust(set);
    throw;
  }
  data_.refill(set, recipe);
  Run run{recipe, kPoisonFinite, set, sampled, true, true};
  run.untouched = true;
  if (run_once(candidate, run, report, {}))
    for (RecipeReport& one : run.reports) report.recipes.push_back(std::move(one));
  data_.distrust(set);
}

CheckReport EmulatedChecker::check_first_launch(Candidate& candidate) {
  CheckReport report;
  Run run{0, kPoisonNan, data_.set_with(0, candidate.plan().alignment), true, false};
  poison(run.set, run.poison);
  candidate.poison_workspaces(0);  // no wild indices
  poisoned_.erase(run.set);
  try {
    LaunchReport launched = candidate.run_first(run.set);
    data_.device().synchronize();
    report.blocks = launched.blocks;
    report.blocks_run = launched.blocks_run;
    run.written = std::move(launched.written);
  } catch (const DeviceFault& fault) {
    data_.distrust(run.set);
    const bool is_its_own = fault.kind() == FaultKind::illegal_address || fault.kind() == FaultKind::misaligned_address;
    if (is_its_own) throw;
    return report;  // it waits for blocks that were not executed
  }
  merge(run.written);
  look_at_writes(candidate, run, report);
  restore_poison(run);
  candidate.restore_variables();
  return report;
}

CheckReport EmulatedChecker::check_counted(Candidate& candidate, bool compared, std::vector<LaunchReport>& launched) {
  const bool alone = candidate.can_be_sampled();
  CheckReport report;
  candidate.restore_variables();
  Run run{0, kPoisonNan, data_.set_with(0), alone, compared, false};
  run.counted = true;
  run.parts = !alone;
  execute(candidate, run, report);
  const bool whole = report.blocks_run == report.blocks;
  if (alone || whole) look_at_writes(candidate, run, report);
  const bool look = compared && (alone || whole) && report.input_modified.empty();
  for (std::size_t reference = 0; look && reference < data_.plan().references.size(); ++reference)
    if (data_.output(reference).elements() > 0 && (whole || !data_.judged_as_one(reference)))
      report.recipes.push_back(compare(run, reference, false));
  const std::string changed = candidate.restore_variables();
  if (report.guard_violation.empty()) report.guard_violation = changed;
  restore_poison(run);
  if (!report.input_modified.empty()) data_.distrust(run.set);
  launched = std::move(run.launched);
  return report;
}

}  // namespace kerlab::verify
