#pragma once
// A portfolio as printed: what each shape gets and loses, and what fewer or more kernels would cost.

#include <string>
#include <vector>

#include "report/form/table.h"

namespace kerlab::report {

struct PortfolioLine {
  std::string problem, kernel;
  double us = 0, best_us = 0, loss = 0;
  std::string own_best;  ///< empty: it is the kernel
  bool measured_now = false;
};

Table portfolio_table(const std::vector<PortfolioLine>& lines);

/// A portfolio of so many kernels.
struct PortfolioCost {
  std::size_t kernels = 0;
  double worst_loss = 0, mean_loss = 0;
  bool chosen = false;
};

/// "kernels  worst loss  mean loss", one line each, the chosen one marked.
Table portfolio_costs(const std::vector<PortfolioCost>& costs);

/// "1.4 %"; "0" for nothing.
std::string loss_text(double loss);

}  // namespace kerlab::report
