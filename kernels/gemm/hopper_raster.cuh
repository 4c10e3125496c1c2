#pragma once
// The order in which the clusters of `hopper` take the tiles of D, in tiles of a whole cluster. What runs at one time
// should share rows of A and columns of B, so that these are in L2.
//   RASTER 0   GROUP rows of tiles together, column by column
//   RASTER 1   GROUP columns together, row by row
//   RASTER 2   squares of GROUP x GROUP along a Hilbert curve; bands of squares there and back

struct TileOfD {
  int row, column;
};

/// Place `at` of the Hilbert curve through a square of SIDE x SIDE, a power of two. Hamilton & Rau-Chaplin, "Compact
/// Hilbert indices", section 2: two bits of the place choose a quadrant and how the curve lies in it.
template <int SIDE>
__device__ __forceinline__ TileOfD on_hilbert_curve(int at) {
  int x = 0, y = 0;
#pragma unroll
  for (int side = 1; side < SIDE; side *= 2) {
    const int right = at / 2 & 1, up = (at ^ right) & 1;
    if (up == 0) {
      const int old = x;
      x = right ? side - 1 - y : y;
      y = right ? side - 1 - old : old;
    }
    x += right * side;
    y += up * side;
    at /= 4;
  }
  return {x, y};
}

/// GROUP rows of `rows` x `columns` tiles together, column by column.
__device__ __forceinline__ TileOfD in_groups(int tile, int rows, int columns) {
  const int group = tile / (GROUP * columns);
  const int first = group * GROUP;
  const int high = rows - first < GROUP ? rows - first : GROUP;
  const int within = tile - first * columns;
  return {first + within % high, within / high};
}

__device__ __forceinline__ TileOfD in_squares(int tile, int rows, int columns) {
  const int band = tile / (GROUP * columns);
  const int first = band * GROUP;
  const int high = rows - first < GROUP ? rows - first : GROUP;
  int within = tile - first * columns;
  if (band % 2 != 0) within = high * columns - 1 - within;
  const int square = within / (high * GROUP);
  const int left = square * GROUP;
  const int in_square = within - left * high;
  if (high < GROUP || columns - left < GROUP) return {first + in_square % high, left + in_square / high};
  const TileOfD place = on_hilbert_curve<GROUP>(in_square);
  return {first + place.row, left + place.column};
}

__device__ __forceinline__ TileOfD tile_of(int tile, int rows, int columns) {
  if (RASTER == 1) {
    const TileOfD turned = in_groups(tile, columns, rows);
    return {turned.column, turned.row};
  }
  return RASTER == 2 ? in_squares(tile, rows, columns) : in_groups(tile, rows, columns);
}
