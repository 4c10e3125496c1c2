// Which parameters matter: how much of the variance of log(cost) lies between the values of a parameter. Log, because
// costs spread over decades and a factor of two means the same everywhere. The ratio alone (eta^2) would find something
// in chance: n costs in k groups give (k - 1) / (n - 1) of it; so it is epsilon^2 (Kelley, An Unbiased Correlation
// Ratio Measure, PNAS 21, 1935), which takes that off. Where what was tried is no full grid, parameters vary together
// and several explain the same variance; then their shares are those of what they explain together, at most all of it.

#include <algorithm>
#include <cmath>
#include <map>

#include "search/strategy.h"

namespace kerlab::search {

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
  const auto values = static_cast<double>(groups.size()), count = static_cast<double>(logs.size());
  if (count <= values) return 0;  // every value was tried once: nothing tells it from chance
  const double within = (total - between) / (count - values);
  return std::max(0.0, (between - (values - 1) * within) / total);
}

}  // namespace

std::vector<Importance> parameter_importance(const std::vector<std::string>& names,
                                             const std::vector<std::vector<std::int64_t>>& configurations,
                                             const std::vector<double>& costs) {
  if (costs.size() < kFewestForImportance) return {};
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
  double sum = 0;
  for (const Importance& entry : result) sum += entry.share;
  for (Importance& entry : result) entry.share /= std::max(1.0, sum);
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  return result;
}

}  // namespace kerlab::search
