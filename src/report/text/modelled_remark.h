#pragma once
// How far modelled times were from measured ones: said wherever a modelled time is shown.

#include <string>
#include <string_view>

#include "base/modules.h"

namespace kerlab::report {

/// "modelled, not measured; 80 % prediction interval -6 % to +8 % (gemm fp32, 150 configurations on an H200)": of model
/// over measured less 1; of a family or dtype that was never compared, that.
std::string modelled_remark(std::string_view family, std::string_view dtype);

/// "102.2 us modelled, not measured; 80 % prediction interval 79.84 to 114.8 us (gemm fp32, ...)": where a measured
/// time would be.
std::string modelled_time_text(double us, std::string_view family, std::string_view dtype);

/// The same of the ratio of two modelled times whose configurations differ in one step of one parameter: how often the
/// model says rightly which is faster, and how far off it is.
std::string modelled_step_remark(std::string_view family, std::string_view dtype);

}  // namespace kerlab::report
