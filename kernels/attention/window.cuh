#pragma once
// The window mask: of the keys that a query sees under the causal mask only the last WINDOW (0: all).
#include "problem.cuh"

/// The first key that a query with `visible` keys before its mask's end sees.
__device__ __forceinline__ int first_visible(int visible) { return WINDOW > 0 && visible > WINDOW ? visible - WINDOW : 0; }
