#pragma once
// The arithmetic of the tensor cores of an H200, as found by fitting 372,736 recorded results (driver 580.159.04;
// tests/data/tensorcore-h200). A property of that chip: others differ.

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/emu/numeric/format.h"

namespace kerlab::emu::numeric {

/// One group: products that are added together with C in one step.
/// An operand's exponent is that of its leading bit, but not below the smallest normal one of its format; a product's
/// is the sum of its operands' (not normalised); the largest one among the terms that are not zero is emax. Every term
/// is truncated toward zero to a multiple of 2^(emax - kept_bits), the sum of those is exact.
struct TensorCoreRule {
  Format a = kF16, b = kF16;
  Format c = kF32;
  Format result = kF32;
  int kept_bits = 25;
  int result_bits = 23;  ///< fraction bits kept of the result; fewer than the format has only in wgmma of fp8
  Round round = Round::zero;
};

/// One result element. `a`, `b`: the operands of each product as bits of their formats; `c` likewise. A NaN operand,
/// Inf x 0, or infinities of both signs give NaN; otherwise an infinity wins. Overflow gives infinity; a zero is
/// positive, also where a negative sum underflows.
std::uint64_t tensor_core_group(const TensorCoreRule& rule, std::span<const std::uint32_t> a,
                                std::span<const std::uint32_t> b, std::uint64_t c);

/// The same for the handlers, which are built for several processors and must not instantiate span.
std::uint64_t tensor_core_group(const TensorCoreRule& rule, const std::uint32_t* a, const std::uint32_t* b,
                                std::size_t count, std::uint64_t c);

/// The rule of mma.sync with f16 accumulators: rounds to nearest even.
TensorCoreRule f16_accumulator_rule(const Format& a, const Format& b);
/// A group of mma.sync.
TensorCoreRule mma_rule(const Format& a, const Format& b, bool f16_accumulator);

/// mma.sync with operands of these formats and that accumulator (c, d): f32, or f16 for operands of f16 and fp8.
/// The K of one instruction is the length of `a`: one group up to 16 products. fp8 is two groups from zero (first the k
/// with k mod 4 < 2, then the others), and adds C last, in the accumulator's format, to nearest even.
std::uint64_t mma_element(const Format& operand_a, const Format& operand_b, const Format& accumulator,
                          std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint64_t c);

/// wgmma: one group; fp8 keeps 13 bits of the terms and of an f32 result.
TensorCoreRule wgmma_rule(const Format& a, const Format& b, const Format& accumulator);
std::uint64_t wgmma_element(const Format& operand_a, const Format& operand_b, std::span<const std::uint32_t> a,
                            std::span<const std::uint32_t> b, std::uint64_t c, const Format& accumulator = kF32);

}  // namespace kerlab::emu::numeric
