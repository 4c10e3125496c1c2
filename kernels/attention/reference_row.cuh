#pragma once
// What the references of attention and its relatives share: rows of weights, their sums, what they make of V, and the
// logarithms of the sums, by the definition. No kernel includes it, so that no mistake is shared.
//
// A block of kThreads has up to kTogether rows that see keys of one head: each thread reads its keys once for all of
// them. A Row says which keys its query sees:
//   q, depth                      the query, and how many numbers it has (at most kMostDepth)
//   keys, visible, begin          how many keys there are; of the first `visible` it sees those from `begin` on
//   of_key(K, key), of_value(V, key)   row of K, of V
//   shares_keys(other)            whether the keys of another row are its own
//   score(dot, size)              the score of a key, and the size of its rounding error
#include "attention/reference_dot.cuh"

// W of docs/tolerance.md: what rounding weights to 16 bits (or to e4m3, times 256) does, in units of 4 u; below
// kSmallest their error is absolute.
#if DTYPE_BF16
constexpr ACC kRounded = 6 * 8192, kSmallest = 0;
#elif DTYPE_FP16
constexpr ACC kRounded = 6 * 1024, kSmallest = 1.0 / 16384;
#elif DTYPE_E4M3
constexpr ACC kRounded = 6 * 262144, kSmallest = 1.0 / 16384;
#else
constexpr ACC kRounded = 0, kSmallest = 0;
#endif

struct Sum {
  static __device__ __forceinline__ ACC join(ACC a, ACC b) { return a + b; }
};
struct Largest {  // passes over NaN, which poisons the sum
  static __device__ __forceinline__ ACC join(ACC a, ACC b) { return a < b || a != a ? b : a; }
};

/// Combined over the block's threads; every thread gets the result.
template <typename How>
__device__ __forceinline__ ACC over_block(ACC own) {
  __shared__ ACC partial[kThreads];
  __syncthreads();  // an earlier result may still be read
  partial[threadIdx.x] = own;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = How::join(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  return partial[0];
}

/// The rows that a block has at a time; of those behind the first `count` nothing is used.
template <typename Row>
struct Rows {
  Row row[kTogether];
  int count;
  int begin, visible;  // no row sees keys before or beyond; begin is a multiple of kThreads

  /// The first rows of `here` that share their keys. Their queries go to shared memory.
  template <typename RowAt>
  __device__ __forceinline__ Rows(RowAt row_at, long long place, long long here) : count(1) {
#pragma unroll
    for (int r = 0; r < kTogether; ++r) row[r] = row_at(place + (r < here ? r : 0));
#pragma unroll
    for (int r = 1; r < kTogether; ++r) count += count == r && r < here && row[r].shares_keys(row[0]);
    begin = row[0].begin, visible = 0;
    __syncthreads();  // earlier queries may still be read
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      if (r == count) break;
      begin = begin < row[r].begin ? begin : row[r].begin;
      visible = visible < row[r].visible ? row[r].visible : visible;
      for (int d = threadIdx.x; d < row[r].depth; d += kThreads) shared_queries()[r][d] = to_float(row[r].q[d]);
    }
    begin = begin / kThreads * kThreads;
    __syncthreads();
  }

  /// Scores of a key, and the sizes of their rounding errors; -inf and 0 where a row does not see it.
  __device__ __forceinline__ void scores(const DTYPE* K, int key, ACC (&score)[kTogether],
                                         ACC (&size)[kTogether]) const {
    Dot dots[kTogether];
    multiply(count, row[0].of_key(K, key), row[0].depth, dots);
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      if (r == count) break;
      size[r] = 0;
      const bool sees = row[r].begin <= key && key < row[r].visible;
      score[r] = sees ? row[r].score(dots[r], size[r]) : -ACC(__int_as_float(0x7f800000));
    }
  }

  /// The largest score of each; 0 where there is none above -inf.
  __device__ __forceinline__ void largest_scores(const DTYPE* K, ACC (&most)[kTogether]) const {
    const ACC infinite = ACC(__int_as_float(0x7f800000));
    ACC score[kTogether], size[kTogether];
#pragma unroll
    for (int r = 0; r < kTogether; ++r) most[r] = -infinite;
    for (int key = begin + threadIdx.x; key < visible; key += kThreads) {
      scores(K, key, score, size);
#pragma unroll
      for (int r = 0; r < kTogether; ++r) {
        if (r == count) break;
        most[r] = Largest::join(most[r], score[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      if (r == count) break;
      most[r] = over_block<Largest>(most[r]);
      if (most[r] == -infinite) most[r] = 0;
    }
  }
};

/// Calls done(rows, first) for the rows of every place that is this block's: `first` and those that follow it.
template <typename RowAt, typename Done>
__device__ __forceinline__ void for_rows(long long count, RowAt row_at, Done done) {
  using Row = decltype(row_at(0LL));
  for (long long first = static_cast<long long>(blockIdx.x) * kTogether; first < count;
       first += static_cast<long long>(gridDim.x) * kTogether) {
    const long long end = first + kTogether < count ? first + kTogether : count;
    for (long long place = first; place < end;) {
      const Rows<Row> rows(row_at, place, end - place);
      done(rows, place);
      place += rows.count;
    }
  }
}

/// Of scores that can be as low as they are.
__device__ __forceinline__ ACC no_floor() { return -ACC(__int_as_float(0x7f800000)); }

/// What a column of a row of O adds up: p v, p |v| w, squared roundings, and p v of those whose weights are all the same,
/// and so are their roundings.
struct Column {
  ACC output = 0, magnitudes = 0, squares = 0, same = 0;
  __device__ __forceinline__ void add(ACC p, ACC w, bool is_same, ACC v) {
    const ACC term = p * v;
    output += term;
    if (is_same) same += term;
    magnitudes += fabs(term) * w;
    const ACC rounded = p == 0 ? ACC(0) : (p + kSmallest) * v;
    squares += rounded * rounded;
  }
};

/// Rows of O, of `depth` numbers as those of V, and the sizes of the errors of each of them, times `factor`. `floor`: what
/// scores cannot be below, so that of many keys they are that; -inf: nothing.
template <typename Row>
__device__ __forceinline__ void rows_of_output(const Rows<Row>& rows, const DTYPE* K, const DTYPE* V, int depth,
                                               ACC factor, ACC floor, ACC* value, ACC* scale) {
  constexpr ACC kSame = 1.0 / 256;  // weights that differ by less are rounded alike
  __shared__ ACC weights[kTogether][kThreads], sizes[kTogether][kThreads];
  __shared__ bool at_floor[kTogether][kThreads];
  const int d = static_cast<int>(threadIdx.x);
  ACC largest[kTogether];
  rows.largest_scores(K, largest);
  ACC sum[kTogether] = {}, reach[kTogether] = {};  // of p, of p w: each thread's own keys
  Column column[kTogether];
  for (int first = rows.begin; first < rows.visible; first += kThreads) {
    ACC score[kTogether], size[kTogether];
    if (first + d < rows.visible) rows.scores(K, first + d, score, size);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      if (r == rows.count) break;
      ACC p = 0, w = 0;
      if (first + d < rows.row[r].visible) {
        p = exp(score[r] - largest[r]);
        if (p != 0) w = 1 + (largest[r] - score[r]) + sqrt(ACC(rows.row[r].keys)) + size[r];
      }
      weights[r][d] = p, sizes[r][d] = w, at_floor[r][d] = p != 0 && score[r] - floor < kSame;
      sum[r] += p, reach[r] += p * w;
    }
    __syncthreads();
    if (d >= depth) continue;
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      if (r == rows.count) break;
      const int left = rows.row[r].visible - first, here = left < kThreads ? left : kThreads;
      for (int j = 0; j < here; ++j)
        column[r].add(weights[r][j], sizes[r][j], at_floor[r][j], to_float(rows.row[0].of_value(V, first + j)[d]));
    }
  }
#pragma unroll
  for (int r = 0; r < kTogether; ++r) {
    if (r == rows.count) break;
    const ACC all = over_block<Sum>(sum[r]), reached = over_block<Sum>(reach[r]);
    if (d >= depth) continue;
    const Column& own = column[r];
    const ACC output = all == 0 ? ACC(0) : own.output / all;
    value[r * depth + d] = factor * output;
    const ACC rounded = kRounded * (sqrt(own.squares) + fabs(own.same) / 6);
    const ACC error = own.magnitudes + fabs(output) * reached + rounded;
    scale[r * depth + d] = all == 0 ? ACC(0) : fabs(factor) * error / all;
  }
}

/// The logarithms of the sums of exponentials, and the sizes of their errors; -inf and 0 where no key is seen.
template <typename Row>
__device__ __forceinline__ void rows_of_lse(const Rows<Row>& rows, const DTYPE* K, ACC* value, ACC* scale) {
  ACC largest[kTogether];
  rows.largest_scores(K, largest);
  ACC sum[kTogether] = {}, reach[kTogether] = {};
  for (int key = rows.begin + threadIdx.x; key < rows.visible; key += kThreads) {
    ACC score[kTogether], size[kTogether];
    rows.scores(K, key, score, size);
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      if (r == rows.count) break;
      const ACC p = exp(score[r] - largest[r]);
      sum[r] += p;
      if (p != 0) reach[r] += p * (largest[r] - score[r] + size[r]);
    }
  }
#pragma unroll
  for (int r = 0; r < kTogether; ++r) {
    if (r == rows.count) break;
    const ACC all = over_block<Sum>(sum[r]), reached = over_block<Sum>(reach[r]);
    if (threadIdx.x != 0) continue;
    value[r] = all == 0 ? -ACC(__int_as_float(0x7f800000)) : largest[r] + log(all);
    scale[r] = all == 0 ? ACC(0) : 1 + log(all) + fabs(largest[r]) + sqrt(ACC(rows.row[r].keys)) / 2 + reached / all;
  }
}
