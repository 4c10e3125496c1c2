#include "plan/finding.h"

namespace kerlab::plan {

std::string_view name(Hazard hazard) {
  switch (hazard) {
    case Hazard::out_of_bounds:
      return "out of bounds";
    case Hazard::misaligned:
      return "misaligned access";
    case Hazard::uninitialised:
      return "uninitialised read";
    case Hazard::shared_race:
      return "shared-memory race";
    case Hazard::global_race:
      return "global-memory race";
    case Hazard::warp_mask:
      return "warp mask";
    case Hazard::proxy_fence:
      return "missing proxy fence";
    case Hazard::wgmma_in_flight:
      return "wgmma in flight";
    case Hazard::async_overwrite:
      return "copy into memory still read";
    case Hazard::transaction:
      return "mbarrier transaction";
    case Hazard::early_exit:
      return "early exit";
    case Hazard::deadlock:
      return "deadlock";
    case Hazard::barrier_divergence:
      return "barrier divergence";
    case Hazard::other:
      break;
  }
  return "other";
}

}  // namespace kerlab::plan
