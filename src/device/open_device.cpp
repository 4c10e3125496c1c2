#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "device/cuda/cuda_device.h"
#include "device/cuda/driver_api.h"
#include "device/device.h"
#include "device/emu/emu_device.h"
#include "device/script/script_device.h"

namespace kerlab::device {
namespace {

constexpr std::string_view kFallbackProfile = "h200";

std::optional<int> parse_ordinal(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// A driver that is there but does not work is an error, not a reason to do without one.
std::unique_ptr<Device> open_auto() {
  if (!has_driver_library() && !has_gpu_nodes()) return emu::open_emu_device(kFallbackProfile);
  return std::make_unique<CudaDevice>(0);
}

}  // namespace

std::unique_ptr<Device> open_device(const std::string& id) {
  if (id == "auto") return open_auto();
  if (id == "gpu") return std::make_unique<CudaDevice>(0);
  if (id.starts_with("cuda:"))
    if (const auto ordinal = parse_ordinal(std::string_view(id).substr(5)))
      return std::make_unique<CudaDevice>(*ordinal);
  if (id.starts_with("emu:") && id.size() > 4) return emu::open_emu_device(std::string_view(id).substr(4));
  if (id.starts_with("script:") && id.size() > 7) return open_script_device(id.substr(7));
  throw UsageError(
      fmt::format("--device {}: not a device. Write auto, gpu, cuda:N (as in cuda:0), emu:NAME (as in emu:h200) or "
                  "script:FILE.",
                  id));
}

}  // namespace kerlab::device
