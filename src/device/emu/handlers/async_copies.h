#pragma once
// The cp.async copies of one warp that its lanes may not rely on yet. A copy is deferred to the last legal moment: the
// source is read and the target written only when a wait of the lane forces it, so that a wrong wait count shows as
// old contents of shared memory; what is never waited for never arrives. PTX ISA, "cp.async" and following sections.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/emu/machine/op.h"

namespace kerlab::emu {

struct AsyncCopies {
  /// What one cp.async asked for, of lanes that had committed equally many groups.
  struct Copy {
    std::uint32_t lanes = 0;  ///< those whose copy has not been done
    std::uint32_t group = 0;  ///< number of the group that it will belong to, from 0, per lane
    std::int32_t bytes = 0;
    std::uint64_t sequence = 0;  ///< AsyncCopies::issued before it
    bool whole = false;          ///< no lane takes less than `bytes` from its source
    const std::byte* source[kLanes] = {};
    std::byte* target[kLanes] = {};
    std::uint8_t source_bytes[kLanes] = {};  ///< the rest of the target becomes zero
  };

  std::vector<Copy> pending;  ///< in order of issue, from `first` on
  std::size_t first = 0;
  std::uint64_t issued = 0;              ///< instructions so far
  std::uint32_t committed[kLanes] = {};  ///< groups, by lane
  bool alike = true;                     ///< all lanes have committed equally many

  /// For a new block: nothing pending, no groups. Keeps the storage.
  void reset();
  /// A copy for the caller to fill in, and then to issue.
  Copy& next();
  /// The one that next() gave: group and lanes are completed here.
  void issue();
  void commit_group(std::uint32_t lanes);
  /// Completes, for these lanes, all groups but the newest `allowed`.
  void wait_group(std::uint32_t lanes, std::uint32_t allowed);
  /// Completes, for these lanes, what the first `sequence` instructions issued.
  void complete(std::uint32_t lanes, std::uint64_t sequence);

 private:
  /// The lanes of `lanes` that have as many groups as the lowest of them.
  [[nodiscard]] std::uint32_t same_groups(std::uint32_t lanes) const;
  void forget_done();
};

}  // namespace kerlab::emu
