#include "model/sweep_steps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "model/sweep_score.h"

namespace kerlab::model {
namespace {

constexpr double kClear = 0.05;

/// "BM=64 BN=128" as values by parameter.
std::map<std::string, long long> values_of(const std::string& configuration) {
  std::map<std::string, long long> values;
  std::istringstream words(configuration);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) values[word.substr(0, equals)] = std::atoll(word.c_str() + equals + 1);
  }
  return values;
}

bool usable(const SweepPoint& point) {
  return point.us > 0 && !point.twin;
}

std::vector<std::size_t> choose_anchors(const Sweep& sweep, std::size_t most) {
  std::vector<std::size_t> all, chosen;
  for (std::size_t i = 0; i < sweep.points.size(); ++i)
    if (usable(sweep.points[i])) all.push_back(i);
  if (most == 0 || all.size() <= most) return all;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(all[i * all.size() / most]);
  return chosen;
}

}  // namespace

std::vector<PointPair> step_pairs(const Sweep& sweep, std::size_t anchors) {
  std::map<std::map<std::string, long long>, std::size_t> index;
  std::map<std::string, std::set<long long>> occur;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const auto values = values_of(sweep.points[i].configuration);
    for (const auto& [name, value] : values) occur[name].insert(value);
    if (usable(sweep.points[i])) index[values] = i;
  }
  std::set<PointPair> seen;
  std::vector<PointPair> pairs;
  const auto add = [&](std::size_t from, std::map<std::string, long long> values) {
    const auto at = index.find(values);
    if (at == index.end() || !seen.insert(std::minmax(from, at->second)).second) return;
    pairs.emplace_back(from, at->second);
  };
  for (const std::size_t anchor : choose_anchors(sweep, anchors)) {
    const auto values = values_of(sweep.points[anchor].configuration);
    for (const auto& [name, value] : values) {
      const auto at = occur[name].find(value);
      auto changed = values;
      if (const auto next = std::next(at); next != occur[name].end()) {
        changed[name] = *next;
        add(anchor, changed);
      }
      if (at != occur[name].begin()) {
        changed[name] = *std::prev(at);
        add(anchor, changed);
      }
    }
  }
  return pairs;
}

Sweep only_steps(const Sweep& sweep, std::vector<PointPair>& pairs) {
  Sweep part = sweep;
  part.points.clear();
  std::map<std::size_t, std::size_t> places;
  const auto place = [&](std::size_t point) {
    const auto [at, added] = places.emplace(point, part.points.size());
    if (added) part.points.push_back(sweep.points[point]);
    return at->second;
  };
  for (PointPair& pair : pairs) {
    const std::size_t first = place(pair.first);
    pair = {first, place(pair.second)};
  }
  return part;
}

StepScore step_score(const std::vector<StepRatio>& steps) {
  StepScore result;
  result.steps = steps.size();
  if (steps.empty()) return result;
  std::vector<double> ones, off;
  std::size_t right = 0;
  for (const StepRatio& step : steps) {
    ones.push_back(1);
    off.push_back(step.modelled / step.measured);
    if (std::abs(step.measured - 1) < kClear) continue;
    ++result.clear;
    if ((step.measured < 1) == (step.modelled < 1)) ++right;
  }
  const SweepScore spread = score(ones, off);
  result.low = spread.low;
  result.high = spread.high;
  if (result.clear > 0) result.right = static_cast<double>(right) / static_cast<double>(result.clear);
  return result;
}

}  // namespace kerlab::model
