#pragma once
// Copies of boxes of a tensor between global memory and the shared memory of one block, as the tensor map says (PTX
// ISA, "cp.async.bulk.tensor"; CUDA driver API, cuTensorMapEncodeTiled). Rows of the innermost dimension follow each
// other in shared memory; a swizzle pads them to its span and permutes 16-byte chunks by the bits of the address in the
// block's shared memory. What is outside the tensor reads as fill and is not written, but for the rest of the 16 bytes
// in which a row of the tensor ends. Loads of tf32 round.
//
// Whoever issues a copy calls read_tensor_map and check_box, then count_box; whoever performs it load_box, store_box or
// reduce_box. Faults name `who` (the lane that issued the copy). Elements inside the tensor must be in an allocation.

#include <cstddef>
#include <cstdint>

#include "device/emu/async/shared_place.h"
#include "device/emu/ptx/instruction_words.h"
#include "device/emu/tensor_map.h"
#include "plan/counts.h"

namespace kerlab::emu {

/// Shared memory of a box begins at a multiple of it.
inline constexpr std::uint32_t kBoxAlign = 128;

/// The map at an address (generic; global and parameter memory, or shared for tensormap.replace). Faults: not aligned
/// to 64 bytes, outside memory, bytes that are no tensor map.
EncodedTensorMap read_tensor_map(const Issuer& who, std::uint64_t address);

/// Bytes of a box, fill included, padding not (an H200): what a load adds to its mbarrier.
std::uint32_t box_bytes(const EncodedTensorMap& map);
/// Bytes that it takes in shared memory: more when its rows are padded.
std::uint32_t box_footprint(const EncodedTensorMap& map);

/// Faults: the instruction has another number of dimensions than the map, or a reduction that its type does not have;
/// coordinates that an H200 takes for an illegal instruction: the innermost no multiple of 16 bytes, or one of a store
/// negative.
void check_box(const Issuer& who, const EncodedTensorMap& map, const std::int32_t* coordinate);

/// Adds the traffic of one copy: a load (to each of `targets` blocks), or a store or reduction (targets = 0).
void count_box(Counts& counts, const EncodedTensorMap& map, const std::int32_t* coordinate, int targets);

/// `shared`: host memory of a block's shared memory, which has box_bytes from `offset`. `coordinate`: map.rank of them,
/// innermost first, elements, possibly negative. Stores and reductions call note_write when the launch records writes.
void load_box(const Issuer& who, const EncodedTensorMap& map, const std::int32_t* coordinate, std::byte* shared,
              std::uint32_t offset);
void store_box(const Issuer& who, const EncodedTensorMap& map, const std::int32_t* coordinate, const std::byte* shared,
               std::uint32_t offset);
void reduce_box(const Issuer& who, ptx::Atomic operation, const EncodedTensorMap& map, const std::int32_t* coordinate,
                const std::byte* shared, std::uint32_t offset);

/// tensormap.replace on the 128 bytes at `map` (host memory): field, its ordinal (box_dim and so on; else 0), the new
/// value as PTX encodes it. Faults: bytes that are no tensor map, what the emulated device does not have (interleaved
/// layouts).
void replace_field(const Issuer& who, ptx::MapField field, int ordinal, std::uint64_t value, std::byte* map);

}  // namespace kerlab::emu
