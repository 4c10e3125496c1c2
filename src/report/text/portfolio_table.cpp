#include "report/text/portfolio_table.h"

#include <fmt/format.h>

#include "base/format.h"

namespace kerlab::report {

std::string loss_text(double loss) {
  return loss > 0 ? fmt::format("{:.1f} %", 100 * loss) : "0";
}

Table portfolio_table(const std::vector<PortfolioLine>& lines) {
  Table table{{{"problem", Align::left, true},
               {"us", Align::right},
               {"own best", Align::right},
               {"loss", Align::right},
               {"kernel", Align::left, true}},
              {}};
  for (const PortfolioLine& line : lines)
    table.rows.push_back({line.problem, format_us(line.us), format_us(line.best_us), loss_text(line.loss),
                          line.kernel + (line.measured_now ? " (measured now)" : "") +
                              (line.own_best.empty() ? "" : fmt::format(" (own best: {})", line.own_best))});
  return table;
}

Table portfolio_costs(const std::vector<PortfolioCost>& costs) {
  Table table{{{"kernels", Align::right}, {"worst loss", Align::right}, {"mean loss", Align::right}, {""}}, {}};
  for (const PortfolioCost& cost : costs)
    table.rows.push_back({fmt::format("{}", cost.kernels), loss_text(cost.worst_loss), loss_text(cost.mean_loss),
                          cost.chosen ? "chosen" : ""});
  return table;
}

}  // namespace kerlab::report
