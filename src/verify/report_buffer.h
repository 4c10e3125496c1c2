#pragma once
// Device memory into which lab kernels report, read back in one copy.

#include <cstdint>
#include <vector>

#include "common/lab_abi.h"
#include "device/device.h"

namespace kerlab::verify {

class ReportBuffer {
 public:
  explicit ReportBuffer(Device& device) : device_(device) {}

  /// Makes room and sets everything to zero (queued). Each compare has a report on sums of rows, too.
  void reset(std::size_t compares, std::size_t guards, std::size_t hashes);
  /// Waits for the device and fetches all reports. Throws DeviceFault for whatever failed before.
  void read();

  [[nodiscard]] DevicePtr compare(std::size_t slot) const {
    return memory_.pointer() + slot * sizeof(lab::CompareReport);
  }
  [[nodiscard]] DevicePtr rows(std::size_t slot) const {
    return compare(compares_.size()) + slot * sizeof(lab::RowSumReport);
  }
  [[nodiscard]] DevicePtr guards() const { return rows(rows_.size()); }
  [[nodiscard]] DevicePtr hashes() const { return guards() + guards_.size() * sizeof(lab::GuardReport); }

  [[nodiscard]] const std::vector<lab::CompareReport>& compared() const { return compares_; }
  [[nodiscard]] const std::vector<lab::RowSumReport>& summed() const { return rows_; }
  [[nodiscard]] const std::vector<lab::GuardReport>& guarded() const { return guards_; }
  [[nodiscard]] const std::vector<lab::u64>& hashed() const { return hashes_; }

 private:
  [[nodiscard]] std::size_t bytes() const;

  Device& device_;
  Allocation memory_;
  std::vector<lab::CompareReport> compares_;
  std::vector<lab::RowSumReport> rows_;
  std::vector<lab::GuardReport> guards_;
  std::vector<lab::u64> hashes_;
};

}  // namespace kerlab::verify
