#pragma once
// An element as nothing but its bits: no conversion may touch it.
#include "common/types.cuh"

template <int BYTES> struct BitsOf;
template <> struct BitsOf<1> { using Type = unsigned char; };
template <> struct BitsOf<2> { using Type = unsigned short; };
template <> struct BitsOf<4> { using Type = unsigned; };
template <> struct BitsOf<8> { using Type = unsigned long long; };
using Bits = BitsOf<DTYPE_BYTES>::Type;
