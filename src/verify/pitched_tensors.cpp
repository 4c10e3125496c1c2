#include "verify/pitched_tensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/row_padding.h"

namespace kerlab::verify {
namespace {

std::string describe(const std::string& name, std::uint64_t bytes, std::int64_t row, std::int64_t behind) {
  return fmt::format("{}: {} bytes of the padding behind its rows overwritten, first {} bytes behind row {}", name,
                     bytes, behind, row);
}

}  // namespace

PitchedTensors::PitchedTensors(ProblemData& data, const LaunchPlan& plan) : data_(data) {
  const std::vector<Tensor>& tensors = data.plan().tensors;
  // As the tensors of data that are not timed: aligned as the kernels assume, and no better.
  const std::int64_t offset = plan.alignment > kLeastAlignment ? 0 : kLeastAlignment;
  for (const Pitch& pitch : plan.pitches) {
    const auto found =
        std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == pitch.tensor; });
    if (found == tensors.end() || found->elements() == 0 || pitch.elements <= found->shape.back())
      throw Error(fmt::format("problem '{}': tensor '{}' cannot have a pitch of {}", data.plan().key, pitch.tensor,
                              pitch.elements));
    const std::int64_t rows = found->elements() / found->shape.back();
    const std::int64_t row_bytes = bytes_of(found->dtype, found->shape.back());
    const std::int64_t pitch_bytes = bytes_of(found->dtype, pitch.elements);
    copies_.push_back({pitch.tensor, rows, row_bytes, pitch_bytes,
                       GuardedBuffer(data.device(), rows * pitch_bytes, offset),
                       GuardedBuffer(data.device(), rows * std::min(pitch_bytes - row_bytes, 2 * plan::kGuardedGap))});
    fill_gaps(copies_.back());
  }
}

void PitchedTensors::move_rows(DevicePtr to, std::int64_t to_pitch, DevicePtr from, std::int64_t from_pitch,
                               std::int64_t rows, std::int64_t row_bytes) const {
  data_.lab().run_over("lab_repitch", lab::RepitchArguments{to, from, rows, row_bytes, to_pitch, from_pitch},
                       rows * row_bytes);
}

std::int64_t PitchedTensors::Copy::guarded_behind() const {
  return std::min(gap_bytes(), plan::kGuardedGap);
}

std::int64_t PitchedTensors::Copy::guarded_before() const {
  return std::min(gap_bytes() - guarded_behind(), plan::kGuardedGap);
}

void PitchedTensors::move_gaps(const Copy& copy, bool back) const {
  const auto move = [&](std::int64_t at, std::int64_t of_gaps, std::int64_t bytes) {
    if (bytes == 0) return;
    const DevicePtr own = copy.buffer.pointer() + static_cast<DevicePtr>(at);
    const DevicePtr beside = copy.gaps.pointer() + static_cast<DevicePtr>(of_gaps);
    if (back)
      move_rows(own, copy.pitch_bytes, beside, copy.guarded(), copy.rows, bytes);
    else
      move_rows(beside, copy.guarded(), own, copy.pitch_bytes, copy.rows, bytes);
  };
  move(copy.row_bytes, 0, copy.guarded_behind());
  move(copy.pitch_bytes - copy.guarded_before(), copy.guarded_behind(), copy.guarded_before());
}

void PitchedTensors::fill_gaps(const Copy& copy) const {
  data_.device().fill(copy.gaps.pointer(), kGuardPattern, copy.gaps.words());
  move_gaps(copy, true);
}

void PitchedTensors::replace(Addresses& addresses) const {
  for (const Copy& copy : copies_) addresses[copy.name] = copy.buffer.pointer();
}

void PitchedTensors::take(int set) const {
  for (const Copy& copy : copies_)
    move_rows(copy.buffer.pointer(), copy.pitch_bytes, data_.buffer(set, copy.name).pointer(), copy.row_bytes,
              copy.rows, copy.row_bytes);
}

void PitchedTensors::give_back(int set) const {
  for (const Copy& copy : copies_)
    move_rows(data_.buffer(set, copy.name).pointer(), copy.row_bytes, copy.buffer.pointer(), copy.pitch_bytes,
              copy.rows, copy.row_bytes);
}

std::vector<NamedBuffer> PitchedTensors::buffers() const {
  std::vector<NamedBuffer> named;
  for (const Copy& copy : copies_) named.push_back({copy.name + " with padded rows", &copy.buffer});
  return named;
}

void PitchedTensors::scan_gaps(const ReportBuffer& reports, std::uint32_t first_slot) const {
  for (const Copy& copy : copies_) {
    move_gaps(copy, false);
    const auto words = static_cast<std::int64_t>(copy.gaps.words());
    data_.lab().run_over("lab_guard_scan",
                         lab::GuardArguments{copy.gaps.pointer(), words, kGuardPattern, first_slot++, reports.guards()},
                         words);
  }
}

std::string PitchedTensors::describe_gaps(std::span<const lab::GuardReport> found) const {
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (found[i].damaged == 0) continue;
    const Copy& copy = copies_[i];
    const std::int64_t first = 4 * (static_cast<std::int64_t>(found[i].first) - 1);
    const std::int64_t in_gap = first % copy.guarded();
    const std::int64_t jump = in_gap < copy.guarded_behind() ? 0 : copy.gap_bytes() - copy.guarded();
    return describe(copy.name, 4 * found[i].damaged, first / copy.guarded(), in_gap + jump);
  }
  return {};
}

void PitchedTensors::restore() const {
  for (const Copy& copy : copies_) {
    fill_gaps(copy);
    copy.buffer.restore_guards(data_.device());
  }
}

void PitchedTensors::to_dense(int set, std::vector<AddressRange>& written) const {
  for (const Copy& copy : copies_) {
    const auto row_bytes = static_cast<std::uint64_t>(copy.row_bytes);
    const auto pitch = static_cast<std::uint64_t>(copy.pitch_bytes);
    const std::uint64_t begin = copy.buffer.pointer(), end = begin + static_cast<std::uint64_t>(copy.buffer.bytes());
    const std::uint64_t dense = data_.buffer(set, copy.name).pointer();
    std::vector<AddressRange> told;
    for (const AddressRange& range : written) {
      for (std::uint64_t at = range.begin; at < range.end;) {
        const bool inside = at >= begin && at < end;
        const std::uint64_t row = inside ? (at - begin) / pitch : 0, column = inside ? (at - begin) % pitch : 0;
        const bool in_row = inside && column < row_bytes;
        std::uint64_t stop = inside       ? begin + row * pitch + (in_row ? row_bytes : pitch)
                             : at < begin ? begin
                                          : range.end;
        stop = std::min(stop, range.end);
        const std::uint64_t from = in_row ? dense + row * row_bytes + column : at;
        told.push_back({from, from + (stop - at)});
        at = stop;
      }
    }
    written = std::move(told);
  }
}

std::string PitchedTensors::describe_writes(std::span<const AddressRange> written) const {
  for (const Copy& copy : copies_) {
    const std::uint64_t begin = copy.buffer.pointer(), end = begin + static_cast<std::uint64_t>(copy.buffer.bytes());
    std::uint64_t in_gaps = 0, first = end, outside = 0;
    for (const AddressRange& range : written) {
      const std::uint64_t from = std::max(range.begin, begin - kGuardBytes);
      const std::uint64_t to = std::min(range.end, end + kGuardBytes);
      if (from >= to) continue;
      const std::uint64_t low = std::clamp(from, begin, end), high = std::clamp(to, begin, end);
      if (low < high) first = std::min(first, low);
      in_gaps += high - low;
      outside += (to - from) - (high - low);
    }
    if (outside > 0)
      return fmt::format("{} with padded rows: {} bytes before its begin or after its end overwritten", copy.name,
                         outside);
    if (in_gaps == 0) continue;
    const auto at = static_cast<std::int64_t>(first - begin);
    return describe(copy.name, in_gaps, at / copy.pitch_bytes, at % copy.pitch_bytes - copy.row_bytes);
  }
  return {};
}

}  // namespace kerlab::verify
