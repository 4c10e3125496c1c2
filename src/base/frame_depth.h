#pragma once
// A guard in front of the CBOR parser, which recurses.

#include <cstddef>
#include <span>

namespace kerlab {

/// True when arrays and maps of a CBOR frame nest deeper than `limit`. Malformed frames are left to the parser.
bool nested_deeper_than(std::span<const std::byte> frame, std::size_t limit);

}  // namespace kerlab
