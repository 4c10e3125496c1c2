#include "verify/guarded_buffer.h"

#include <fmt/format.h>

namespace kerlab::verify {
namespace {

constexpr std::int64_t kGuardWords = kGuardBytes / 4;

std::string describe(const std::string& name, const lab::GuardReport& found, bool behind) {
  const auto first = static_cast<std::int64_t>(found.first) - 1;
  const std::int64_t offset = 4 * (behind ? first : first - kGuardWords);
  return fmt::format("{}: {} bytes {} overwritten, first at {:+}", name, 4 * found.damaged,
                     behind ? "after its end" : "before its start", offset);
}

}  // namespace

GuardedBuffer::GuardedBuffer(Device& device, std::int64_t bytes, std::int64_t offset)
    : bytes_(bytes), offset_(offset), memory_(device, static_cast<std::size_t>(footprint(bytes) + offset)) {
  restore_guards(device);
}

void GuardedBuffer::restore_guards(Device& device) const {
  device.fill(pointer() - kGuardBytes, kGuardPattern, kGuardWords);
  device.fill(pointer() + 4 * words(), kGuardPattern, kGuardWords);
}

void scan_guards(Lab& lab, std::span<const NamedBuffer> buffers, const ReportBuffer& reports,
                 std::uint32_t first_slot) {
  for (const NamedBuffer& named : buffers) {
    const GuardedBuffer& buffer = *named.buffer;
    for (const DevicePtr begin : {buffer.pointer() - kGuardBytes, buffer.pointer() + 4 * buffer.words()}) {
      const lab::GuardArguments arguments{begin, kGuardWords, kGuardPattern, first_slot++, reports.guards()};
      lab.run_over("lab_guard_scan", arguments, kGuardWords);
    }
  }
}

std::string describe_damage(std::span<const NamedBuffer> buffers, std::span<const lab::GuardReport> found) {
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (found[2 * i].damaged != 0) return describe(buffers[i].name, found[2 * i], false);
    if (found[2 * i + 1].damaged != 0) return describe(buffers[i].name, found[2 * i + 1], true);
  }
  return {};
}

void scan_zeros(Lab& lab, std::span<const NamedBuffer> buffers, const ReportBuffer& reports, std::uint32_t first_slot) {
  for (const NamedBuffer& named : buffers) {
    const auto words = static_cast<std::int64_t>(named.buffer->words());
    const lab::GuardArguments arguments{named.buffer->pointer(), words, 0, first_slot++, reports.guards()};
    if (words > 0) lab.run_over("lab_guard_scan", arguments, words);
  }
}

std::string describe_rest(const std::string& name, std::uint64_t bytes) {
  if (bytes == 0) return {};
  return fmt::format("{}: every run must leave it zero (init = \"zero_once\"), and one left {} bytes that are not",
                     name, bytes);
}

}  // namespace kerlab::verify
