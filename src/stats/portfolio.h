#pragma once
// Portfolios: the smallest set of kernels that keeps every shape within so much of its own best. Pure.

#include <cstddef>
#include <optional>
#include <vector>

#include "base/modules.h"

namespace kerlab::stats {

/// What a kernel costs on a shape more than the shape's own best: 0.02 = 2 %. None: it cannot run there, or nobody
/// knows. losses[shape][kernel].
using LossMatrix = std::vector<std::vector<std::optional<double>>>;

struct Portfolio {
  std::vector<std::size_t> kernels;   ///< chosen, ascending
  std::vector<std::size_t> of_shape;  ///< which of all kernels a shape gets: the chosen one with the least loss
  double worst_loss = 0, mean_loss = 0;
  bool exact = true;  ///< no other set of this size has a smaller worst loss; false: the search was cut short
};

/// The set of at most `size` kernels with the least worst loss; among those that were met, the one with the least mean.
/// None: no such set has a kernel for every shape. `nodes` bounds the search (a set cover by branch and bound; 0: about
/// a second's worth); beyond it the best of greedy choice and of what was found stands.
std::optional<Portfolio> best_portfolio(const LossMatrix& losses, std::size_t size, std::size_t nodes = 0);

/// The portfolios of 1, 2, 3, ... kernels: until one keeps every shape within `within`, or `largest` is reached (0: as
/// many as there are shapes). Sizes that cover no shapes fully are left out.
std::vector<Portfolio> portfolios(const LossMatrix& losses, double within, std::size_t largest = 0);

}  // namespace kerlab::stats
