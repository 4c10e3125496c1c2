#pragma once
// Who else is on a GPU. NVML numbers processes as the machine does, which in a container is not as this process does:
// there its own entry is the one that appeared when its context was made, and names cannot be read.

#include <set>
#include <vector>

#include "device/cuda/nvml.h"
#include "plan/foreign_process.h"

namespace kerlab::device {

class GpuNeighbours {
 public:
  /// Before this process makes its context on the GPU with this UUID.
  GpuNeighbours(const Nvml& nvml, std::string uuid);

  /// Everybody but this process and its siblings (children of the same kerlab). Empty where NVML cannot tell.
  std::vector<ForeignProcess> look();

 private:
  void find_own(const std::vector<GpuProcess>& processes);

  const Nvml& nvml_;
  std::string uuid_;
  std::set<std::int64_t> before_, own_;
  bool same_numbers_ = false;  ///< NVML's process numbers are ours
};

}  // namespace kerlab::device
