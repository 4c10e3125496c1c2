#pragma once
// What a cvt instruction does with each of its values.

#include "device/emu/numeric/convert.h"

namespace kerlab::ptx {
struct Instruction;
}

namespace kerlab::emu::numeric {

struct ConversionPlan {
  Conversion one;
  bool pair = false;         ///< two values, the second in the upper half of the result
  bool two_sources = false;  ///< d, a, b: a becomes the upper half, b the lower
};

/// False: no cvt that PTX has for sm_70 to sm_90.
bool plan_conversion(const ptx::Instruction& instruction, ConversionPlan& plan);

}  // namespace kerlab::emu::numeric
