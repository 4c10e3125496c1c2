#include "verify/report_buffer.h"

#include <algorithm>
#include <cstring>

namespace kerlab::verify {

std::size_t ReportBuffer::bytes() const {
  return compares_.size() * sizeof(lab::CompareReport) + rows_.size() * sizeof(lab::RowSumReport) +
         guards_.size() * sizeof(lab::GuardReport) + hashes_.size() * sizeof(lab::u64);
}

void ReportBuffer::reset(std::size_t compares, std::size_t guards, std::size_t hashes) {
  compares_.assign(compares, {});
  rows_.assign(compares, {});
  guards_.assign(guards, {});
  hashes_.assign(hashes, 0);
  const std::size_t needed = bytes();
  if (needed > memory_.bytes()) memory_ = Allocation(device_, std::max<std::size_t>(needed * 2, 4096));
  device_.fill(memory_.pointer(), 0, needed / 4);
}

void ReportBuffer::read() {
  // Before the copy, so that a fault carries the words of the kernel that failed.
  device_.synchronize();
  std::vector<std::byte> raw(bytes());
  device_.copy_out(raw, memory_.pointer());
  const std::byte* at = raw.data();
  const auto take = [&at](auto& reports) {
    const std::size_t size = reports.size() * sizeof(reports[0]);
    if (size != 0) std::memcpy(reports.data(), at, size);
    at += size;
  };
  take(compares_);
  take(rows_);
  take(guards_);
  take(hashes_);
}

}  // namespace kerlab::verify
