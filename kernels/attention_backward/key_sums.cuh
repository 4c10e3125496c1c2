#pragma once
// The rows of dK and dV that a warp's 16 keys add up, in registers: both, or, where they do not fit together, one of
// them.
#include "tiles.cuh"

template <bool Apart>
struct KeySums {
  float k[kOutputs] = {}, v[kOutputs] = {};

  /// Adds what a tile of queries gives; rows of Q and of dO lie at tile_q and tile_g.
  __device__ __forceinline__ void add(const float (&p)[TILE / 2], const float (&ds)[TILE / 2], unsigned tile_q,
                                      unsigned tile_g) {
    multiply_values<Place, TILE>(v, p, tile_g);
    multiply_values<Place, TILE>(k, ds, tile_q);
  }
  __device__ __forceinline__ void write(HeadRows<DTYPE> dK, HeadRows<DTYPE> dV, float factor, int first, int keys,
                                        int depth) const {
    write_sums(k, factor, dK, first, keys, depth);
    write_sums(v, 1.0f, dV, first, keys, depth);
  }
};

/// Blocks with blockIdx.y = 0 make dV, the others dK.
template <>
struct KeySums<true> {
  float one[kOutputs] = {};

  __device__ __forceinline__ void add(const float (&p)[TILE / 2], float (&ds)[TILE / 2], unsigned tile_q,
                                      unsigned tile_g) {
    const bool values = blockIdx.y == 0;
#pragma unroll
    for (int e = 0; e < TILE / 2; ++e) ds[e] = values ? p[e] : ds[e];
    multiply_values<Place, TILE>(one, ds, values ? tile_g : tile_q);
  }
  __device__ __forceinline__ void write(HeadRows<DTYPE> dK, HeadRows<DTYPE> dV, float factor, int first, int keys,
                                        int depth) const {
    const bool values = blockIdx.y == 0;
    write_sums(one, values ? 1.0f : factor, values ? dV : dK, first, keys, depth);
  }
};
