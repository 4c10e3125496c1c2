#pragma once
// A thread's share of a row that stays in registers: Rounds chunks of Vec elements, Lanes threads to a row. Chunk r of
// lane t is chunk t + r Lanes of the row: neighbouring threads read neighbouring chunks, and all loads of a tile are in
// flight together. Every function is one thread's own: no barrier in any of them.
#include "common/rows/row_chunk.cuh"

template <typename T, int Vec, int Rounds, int Lanes> struct RowTile {
  using Chunk = RowChunk<T, Vec>;
  static constexpr int kElements = Vec * Rounds;
  Chunk chunks[Rounds];

  /// What lies beyond the row's `count` chunks holds `pad`: the neutral element of the statistic to come.
  __device__ __forceinline__ void load(const T* row, int count, int lane, float pad) {
    const Chunk* from = reinterpret_cast<const Chunk*>(row);
#pragma unroll
    for (int r = 0; r < Rounds; ++r) {
      if (lane + r * Lanes < count) chunks[r] = from[lane + r * Lanes];
      else chunks[r].set([&](int) { return pad; });
    }
  }

  /// visit(place, value) for each element, place = 0 .. kElements - 1 in this thread.
  template <typename Visit> __device__ __forceinline__ void each(Visit visit) const {
#pragma unroll
    for (int r = 0; r < Rounds; ++r) chunks[r].each([&](int e, float value) { visit(r * Vec + e, value); });
  }

  /// visit(value, other's value) for each pair of elements, padding included.
  template <typename Visit> __device__ __forceinline__ void each_with(const RowTile& other, Visit visit) const {
#pragma unroll
    for (int r = 0; r < Rounds; ++r) {
      float values[Vec];
      chunks[r].each([&](int e, float value) { values[e] = value; });
      other.chunks[r].each([&](int e, float value) { visit(values[e], value); });
    }
  }

  /// visit(value) for the elements that are the row's: none of the padding.
  template <typename Visit> __device__ __forceinline__ void each_within(int count, int lane, Visit visit) const {
#pragma unroll
    for (int r = 0; r < Rounds; ++r)
      if (lane + r * Lanes < count) chunks[r].each([&](int, float value) { visit(value); });
  }

  /// Stores map(value) at the places of the row.
  template <typename Map> __device__ __forceinline__ void store_map(T* row, int count, int lane, Map map) const {
#pragma unroll
    for (int r = 0; r < Rounds; ++r) {
      const int at = lane + r * Lanes;
      if (at >= count) continue;
      float values[Vec];
      chunks[r].each([&](int e, float value) { values[e] = map(value); });
      put(row, at, values);
    }
  }
  /// Stores map(value, other's value): two tiles of the same places.
  template <typename Map>
  __device__ __forceinline__ void store_map(const RowTile& other, T* row, int count, int lane, Map map) const {
#pragma unroll
    for (int r = 0; r < Rounds; ++r) {
      if (lane + r * Lanes >= count) continue;
      float values[Vec];
      chunks[r].each([&](int e, float value) { values[e] = value; });
      other.chunks[r].each([&](int e, float value) { values[e] = map(values[e], value); });
      put(row, lane + r * Lanes, values);
    }
  }
  /// Stores map(value, first's value) at the places of the row; `first` is a row of as many elements that all rows share.
  template <typename Map>
  __device__ __forceinline__ void store_map(const T* first, T* row, int count, int lane, Map map) const {
#pragma unroll
    for (int r = 0; r < Rounds; ++r) {
      const int at = lane + r * Lanes;
      if (at >= count) continue;
      const Chunk beside = reinterpret_cast<const Chunk*>(first)[at];
      float values[Vec];
      chunks[r].each([&](int e, float value) { values[e] = value; });
      beside.each([&](int e, float value) { values[e] = map(values[e], value); });
      put(row, at, values);
    }
  }
  /// The same with two of them.
  template <typename Map>
  __device__ __forceinline__ void store_map(const T* first, const T* second, T* row, int count, int lane, Map map) const {
#pragma unroll
    for (int r = 0; r < Rounds; ++r) {
      const int at = lane + r * Lanes;
      if (at >= count) continue;
      const Chunk beside = reinterpret_cast<const Chunk*>(first)[at], beyond = reinterpret_cast<const Chunk*>(second)[at];
      float values[Vec], others[Vec];
      chunks[r].each([&](int e, float value) { values[e] = value; });
      beside.each([&](int e, float value) { others[e] = value; });
      beyond.each([&](int e, float value) { values[e] = map(values[e], others[e], value); });
      put(row, at, values);
    }
  }

  /// Stores value(place) at the places of the row.
  template <typename Value> static __device__ __forceinline__ void store(T* row, int count, int lane, Value value) {
    Chunk* to = reinterpret_cast<Chunk*>(row);
#pragma unroll
    for (int r = 0; r < Rounds; ++r) {
      if (lane + r * Lanes >= count) continue;
      Chunk chunk;
      chunk.set([&](int e) { return value(r * Vec + e); });
      to[lane + r * Lanes] = chunk;
    }
  }

 private:
  static __device__ __forceinline__ void put(T* row, int at, const float (&values)[Vec]) {
    Chunk chunk;
    chunk.set([&](int e) { return values[e]; });
    reinterpret_cast<Chunk*>(row)[at] = chunk;
  }
};
