#pragma once
// Which tile of queries of which head a block works on.
#include "problem.cuh"

/// Blocks of one head follow one another, and share its keys and values in L2; under the causal mask those with most
/// keys come first.
struct QueryTile {
  int b, head, kv_head, first;

  __device__ __forceinline__ QueryTile(int block, int rows, int heads, int kv_heads, int queries) {
    const int tiles = (queries - 1) / rows + 1, z = block / tiles, tile = block % tiles;
    b = z / heads, head = z % heads, kv_head = head / (heads / kv_heads);
    first = (CAUSAL ? tiles - 1 - tile : tile) * rows;
  }
};
