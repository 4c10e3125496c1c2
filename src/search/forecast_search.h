#pragma once
// A search for few candidates that take seconds each and whose costs have no noise: those of an emulated device.

#include <vector>

#include "search/strategy.h"

namespace kerlab::search {

/// `expected`: of each candidate a time guessed before anything is compiled. One of each variant is tried where the
/// guess leaves it a chance, then always the one of the least guess, corrected by how far it was off on those like it.
/// Ends when nothing else is expected near the best. `space` must outlive it.
std::unique_ptr<Strategy> make_forecast(SearchSpace& space, std::vector<double> expected, SearchOptions options);

}  // namespace kerlab::search
