#pragma once
// Input data as a pure integer function of (seed, recipe, tensor, index): the same bits on host and device, whatever
// the launch shape, and any element without the ones before it. A change of values needs a new recipe version.

#include "common/integers.h"
#include "common/plant.h"

namespace kerlab::lab {

/// Bits in memory of element `index`; `key` is stream_key(seed, tensor), `constant` encode(f, parameter0).
KERLAB_BOTH u64 element_bits(const Format& f, const FillArguments& a, u64 key, u64 constant, u64 index) {
  if (a.plants == 0 && a.recipe == kConstant) return constant;
  if (a.recipe == kIntegers) return encode_value(f, integer_value(a, key, index));
  return encode_value(f, planted_value(f, a, key, index));
}

}  // namespace kerlab::lab
