#pragma once
// Problems with tensors of more than 2^31 elements, of which an emulated device executes some blocks: offsets, rows and
// columns that are kept in too few bits.

#include <string>
#include <vector>

#include "session/shapes/levels.h"

namespace kerlab::session {

struct FarProblem {
  Problem problem;
  int sms = 0;  ///< of the device that its plan is made for: so many that each persistent block has one work tile
};

struct FarProblems {
  std::vector<FarProblem> problems;
  std::string why_not;            ///< where there are none
  std::vector<std::string> left;  ///< tensors that are far in none of them, though the family has such problems; why
};

/// At most so many, which have every tensor that can be beyond 2^31 elements (2^32, where it fits the device) and every
/// dimension that can be far beyond 2^16. Those of which a block does little: one dimension is long, or two, or the
/// batch, and the others short. None for plans whose blocks cannot stand for all of them: of several launches, or with
/// workspaces.
FarProblems far_problems(const ShapedKernel& kernel, const Problem& asked, std::size_t most);

}  // namespace kerlab::session
