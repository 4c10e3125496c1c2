#pragma once
// Device memory between two guard bands: a kernel that writes outside its buffer is caught, one that reads outside
// finds NaN.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/lab.h"
#include "verify/report_buffer.h"

namespace kerlab::verify {

inline constexpr std::int64_t kGuardBytes = 4096;
/// NaN as fp64, fp32, fp16, bf16 and (mostly) fp8; unlikely as a value that a kernel writes.
inline constexpr std::uint32_t kGuardPattern = 0xFFFDFFFE;

class GuardedBuffer {
 public:
  /// Sets the guards; the contents are undefined. `bytes` may be 0. The contents begin `offset` bytes (a multiple of 4)
  /// beyond what an allocation is aligned to: with 16 they are aligned to that and no better.
  GuardedBuffer(Device& device, std::int64_t bytes, std::int64_t offset = 0);

  [[nodiscard]] DevicePtr pointer() const { return memory_.pointer() + kGuardBytes + static_cast<DevicePtr>(offset_); }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// Whole 32-bit words that hold the contents: what may be filled. The guard behind starts after them.
  [[nodiscard]] std::size_t words() const { return static_cast<std::size_t>((bytes_ + 3) / 4); }
  void restore_guards(Device& device) const;
  /// Device memory that a buffer of this size takes.
  static std::int64_t footprint(std::int64_t bytes) { return (bytes + 3) / 4 * 4 + 2 * kGuardBytes; }

 private:
  std::int64_t bytes_, offset_;
  Allocation memory_;
};

/// A buffer under its name.
struct NamedBuffer {
  std::string name;
  const GuardedBuffer* buffer = nullptr;
};

/// Queues the scan of every guard; takes two slots per buffer from `first_slot` on.
void scan_guards(Lab& lab, std::span<const NamedBuffer> buffers, const ReportBuffer& reports, std::uint32_t first_slot);
/// "D: 16 bytes after its end overwritten, first at +0", or empty. `found`: two per buffer.
std::string describe_damage(std::span<const NamedBuffer> buffers, std::span<const lab::GuardReport> found);

/// Queues a scan of buffers that must be zero into slots from `first_slot` on.
void scan_zeros(Lab& lab, std::span<const NamedBuffer> buffers, const ReportBuffer& reports, std::uint32_t first_slot);
/// "workspace flags: a run must leave it zero (zero_once), and left 16 bytes that are not"; empty: all are.
std::string describe_rest(const std::string& name, std::uint64_t bytes);

}  // namespace kerlab::verify
