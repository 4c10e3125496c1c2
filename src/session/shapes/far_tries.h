#pragma once
// Where problems with tensors of more than 2^31 elements are sought.

#include <map>
#include <string>
#include <vector>

#include "session/shapes/levels.h"

namespace kerlab::session {

using Extents = std::map<std::string, std::int64_t>;

/// Extents of all dimensions but for those that are made so long, together, that a tensor has so many elements.
struct FarTry {
  Extents others;
  std::vector<std::string> along;
  double elements = 0;
};

/// For a device that executes some blocks: one dimension is long, or two, or the batch; the others are as asked for if
/// that is short, or all short. In the order in which they are tried.
std::vector<FarTry> tries_of_samples(const Family& family, const Problem& asked, double elements);
/// For a device that executes all of it, on which that must be as little as it can be: two dimensions are long, of
/// which one is beyond 2^17 (`alone`: one is); once and twice of what mostly stays at its default (a batch).
std::vector<FarTry> tries_of_whole(const Family& family, const Problem& asked, bool alone);

}  // namespace kerlab::session
