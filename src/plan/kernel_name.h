#pragma once
// Which kernel of an image is meant by what a launch calls it: sources written for nvcc seldom say extern "C".

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/device_info.h"

namespace kerlab::plan {

/// An option of kerlab's own compiler: "--instantiate=ns::scale<float, 4>" asks for that instance of a template.
inline constexpr std::string_view kInstantiate = "--instantiate=";

/// Another: "--image=gemm_128_3.ptx" is assembled instead of a source that is compiled.
inline constexpr std::string_view kImage = "--image=";

/// Place in `names` (as the image has them, perhaps mangled) of the kernel called `wanted`: the very name; else the
/// only one that says the same in C++, as `scale`, `ns::scale` or `ns::scale<float, 4>`; else the only instance of that
/// template. None: nothing fits, or several do.
std::optional<std::size_t> find_kernel(std::string_view wanted, const std::vector<std::string>& names);

/// What is known of the kernel called `wanted`; null: nothing.
const KernelResources* find_resources(const std::vector<KernelResources>& resources, std::string_view wanted);

/// "ns::scale<float,4>" of a mangled name: without result, parameters and blanks; any other name as it is.
std::string spoken_name(const std::string& name);

}  // namespace kerlab::plan
