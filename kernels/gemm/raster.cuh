#pragma once
// The order in which blocks take the tiles of D. Blocks that run at one time should share rows of A and columns of B,
// so that these are in L2: GROUP rows of tiles are walked together, column by column.

/// First row and column of D of the tile of this block.
__device__ __forceinline__ void tile_of(int block, int M, int N, int& m0, int& n0) {
  const int tiles_m = (M - 1) / BM + 1;
  const int tiles_n = (N - 1) / BN + 1;
  const int group = block / (GROUP * tiles_n);
  const int first = group * GROUP;
  const int rows = tiles_m - first < GROUP ? tiles_m - first : GROUP;
  const int within = block - group * (GROUP * tiles_n);
  m0 = (first + within % rows) * BM;
  n0 = within / rows * BN;
}
