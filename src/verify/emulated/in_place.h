#pragma once
// Results of kernels that work in place, on an emulated device. The reference and the next run need what was in the
// tensor before, so what a run has written is moved aside at once.

#include <map>
#include <span>
#include <string>

#include "plan/counts.h"
#include "verify/problem_data.h"

namespace kerlab::verify {

class InPlaceResults {
 public:
  explicit InPlaceResults(ProblemData& data) : data_(data) {}

  /// After a run on `set`: its inout tensors are kept, whole or where they were written, and restored.
  void take(int set, std::span<const AddressRange> written, bool whole);
  /// Where an output of the last run on `set` lies: of an inout tensor the kept one.
  [[nodiscard]] DevicePtr pointer(int set, const Tensor& output) const;

 private:
  void copy(DevicePtr to, DevicePtr from, std::uint64_t bytes) const;

  ProblemData& data_;
  std::map<std::string, Allocation> kept_;  ///< by tensor
};

}  // namespace kerlab::verify
