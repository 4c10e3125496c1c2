#pragma once
// The elements of a tensor map: what fills a box outside the tensor, what a load makes of an element, which
// instruction type a reduction has.

#include <cstddef>
#include <cstdint>

#include "device/emu/ptx/instruction_words.h"
#include "device/emu/tensor_map.h"

namespace kerlab::emu {

/// Zero, or the NaN of the type.
class Fill {
 public:
  explicit Fill(const EncodedTensorMap& map);
  void put(std::byte* to, std::uint32_t bytes) const;

 private:
  std::uint64_t pattern_ = 0;  ///< 8 bytes of elements
};

/// What a load writes for `bytes` bytes of elements: `from` itself where nothing changes, else `to`.
const std::byte* convert(DType dtype, const std::byte* from, std::byte* to, std::uint32_t bytes);

/// What reductions compute with; none: no reductions of such elements. Sums of tf32 are of all 32 bits (an H200).
ptx::Type element_type(DType dtype);

/// As an H200 has them: elsewhere the instruction is illegal. Of s64 there are only min and max, of s32 no inc and dec.
bool has_reduction(DType dtype, ptx::Atomic operation);

}  // namespace kerlab::emu
