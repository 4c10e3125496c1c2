#include "session/shapes/few_sms.h"

#include <algorithm>

#include "base/error.h"
#include "plan/shared_workspaces.h"
#include "spec/space/unsupported.h"

namespace kerlab::session {

namespace {

constexpr int kFewSms[] = {1, 2, 3,  4,  5,  6,
                           7, 8, 10, 12, 16, 24};  // clusters of 4, and some left idle, need more than 3
constexpr int kEndless = 1 << 14;                  // no small problem has so many work tiles
constexpr std::int64_t kRounds = 3;                // as many as those have that never end

std::int64_t blocks_in(const Dim3& extents) {
  return std::int64_t{extents.x} * extents.y * extents.z;
}

/// Blocks that take work together, of each launch.
std::vector<std::int64_t> workers_of(const LaunchPlan& plan) {
  std::vector<std::int64_t> workers;
  for (const Launch& launch : plan.launches) workers.push_back(blocks_in(launch.grid) / blocks_in(launch.cluster));
  return workers;
}

std::optional<LaunchPlan> plan_on(const Family& family, const Variant& variant, const Problem& problem,
                                  const Configuration& configuration, const DeviceInfo& device, int sms) {
  try {
    return instantiate(family, variant, problem, configuration, device.with_sms(sms)).plan;
  } catch (const Error&) {  // fewer than it leaves idle
    return std::nullopt;
  }
}

/// What the blocks of one launch have to do.
struct Work {
  std::int64_t workers = 0;
  std::int64_t rounds = 0;  ///< work tiles that one of them takes; 0: one tile each, nothing goes on between two
  bool endless = false;     ///< as many workers as there are share out one piece
  bool meet = false;        ///< they leave something for each other
};

struct Wanted {
  std::int64_t worth;
  bool (*had_by)(const Work&);
};

/// What is to be executed of what goes on between work tiles, first to last. Of the same worth: whichever needs fewer
/// multiprocessors.
constexpr Wanted kWanted[] = {
    {8, [](const Work& work) { return work.meet && work.workers > 1; }},  // somebody to meet
    {4, [](const Work& work) { return work.rounds >= 1; }},
    {4, [](const Work& work) { return work.rounds >= 2; }},
    {4, [](const Work& work) { return work.rounds >= kRounds; }},
    {4, [](const Work& work) { return work.rounds > 0 && work.workers >= 2; }},
    // A fourth round waits for what the third has left behind.
    {3, [](const Work& work) { return work.rounds > kRounds; }},
    {2, [](const Work& work) { return work.rounds > 0 && work.workers >= 3; }},
    // Tiles mostly come in twos and threes: a number of workers that neither divides leaves a rest.
    {1,
     [](const Work& work) {
       return work.endless && work.meet && work.workers % 2 != 0 && work.workers % 3 != 0 && work.workers > 1;
     }},
};

/// `pieces`: the workers where there are as many as anybody could want.
Work work_of(std::int64_t workers, std::int64_t pieces, bool meet) {
  if (workers == pieces) return {workers, 0, false, meet};
  const bool endless = pieces >= kEndless / 8;
  return {workers, endless ? kRounds : (pieces + workers - 1) / workers, endless, meet};
}

/// Of all launches together.
std::int64_t worth(const LaunchPlan& plan, const std::vector<std::int64_t>& pieces) {
  const std::vector<std::int64_t> workers = workers_of(plan);
  const bool meet = blocks_share(plan);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const Work work = work_of(workers[i], pieces[i], meet);
    for (const Wanted& wanted : kWanted) sum += wanted.had_by(work) ? wanted.worth : 0;
  }
  return sum;
}

}  // namespace

std::optional<DeviceInfo> device_of_any(const Variant& variant, const Problem& problem,
                                        const Configuration& configuration, const DeviceInfo& device) {
  for (const int sms : {device.sms, 3, 5, 8}) {
    const DeviceInfo any = device.with_sms(std::min(sms, device.sms));
    if (is_valid_on(variant, problem, any, configuration)) return any;
  }
  return std::nullopt;
}

std::optional<DeviceInfo> device_of_few(const Family& family, const Variant& variant, const Problem& problem,
                                        const Configuration& configuration, const DeviceInfo& device) {
  std::optional<DeviceInfo> best;
  std::optional<LaunchPlan> whole;
  if (is_valid_on(variant, problem, device, configuration)) {
    whole = plan_on(family, variant, problem, configuration, device, device.sms);
    if (whole) best = device;
  }
  const auto many = plan_on(family, variant, problem, configuration, device, kEndless);
  if (!many ||
      (whole && *many == *whole && plan_on(family, variant, problem, configuration, device, kFewSms[0]) == whole))
    return best;
  const std::vector<std::int64_t> pieces = workers_of(*many);
  std::optional<std::int64_t> most;
  for (const int few : kFewSms) {
    if (few >= device.sms) break;
    const DeviceInfo smaller = device.with_sms(few);
    if (!is_valid_on(variant, problem, smaller, configuration)) continue;
    const auto plan = plan_on(family, variant, problem, configuration, smaller, few);
    if (!plan || plan->launches.size() != many->launches.size()) continue;
    const std::int64_t value = worth(*plan, pieces);
    if (most && value <= *most) continue;
    most = value;
    best = smaller;
  }
  return best;
}

}  // namespace kerlab::session
