#pragma once
// The type of Y, by the family's OUT.
#include "common/elementwise/map.cuh"

template <int> struct TypeOf { using Type = bf16_t; };
template <> struct TypeOf<1> { using Type = fp16_t; };
template <> struct TypeOf<2> { using Type = float; };
template <> struct TypeOf<3> { using Type = e4m3_t; };
template <> struct TypeOf<4> { using Type = e5m2_t; };
template <> struct TypeOf<5> { using Type = int8_t; };
using Out = TypeOf<OUT>::Type;
