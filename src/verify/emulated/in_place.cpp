#include "verify/emulated/in_place.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "plan/sparse_tensor.h"
#include "verify/input/input_value.h"

namespace kerlab::verify {
namespace {

// On the host, element by element; more are filled by all threads.
constexpr std::uint64_t kMostByElement = 1 << 16;
constexpr std::uint64_t kCopiedAtOnce = 16 << 20;

/// The parts of `written` that lie in [begin, end), from its begin on, widened to whole elements.
std::vector<AddressRange> parts_within(std::span<const AddressRange> written, std::uint64_t begin, std::uint64_t end,
                                       std::uint64_t element_bytes) {
  std::vector<AddressRange> parts;
  for (const AddressRange& range : written) {
    if (range.begin >= end || range.end <= begin) continue;
    const std::uint64_t first = (std::max(range.begin, begin) - begin) / element_bytes;
    const std::uint64_t last = (std::min(range.end, end) - begin + element_bytes - 1) / element_bytes;
    parts.push_back({first * element_bytes, last * element_bytes});
  }
  return parts;
}

std::uint64_t total_bytes(std::span<const AddressRange> parts) {
  std::uint64_t bytes = 0;
  for (const AddressRange& part : parts) bytes += part.end - part.begin;
  return bytes;
}

}  // namespace

bool ProblemData::has_inout() const {
  return std::any_of(plan_.tensors.begin(), plan_.tensors.end(), [](const Tensor& t) { return t.role == Role::inout; });
}

void ProblemData::restore_written(int set, std::span<const AddressRange> written) {
  const std::optional<std::uint32_t> recipe = set_at(set).recipe;
  if (!recipe) return;  // filled before its next use
  for (std::size_t i = 0; i < plan_.tensors.size(); ++i) {
    const Tensor& tensor = plan_.tensors[i];
    if (tensor.role != Role::inout) continue;
    const DevicePtr begin = buffer(set, i).pointer();
    const auto size = static_cast<std::uint64_t>(info(tensor.dtype).bytes);
    const auto parts = parts_within(written, begin, begin + static_cast<std::uint64_t>(tensor.bytes()), size);
    if (total_bytes(parts) > kMostByElement * size) {
      device().launch(fill_launch(set_at(set), i, *recipe));
      continue;
    }
    const InputValues values(plan_, plan_.recipes.at(*recipe), tensor.name);
    std::vector<std::byte> bytes;
    for (const AddressRange& part : parts) {
      bytes.resize(part.end - part.begin);
      for (std::uint64_t at = 0; at < bytes.size(); at += size) {
        std::uint64_t bits = 0;
        const std::int64_t first = elements_in(tensor.dtype, static_cast<std::int64_t>(part.begin + at));
        for (int j = 0; j < info(tensor.dtype).per_byte; ++j)  // those that share a byte
          bits |= values.bits_at(repeated_index(tensor, first + j)) << (4 * j);
        std::memcpy(bytes.data() + at, &bits, size);
      }
      device().copy_in(begin + part.begin, bytes);
    }
  }
  for (const BoundLaunch& launch : change_launches(set_at(set), *recipe, Role::inout)) device().launch(launch);
}

void InPlaceResults::copy(DevicePtr to, DevicePtr from, std::uint64_t bytes) const {
  std::vector<std::byte> held(std::min(bytes, kCopiedAtOnce));
  for (std::uint64_t done = 0; done < bytes; done += held.size()) {
    held.resize(std::min(bytes - done, kCopiedAtOnce));
    data_.device().copy_out(held, from + done);
    data_.device().copy_in(to + done, held);
  }
}

void InPlaceResults::take(int set, std::span<const AddressRange> written, bool whole) {
  for (const Tensor& tensor : data_.plan().tensors) {
    if (tensor.role != Role::inout || tensor.elements() == 0) continue;
    const auto bytes = static_cast<std::uint64_t>(tensor.bytes());
    const DevicePtr from = data_.buffer(set, tensor.name).pointer();
    const DevicePtr to = kept_.try_emplace(tensor.name, data_.device(), bytes).first->second.pointer();
    if (whole) {
      copy(to, from, bytes);
      continue;
    }
    for (const AddressRange& part :
         parts_within(written, from, from + bytes, static_cast<std::uint64_t>(info(tensor.dtype).bytes)))
      copy(to + part.begin, from + part.begin, part.end - part.begin);
  }
  data_.restore_written(set, written);
}

DevicePtr InPlaceResults::pointer(int set, const Tensor& output) const {
  const auto kept = kept_.find(output.name);
  return kept != kept_.end() ? kept->second.pointer() : data_.buffer(set, output.name).pointer();
}

}  // namespace kerlab::verify
