#pragma once
// An element as nothing but its bits, and a packet: 16 bytes of them, as 32-bit words.
#include "common/types.cuh"

template <int BYTES> struct BitsOf { using Type = unsigned short; };
template <> struct BitsOf<4> { using Type = unsigned; };
using Bits = BitsOf<DTYPE_BYTES>::Type;

struct alignas(16) Packet {
  unsigned words[4];
};

/// One store of 16 bytes: of a structure that was put together in registers the compiler may make four.
__device__ __forceinline__ void store_packet(Bits* to, const Packet& p) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(p.words[0]), "r"(p.words[1]), "r"(p.words[2]),
               "r"(p.words[3])
               : "memory");
}
