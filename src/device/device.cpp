#include "device/device.h"

namespace kerlab::device {

std::string_view name(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
      return "illegal_address";
    case FaultKind::misaligned_address:
      return "misaligned_address";
    case FaultKind::trap:
      return "trap";
    case FaultKind::launch_failed:
      return "launch_failed";
    case FaultKind::timeout:
      return "timeout";
    case FaultKind::out_of_memory:
      return "out_of_memory";
    case FaultKind::load_failed:
      return "load_failed";
    case FaultKind::unsupported:
      return "unsupported";
    case FaultKind::other:
      break;
  }
  return "other";
}

}  // namespace kerlab::device
