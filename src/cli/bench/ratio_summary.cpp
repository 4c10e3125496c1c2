#include "cli/bench/ratio_summary.h"

#include "cli/frame/library_cells.h"

namespace kerlab::cli {

std::vector<RatioSummary> ratio_summaries(const std::vector<BenchRow>& rows) {
  std::vector<ComparedProblem> compared;
  for (const BenchRow& row : rows)
    for (const LibraryRow& library : row.library)
      if (library.ratio)
        compared.push_back({row.problem.title(), row.problem.dtype, library_way(library.label), *library.ratio});
  return summarize_ratios(compared);
}

Table ratio_table(const std::vector<RatioSummary>& summaries) {
  Table table{{{"against"},
               {"dtype"},
               {"problems", Align::right},
               {"geometric mean", Align::right},
               {"of lower bounds", Align::right},
               {fmt::format("below {}", kLostBelow), Align::right},
               {"worst [lower bound]"}},
              {}};
  for (const RatioSummary& summary : summaries)
    table.rows.push_back({summary.against, summary.dtypes, fmt::format("{}", summary.problems),
                          fmt::format("{:.3f}", summary.mean), fmt::format("{:.3f}", summary.mean_low),
                          fmt::format("{}", summary.lost),
                          fmt::format("{:.3f} [{:.3f}] {}", summary.worst_ratio, summary.worst_low, summary.worst)});
  return table;
}

JsonValue ratio_value(const std::vector<RatioSummary>& summaries) {
  JsonValue::Array values;
  for (const RatioSummary& summary : summaries)
    values.push_back(JsonValue::Object{{"against", summary.against},
                                       {"dtypes", summary.dtypes},
                                       {"problems", summary.problems},
                                       {"geometric_mean", summary.mean},
                                       {"geometric_mean_low", summary.mean_low},
                                       {"lost_below", kLostBelow},
                                       {"lost", summary.lost},
                                       {"worst", summary.worst},
                                       {"worst_ratio", summary.worst_ratio},
                                       {"worst_ratio_low", summary.worst_low}});
  return values;
}

}  // namespace kerlab::cli
