#pragma once
// Rasterisation: in which order tile numbers walk over the rows and columns of tiles. What runs at one time should
// share rows of A and columns of B, so that these are in L2. Pure arithmetic, any thread.

/// A tile by its row and column among the tiles.
struct TileCoordinate {
  int row, column;
};

/// Group rows of `rows` x `columns` tiles together, column by column. For columns together swap the roles.
template <int Group>
__device__ __forceinline__ TileCoordinate raster_groups(int tile, int rows, int columns) {
  const int group = tile / (Group * columns);
  const int first = group * Group;
  const int high = rows - first < Group ? rows - first : Group;
  const int within = tile - first * columns;
  return {first + within % high, within / high};
}

/// Place `at` of the Hilbert curve through a square of Side x Side, a power of two. Hamilton & Rau-Chaplin, "Compact
/// Hilbert indices", section 2: two bits of the place choose a quadrant and how the curve lies in it.
template <int Side>
__device__ __forceinline__ TileCoordinate hilbert_curve(int at) {
  int x = 0, y = 0;
#pragma unroll
  for (int side = 1; side < Side; side *= 2) {
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

/// Squares of Side x Side along a Hilbert curve; bands of squares there and back.
template <int Side>
__device__ __forceinline__ TileCoordinate raster_hilbert(int tile, int rows, int columns) {
  const int band = tile / (Side * columns);
  const int first = band * Side;
  const int high = rows - first < Side ? rows - first : Side;
  int within = tile - first * columns;
  if (band % 2 != 0) within = high * columns - 1 - within;
  const int square = within / (high * Side);
  const int left = square * Side;
  const int in_square = within - left * high;
  if (high < Side || columns - left < Side) return {first + in_square % high, left + in_square / high};
  const TileCoordinate place = hilbert_curve<Side>(in_square);
  return {first + place.row, left + place.column};
}
