// CudaDevice: launches, one at a time and as graphs.
#include <fmt/format.h>

#include "device/cuda/cuda_device.h"
#include "device/cuda/launch_config.h"

namespace kerlab::device {
namespace {

/// Empty, or how the arguments differ from what the kernel takes. The driver would read past the end of a short one.
std::string argument_error(const BoundLaunch& launch, const std::vector<std::size_t>& parameter_bytes) {
  if (launch.arguments.size() != parameter_bytes.size())
    return fmt::format(
        "kernel '{}' takes {} arguments, the launch gives {}: compare [[launch]] in the spec with the source",
        launch.kernel, parameter_bytes.size(), launch.arguments.size());
  for (std::size_t i = 0; i < parameter_bytes.size(); ++i)
    if (launch.arguments[i].size() != parameter_bytes[i])
      return fmt::format(
          "kernel '{}': argument {} has {} bytes in the source and {} in the launch: mend its type in the spec",
          launch.kernel, i + 1, parameter_bytes[i], launch.arguments[i].size());
  return {};
}

}  // namespace

void CudaDevice::enqueue(const BoundLaunch& launch) {
  Function& kernel = function(launch.module, launch.kernel);
  if (kernel.parameters_known)
    if (const std::string error = argument_error(launch, kernel.parameter_bytes); !error.empty())
      throw DeviceFault(FaultKind::launch_failed, error, false);
  allow_shared(kernel, launch.dynamic_shared);
  prefer_shared(kernel, launch.carveout);
  std::vector<void*> arguments;
  for (const auto& bytes : launch.arguments)
    arguments.push_back(const_cast<std::byte*>(bytes.data()));  // the driver's signature lacks const; it only reads
  LaunchConfig config(launch.grid, launch.block, launch.cluster, launch.dynamic_shared, stream_.get());
  if (launch.cooperative) config.make_cooperative();
  if (launch.programmatic) config.make_programmatic();
  last_kernel_ = launch.kernel;
  check(api_.launch(config.get(), kernel.handle, arguments.data(), nullptr), FaultKind::launch_failed,
        fmt::format("launching kernel '{}' with grid {}x{}x{}, block {}x{}x{}, {} bytes of dynamic shared memory",
                    launch.kernel, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                    launch.block.z, launch.dynamic_shared));
}

LaunchReport CudaDevice::launch(const BoundLaunch& launch, LaunchMode mode) {
  if (mode == LaunchMode::count || mode == LaunchMode::sanitize)
    throw DeviceFault(FaultKind::unsupported, "a GPU neither counts nor sanitizes; use an emulated device", false);
  enqueue(launch);
  return {};
}

GraphId CudaDevice::capture(std::span<const BoundLaunch> launches, int repeats) {
  for (const BoundLaunch& launch : launches) function(launch.module, launch.kernel);  // look-ups before capturing
  return capture_calls([&] {
    for (int i = 0; i < repeats; ++i)
      for (const BoundLaunch& launch : launches) enqueue(launch);
  });
}

GraphId CudaDevice::capture_calls(const std::function<void()>& queue) {
  check(api_.capture_begin(stream_.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), FaultKind::other, "starting a graph");
  CUgraph captured = nullptr;
  try {
    queue();
  } catch (...) {
    // Leave capture mode, or every later call on the stream fails.
    if (api_.capture_end(stream_.get(), &captured) == CUDA_SUCCESS && captured != nullptr) api_.graph_destroy(captured);
    throw;
  }
  check(api_.capture_end(stream_.get(), &captured), FaultKind::launch_failed, "ending a graph");
  const CudaHandle<CUgraph> graph{captured, api_.graph_destroy};
  CUgraphExec executable = nullptr;
  check(api_.graph_instantiate(&executable, graph.get(), 0), FaultKind::launch_failed, "instantiating a graph");
  graphs_[next_id_] = {executable, api_.graph_exec_destroy};
  const GraphId id = next_id_++;
  check(api_.graph_upload(executable, stream_.get()), FaultKind::launch_failed, "uploading a graph");
  return id;
}

void CudaDevice::launch_graph(GraphId graph) {
  check(api_.graph_launch(graphs_.at(graph).get(), stream_.get()), FaultKind::launch_failed, "launching a graph");
}

void CudaDevice::release_graph(GraphId graph) noexcept {
  graphs_.erase(graph);
}

}  // namespace kerlab::device
