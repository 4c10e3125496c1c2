#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "device/cuda/cuda_device.h"
#include "device/cuda/driver_api.h"
#include "device/device.h"
#include "device/script/script_device.h"

namespace kerlab {
namespace {

std::optional<int> parse_ordinal(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::unique_ptr<Device> open_auto() {
  if (!has_driver_library() && !has_gpu_nodes())
    throw Error(
        "no GPU here: neither an NVIDIA driver nor a /dev/nvidia*. Use --device cuda:N on a machine with a GPU, or "
        "--device script:FILE.");
  return std::make_unique<CudaDevice>(
      0);  // a driver that is there but does not work is an error, not a reason to fall back
}

}  // namespace

std::unique_ptr<Device> open_device(const std::string& id) {
  if (id == "auto") return open_auto();
  if (id.starts_with("cuda:"))
    if (const auto ordinal = parse_ordinal(std::string_view(id).substr(5)))
      return std::make_unique<CudaDevice>(*ordinal);
  if (id.starts_with("script:") && id.size() > 7) return open_script_device(id.substr(7));
  throw UsageError(fmt::format("--device {}: not a device. Write auto, cuda:N (as in cuda:0) or script:FILE.", id));
}

}  // namespace kerlab
