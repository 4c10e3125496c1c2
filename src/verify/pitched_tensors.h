#pragma once
// Tensors as a candidate is given them whose plan says a pitch: copies with gaps behind their rows. Inputs, outputs and
// the reference's values stay dense; before a run the rows go into the copies, after it they come back.

#include <span>
#include <string>
#include <vector>

#include "verify/problem_data.h"

namespace kerlab::verify {

class PitchedTensors {
 public:
  /// None where the plan has no pitch. The gaps hold the guards' pattern: NaN for whoever reads them; of wide ones what
  /// is next to the rows (kGuardedGap). Throws Error for a plan that does not fit the problem.
  PitchedTensors(ProblemData& data, const LaunchPlan& plan);

  [[nodiscard]] bool empty() const { return copies_.empty(); }
  [[nodiscard]] std::size_t size() const { return copies_.size(); }
  /// The copies' addresses in place of the tensors'.
  void replace(Addresses& addresses) const;
  /// The rows of a set, into the copies; and back (queued).
  void take(int set) const;
  void give_back(int set) const;

  /// The copies, for scans of their guards.
  [[nodiscard]] std::vector<NamedBuffer> buffers() const;
  /// Queues a scan of the gaps into size() slots.
  void scan_gaps(const ReportBuffer& reports, std::uint32_t first_slot) const;
  /// "D: 8 bytes of the padding behind its rows overwritten, first 4 bytes behind row 3", or empty.
  [[nodiscard]] std::string describe_gaps(std::span<const lab::GuardReport> found) const;
  /// Gaps and guards as they were at first (queued).
  void restore() const;

  /// Emulated devices: what was written to rows is said of the set's tensors; what else was written in or about the
  /// copies stays.
  void to_dense(int set, std::vector<AddressRange>& written) const;
  /// That rest, as describe_gaps says it.
  [[nodiscard]] std::string describe_writes(std::span<const AddressRange> written) const;

 private:
  struct Copy {
    std::string name;
    std::int64_t rows, row_bytes, pitch_bytes;
    GuardedBuffer buffer;  ///< a gap follows every row, the last one too
    GuardedBuffer gaps;    ///< what is guarded of these alone, one after another
    [[nodiscard]] std::int64_t gap_bytes() const { return pitch_bytes - row_bytes; }
    /// Behind a row, and before the next one, as far as the former is not all.
    [[nodiscard]] std::int64_t guarded_behind() const;
    [[nodiscard]] std::int64_t guarded_before() const;
    [[nodiscard]] std::int64_t guarded() const { return guarded_behind() + guarded_before(); }
  };
  void move_rows(DevicePtr to, std::int64_t to_pitch, DevicePtr from, std::int64_t from_pitch, std::int64_t rows,
                 std::int64_t row_bytes) const;
  void fill_gaps(const Copy& copy) const;
  /// What is guarded, to the gaps or back from them.
  void move_gaps(const Copy& copy, bool back) const;

  ProblemData& data_;
  std::vector<Copy> copies_;
};

}  // namespace kerlab::verify
