#pragma once
// As header libraries do: the standard headers of the device, by a macro, and what functions are compiled for.
#define TILES_STD(header) <cuda/std/header>
#define TILES_HD __host__ __device__ __forceinline__
