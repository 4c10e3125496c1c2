#pragma once
// The image of an emulated module: PTX, headed by comment lines that carry what only the compiler behind PTX knows:
//   // kerlab kernel NAME registers 128 spill 0 local 0 static_shared 8320
// PTX from elsewhere has no such lines; then registers are unknown.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/device_info.h"

namespace kerlab::emu {

std::vector<std::byte> emulated_image(const std::string& ptx, std::span<const KernelResources> kernels);

struct EmulatedImage {
  std::string ptx;                       ///< without the header, so that line numbers are the compiler's
  std::vector<KernelResources> kernels;  ///< as far as the header tells
};
/// Throws Error when the image is not text or a line of its header is malformed.
EmulatedImage read_emulated_image(std::span<const std::byte> image);

}  // namespace kerlab::emu
