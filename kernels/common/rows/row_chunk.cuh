#pragma once
// Vec elements of a row as they move: one load or store of at most 16 bytes. They stay as they lie in memory, 16-bit types
// two to a register, and are converted where they are used. Every function is one thread's own.
//
// A row that is read in chunks begins at a multiple of them: N % Vec == 0, and tensors begin at multiples of 16 bytes.
#include "common/rows/row_math.cuh"

/// How 16-bit types lie in a register.
template <typename T> struct Halves {
  static __device__ __forceinline__ float low(unsigned int word) { return to_float(T{static_cast<unsigned short>(word)}); }
  static __device__ __forceinline__ float high(unsigned int word) {
    return to_float(T{static_cast<unsigned short>(word >> 16)});
  }
};
template <> struct Halves<bf16_t> {  // the upper half of an fp32: one instruction each
  static __device__ __forceinline__ float low(unsigned int word) { return float_from_bits(word << 16); }
  static __device__ __forceinline__ float high(unsigned int word) { return float_from_bits(word & 0xffff0000U); }
};

/// 16-bit types, an even number of them.
template <typename T, int Vec> struct RowChunk {
  struct alignas(Vec * sizeof(T)) Words { unsigned int at[Vec / 2]; } words;

  template <typename Visit> __device__ __forceinline__ void each(Visit visit) const {
#pragma unroll
    for (int w = 0; w < Vec / 2; ++w) {
      visit(2 * w, Halves<T>::low(words.at[w]));
      visit(2 * w + 1, Halves<T>::high(words.at[w]));
    }
  }
  /// Element e becomes value(e), rounded once.
  template <typename Value> __device__ __forceinline__ void set(Value value) {
#pragma unroll
    for (int w = 0; w < Vec / 2; ++w) words.at[w] = pack_pair<T>(value(2 * w), value(2 * w + 1));
  }
};
template <int Vec> struct RowChunk<float, Vec> {
  struct alignas(Vec * 4) Words { float at[Vec]; } words;

  template <typename Visit> __device__ __forceinline__ void each(Visit visit) const {
#pragma unroll
    for (int e = 0; e < Vec; ++e) visit(e, words.at[e]);
  }
  template <typename Value> __device__ __forceinline__ void set(Value value) {
#pragma unroll
    for (int e = 0; e < Vec; ++e) words.at[e] = value(e);
  }
};
/// One element: any row takes it.
template <typename T> struct RowChunk<T, 1> {
  T word;

  template <typename Visit> __device__ __forceinline__ void each(Visit visit) const { visit(0, to_float(word)); }
  template <typename Value> __device__ __forceinline__ void set(Value value) { word = from_float<T>(value(0)); }
};
template <> struct RowChunk<float, 1> {
  float word;

  template <typename Visit> __device__ __forceinline__ void each(Visit visit) const { visit(0, word); }
  template <typename Value> __device__ __forceinline__ void set(Value value) { word = value(0); }
};
