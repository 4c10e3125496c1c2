#pragma once
// The type of Y, by the family's OUT.
#include "common/elementwise/packet.cuh"

template <int> struct TypeOf { using Type = bf16_t; };
template <> struct TypeOf<1> { using Type = fp16_t; };
template <> struct TypeOf<2> { using Type = float; };
using Out = TypeOf<OUT>::Type;
