#include "device/emu/async/bulk_issue.h"
#include "device/emu/async/cluster_barrier.h"
#include "device/emu/async/mbarrier.h"
#include "device/emu/async/wgmma_groups.h"
#include "device/emu/machine/handlers.h"

namespace kerlab::emu {

Handler select_async(const ptx::Instruction& instruction) {
  for (const Select part : {select_mbarrier, select_bulk, select_tensor, select_cluster, select_wgmma_groups}) {
    if (const Handler handler = part(instruction)) return handler;
  }
  return nullptr;
}

}  // namespace kerlab::emu
