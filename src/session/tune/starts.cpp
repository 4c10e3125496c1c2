#include "session/tune/starts.h"

#include <algorithm>
#include <cmath>

#include "session/find/shipped.h"
#include "session/run/arguments.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kMostStarts = 4;
constexpr double kOtherKind = 4;  // another dtype or flag

struct KnownWinner {
  std::string problem, variant, configuration;
};

double distance(const Problem& a, const Problem& b) {
  double sum = a.dtype == b.dtype ? 0 : kOtherKind;
  for (std::size_t i = 0; i < std::min(a.dimensions.size(), b.dimensions.size()); ++i)
    sum += std::abs(std::log2(static_cast<double>(std::max<std::int64_t>(1, a.dimensions[i].second)) /
                              static_cast<double>(std::max<std::int64_t>(1, b.dimensions[i].second))));
  for (std::size_t i = 0; i < std::min(a.flags.size(), b.flags.size()); ++i)
    sum += a.flags[i] == b.flags[i] ? 0 : kOtherKind;
  return sum;
}

std::vector<KnownWinner> known_winners(const Rig& rig, const Database& database, const std::filesystem::path& shipped) {
  const std::string& family = rig.folder().family.name;
  std::vector<KnownWinner> winners;
  for (const Decision& decision : database.winners()) {
    const auto trial = database.trial(decision.trial);
    if (trial && trial->family == family) winners.push_back({trial->problem, trial->variant, trial->configuration});
  }
  for (const ShippedWinner& winner : read_shipped(shipped, "", family).winners)
    winners.push_back({winner.problem, winner.variant, winner.configuration});
  return winners;
}

}  // namespace

std::vector<std::size_t> transferred_starts(const Rig& rig, const Problem& problem, const CandidateFinder& find,
                                            const Database& database, const std::filesystem::path& shipped) {
  const Family& family = rig.folder().family;
  std::vector<std::pair<double, KnownWinner>> by_distance;
  for (KnownWinner& winner : known_winners(rig, database, shipped)) {
    try {
      const Problem its = make_problem(family, request_of_key(family, winner.problem));
      by_distance.emplace_back(distance(problem, its), std::move(winner));
    } catch (const Error&) {
      continue;  // of a family that has changed since
    }
  }
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::size_t> starts;
  for (const auto& [far, winner] : by_distance) {
    if (starts.size() == kMostStarts) break;
    const auto index = find(winner.variant, winner.configuration);
    if (index && std::find(starts.begin(), starts.end(), *index) == starts.end()) starts.push_back(*index);
  }
  return starts;
}

}  // namespace kerlab::session
