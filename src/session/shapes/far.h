#pragma once
// Problems with tensors of more than 2^31 elements: offsets, rows and columns that are kept in too few bits. A GPU
// executes them whole, an emulated device some blocks of them.

#include <set>
#include <string>
#include <vector>

#include "session/shapes/checked_problem.h"

namespace kerlab::session {

/// Of a check, and of a tune's winner: long rows of each of two operands, and a large batch.
inline constexpr std::size_t kMostFar = 3;

struct FarProblems {
  std::vector<CheckedProblem> problems;
  std::string why_not;            ///< where none is beyond 2^31, but for gaps between rows
  bool by_pitch = false;          ///< the last one is so by such gaps (far_by_pitch)
  bool faults_alone = false;      ///< of those that are beyond 2^31 the first launch is looked at, for faults
  std::vector<std::string> left;  ///< tensors that are far in none of them, though the family has such problems; why
};

/// Of an emulated device at most `most`, which have every tensor that can be beyond 2^31 elements (2^32, where it fits
/// the device) and every dimension that can be far beyond 2^16. Those of which a block does little: one dimension is
/// long, or two, or the batch, and the others short. Their plans are for so many multiprocessors that each persistent
/// block has one work tile. Of plans whose blocks cannot stand for all of them (of several launches, or with
/// workspaces) the first launch is executed, for faults alone. Where all extents end before 2^31 elements, one of 2^25.
/// Where the configuration takes none of them, as its indices have 32 bits, the variant's default there is checked.
/// Of a GPU the least ones that fit its memory and its reference's time, as the device is: one more than `most`, if
/// that has several of a batch; where it can be, with a dimension beyond 2^16 that no other problem has (`tried`).
FarProblems far_problems(const ShapedKernel& kernel, const Problem& asked, std::size_t most,
                         const std::set<std::string>& tried = {});

}  // namespace kerlab::session
