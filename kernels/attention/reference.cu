// What O and LSE should be, by the definition: first the largest score of a row, then exponentials of what is below it.
// A block of 256 threads for a few rows; place j < count is row index[j], or row j when index is null. Any grid. Rows
// of O are counted as they lie in memory (`layout`), those of LSE by batch, head and query. Nothing is shared with the
// kernels (problem.cuh), so that no mistake is.
#include "reference_row.cuh"

/// Number 0 of a row: of place `place` of head `head` of sequence b.
__device__ __forceinline__ const DTYPE* row_at(const DTYPE* tensor, long long b, int head, int heads, int place,
                                               int places, int depth) {
  const long long row = BSHD ? (b * places + place) * heads + head : (b * heads + head) * places + place;
  return tensor + row * depth;
}

/// A query, the head of a sequence whose keys (or values) it meets, and those of them that it sees.
struct Row {
  const DTYPE* q;
  int b, kv_head, kv_heads, keys, visible, begin;
  int depth, v_depth;  // numbers of a key, of a value
  ACC root_depth, softcap;

  __device__ __forceinline__ const DTYPE* of_key(const DTYPE* K, int key) const {
    return row_at(K, b, kv_head, kv_heads, key, keys, depth);
  }
  __device__ __forceinline__ const DTYPE* of_value(const DTYPE* V, int key) const {
    return row_at(V, b, kv_head, kv_heads, key, keys, v_depth);
  }
  __device__ __forceinline__ bool shares_keys(const Row& other) const {
    return b == other.b && kv_head == other.kv_head;
  }

  /// Score of a key, and the size of its rounding error: sqrt(depth) / 2 (|s| + 2 sqrt(sum of the squared terms)).
  __device__ __forceinline__ ACC score(const Dot& dot, ACC& size) const {
    size = fabs(dot.sum) / 2 + sqrt(dot.squares);
    if (!SOFTCAP) return dot.sum / root_depth;
    const ACC capped = tanh(dot.sum / root_depth / softcap);  // rounded at 1; an infinite score is the cap itself
    size = 2 * fabs(softcap) + (fabs(capped) == 1 ? ACC(0) : (1 - capped * capped) * size);
    return softcap * capped;
  }
};

/// Query i of head h of sequence b. Under the causal mask the last query sees all keys, the one before all but one, and
/// so on.
__device__ __forceinline__ Row row_of(const DTYPE* Q, int b, int h, int i, int heads, int kv_heads, int queries,
                                      int keys, int depth, int v_depth, float softcap) {
  const int unseen = CAUSAL ? queries - 1 - i : 0;
  const int visible = unseen < keys ? keys - unseen : 0;
  const int begin = WINDOW > 0 && visible > WINDOW ? visible - WINDOW : 0;
  return {row_at(Q, b, h, heads, i, queries, depth),
          b,
          h / (heads / kv_heads),
          kv_heads,
          keys,
          visible,
          begin,
          depth,
          v_depth,
          sqrt(ACC(depth)),
          softcap};
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    reference_output(const DTYPE* Q, const DTYPE* K, const DTYPE* V, int heads, int kv_heads, int queries, int keys,
                     int depth, int v_depth, float softcap, const long long* index, long long count, ACC* value,
                     ACC* scale) {
  const auto row_at_place = [&](long long place) {
    long long rest = index == nullptr ? place : index[place];
    const int inner = static_cast<int>(rest % (BSHD ? heads : queries));
    rest /= BSHD ? heads : queries;
    const int outer = static_cast<int>(rest % (BSHD ? queries : heads));
    const int b = static_cast<int>(rest / (BSHD ? queries : heads));
    const int h = BSHD ? inner : outer, i = BSHD ? outer : inner;
    return row_of(Q, b, h, i, heads, kv_heads, queries, keys, depth, v_depth, softcap);
  };
  for_rows(count, row_at_place, [&](const Rows<Row>& rows, long long place) {
    rows_of_output(rows, K, V, v_depth, ACC(1), SOFTCAP ? -fabs(ACC(softcap)) : no_floor(), value + place * v_depth, scale + place * v_depth);
  });
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_lse(const DTYPE* Q, const DTYPE* K, int heads, int kv_heads, int queries, int keys, int depth,
                  float softcap, const long long* index, long long count, ACC* value, ACC* scale) {
  const auto row_at_place = [&](long long place) {
    const long long at = index == nullptr ? place : index[place];
    const int i = static_cast<int>(at % queries), z = static_cast<int>(at / queries);
    return row_of(Q, z / heads, z % heads, i, heads, kv_heads, queries, keys, depth, depth, softcap);
  };
  for_rows(count, row_at_place,
           [&](const Rows<Row>& rows, long long place) { rows_of_lse(rows, K, value + place, scale + place); });
}
