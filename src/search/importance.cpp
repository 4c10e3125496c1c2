// Which parameters matter: the correlation ratio eta^2 of log(cost) on each parameter (variance of the group means over
// the whole variance). Log, because costs spread over decades and a factor of two means the same everywhere.

#include <algorithm>
#include <cmath>
#include <map>

#include "search/strategy.h"

namespace kerlab {

namespace {

struct Group {
  double sum = 0;
  double count = 0;
};

double explained_share(const std::vector<std::vector<std::int64_t>>& configurations, std::size_t parameter,
                       const std::vector<double>& logs, double mean, double total) {
  std::map<std::int64_t, Group> groups;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    Group& group = groups[configurations[i][parameter]];
    group.sum += logs[i];
    group.count += 1;
  }
  double between = 0;
  for (const auto& [value, group] : groups) {
    const double distance = group.sum / group.count - mean;
    between += group.count * distance * distance;
  }
  return between / total;
}

}  // namespace

std::vector<Importance> parameter_importance(const std::vector<std::string>& names,
                                             const std::vector<std::vector<std::int64_t>>& configurations,
                                             const std::vector<double>& costs) {
  std::vector<double> logs;
  logs.reserve(costs.size());
  double mean = 0;
  for (const double cost : costs) {
    logs.push_back(std::log(cost));
    mean += logs.back() / static_cast<double>(costs.size());
  }
  double total = 0;
  for (const double value : logs) total += (value - mean) * (value - mean);

  std::vector<Importance> result;
  for (std::size_t p = 0; p < names.size(); ++p) {
    // Equal costs: nothing to explain, so nothing matters.
    const double share = total > 1e-12 ? explained_share(configurations, p, logs, mean, total) : 0.0;
    result.push_back({names[p], share});
  }
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  return result;
}

}  // namespace kerlab
