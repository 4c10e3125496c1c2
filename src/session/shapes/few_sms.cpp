#include "session/shapes/few_sms.h"

#include <algorithm>

#include "base/error.h"
#include "plan/shared_workspaces.h"

namespace kerlab::session {

namespace {

constexpr int kFewSms[] = {1, 2, 3,  4,  5,  6,
                           7, 8, 10, 12, 16, 24};              // clusters of 4, and some left idle, need more than 3
constexpr int kEndless = 1 << 14;                              // no small problem has so many work tiles
constexpr std::int64_t kWantedRounds = 3, kWantedWorkers = 3;  // wanted
constexpr std::int64_t kWorthOfRound = 4, kWorthOfFourth = 3, kWorthOfWorker = 2, kWorthOfMeeting = 8;

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

/// How much of what goes on between work tiles is executed: rounds count more than workers, but where blocks meet there
/// must be two. `pieces`: the workers where there are as many as anybody could want; where these have no end they share
/// out one piece, and tiles mostly come in twos and threes: a number of workers that neither divides leaves a rest.
std::int64_t worth(const LaunchPlan& plan, const std::vector<std::int64_t>& pieces) {
  const std::vector<std::int64_t> workers = workers_of(plan);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i] > 1 && blocks_share(plan)) sum += kWorthOfMeeting;
    if (workers[i] == pieces[i]) continue;
    const bool endless = pieces[i] >= kEndless / 8;
    const std::int64_t rounds = endless ? kWantedRounds : (pieces[i] + workers[i] - 1) / workers[i];
    if (endless && blocks_share(plan) && workers[i] % 2 != 0 && workers[i] % 3 != 0 && workers[i] > 1) ++sum;
    // A fourth round waits for what the third has left behind: worth more than a third worker, less than a second.
    if (!endless && rounds > kWantedRounds) sum += kWorthOfFourth;
    sum += kWorthOfRound * std::min(rounds, kWantedRounds);
    if (workers[i] > 1) sum += kWorthOfWorker * std::min(workers[i], kWantedWorkers);
  }
  return sum;
}

}  // namespace

bool is_valid_on(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                 const Configuration& configuration) {
  return unsupported_reason(variant, problem, device).empty() &&
         violated_constraint(variant, problem, device, configuration).empty();
}

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
