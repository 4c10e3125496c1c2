#pragma once
// Device memory between two guard bands: a kernel that writes outside its buffer is caught, one that reads outside
// finds NaN.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/lab.h"
#include "verify/report_buffer.h"

namespace kerlab {

inline constexpr std::int64_t kGuardBytes = 4096;
/// NaN as fp64, fp32, fp16, bf16 and (mostly) fp8; unlikely as a value that a kernel writes.
inline constexpr std::uint32_t kGuardPattern = 0xFFFDFFFE;

class GuardedBuffer {
 public:
  /// Sets the guards; the contents are undefined. `bytes` may be 0.
  GuardedBuffer(Device& device, std::int64_t bytes);

  [[nodiscard]] DevicePtr pointer() const { return memory_.pointer() + kGuardBytes; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// Whole 32-bit words that hold the contents: what may be filled. The guard behind starts after them.
  [[nodiscard]] std::size_t words() const { return static_cast<std::size_t>((bytes_ + 3) / 4); }
  void restore_guards(Device& device) const;
  /// Device memory that a buffer of this size takes.
  static std::int64_t footprint(std::int64_t bytes) { return (bytes + 3) / 4 * 4 + 2 * kGuardBytes; }

 private:
  std::int64_t bytes_;
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

}  // namespace kerlab
