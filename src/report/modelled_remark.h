#pragma once
// How far modelled times were from measured ones: said wherever a modelled time is shown.

#include <string>
#include <string_view>

namespace kerlab {

/// "modelled, not measured: 8 of 10 were off by -6 % to +8 % (gemm fp32, 150 configurations on an H200)"; of a family
/// or dtype that was never compared, that.
std::string modelled_remark(std::string_view family, std::string_view dtype);

/// The same of the ratio of two modelled times whose configurations differ in one step of one parameter: how often the
/// model says rightly which is faster, and how far off it is.
std::string modelled_step_remark(std::string_view family, std::string_view dtype);

}  // namespace kerlab
