#include "trial/regress_run.h"

namespace kerlab::trial {

std::string_view name(RegressVerdict verdict) {
  switch (verdict) {
    case RegressVerdict::wrong:
      return "wrong";
    case RegressVerdict::regressed:
      return "regressed";
    case RegressVerdict::failed:
      return "failed";
    case RegressVerdict::inconclusive:
      return "inconclusive";
    case RegressVerdict::not_comparable:
      return "not_comparable";
    case RegressVerdict::improved:
      return "improved";
    case RegressVerdict::passed:
      return "passed";
    case RegressVerdict::identical:
      return "identical";
  }
  return "failed";
}

}  // namespace kerlab::trial
