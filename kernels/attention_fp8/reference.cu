// What O and LSE should be, by the definition; see attention/reference_row.cuh. A block of 256 threads for a few rows;
// place j < count is row index[j], or row j when index is null. Any grid. Rows of O are counted as they lie in memory
// (`layout`), those of LSE by batch, head and query. Nothing is shared with the kernels, so that no mistake is.
#include "attention/reference_row.cuh"

/// Number 0 of a row: of place `place` of head `head` of sequence b.
__device__ __forceinline__ const DTYPE* row_at(const DTYPE* tensor, long long b, int head, int heads, int place,
                                               int places, int depth) {
  const long long row = BSHD ? (b * places + place) * heads + head : (b * heads + head) * places + place;
  return tensor + row * depth;
}

/// Query i of head h of sequence b, and the keys that it sees.
struct Row {
  const DTYPE* q;
  int b, kv_head, kv_heads, keys, visible, depth, begin = 0;
  ACC factor;  // of q k

  Row() = default;
  __device__ __forceinline__ Row(const DTYPE* Q, int of_batch, int h, int i, int heads, int of_keys, int queries,
                                 int all_keys, int of_depth, ACC scale)
      : q(row_at(Q, of_batch, h, heads, i, queries, of_depth)),
        b(of_batch),
        kv_head(h / (heads / of_keys)),
        kv_heads(of_keys),
        keys(all_keys),
        depth(of_depth) {
    factor = scale / sqrt(ACC(depth));
    const int unseen = CAUSAL ? queries - 1 - i : 0;  // the last query sees all keys
    visible = unseen < keys ? keys - unseen : 0;
  }
  __device__ __forceinline__ const DTYPE* of_key(const DTYPE* K, int key) const {
    return row_at(K, b, kv_head, kv_heads, key, keys, depth);
  }
  __device__ __forceinline__ const DTYPE* of_value(const DTYPE* V, int key) const {
    return row_at(V, b, kv_head, kv_heads, key, keys, depth);
  }

  __device__ __forceinline__ bool shares_keys(const Row& other) const {
    return b == other.b && kv_head == other.kv_head;
  }

  /// Score of a key, and the size of its rounding error: sqrt(depth) / 2 (|s| + 2 sqrt(sum of the squared terms)).
  __device__ __forceinline__ ACC score(const Dot& dot, ACC& size) const {
    size = fabs(factor) * sqrt(ACC(depth)) * (fabs(dot.sum) / 2 + sqrt(dot.squares));
    return dot.sum * factor;
  }
};

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    reference_output(const DTYPE* Q, const DTYPE* K, const DTYPE* V, int heads, int kv_heads, int queries, int keys,
                     int depth, float q_scale, float k_scale, float v_scale, const long long* index, long long count,
                     ACC* value, ACC* scale) {
  const auto row_at_place = [&](long long place) {
    long long rest = index == nullptr ? place : index[place];
    const int inner = static_cast<int>(rest % (BSHD ? heads : queries));
    rest /= BSHD ? heads : queries;
    const int outer = static_cast<int>(rest % (BSHD ? queries : heads));
    const int b = static_cast<int>(rest / (BSHD ? queries : heads));
    const int h = BSHD ? inner : outer, i = BSHD ? outer : inner;
    return Row(Q, b, h, i, heads, kv_heads, queries, keys, depth, ACC(q_scale) * ACC(k_scale));
  };
  for_rows(count, row_at_place, [&](const Rows<Row>& rows, long long place) {
    rows_of_output(rows, K, V, depth, ACC(v_scale), no_floor(), value + place * depth, scale + place * depth);
  });
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_lse(const DTYPE* Q, const DTYPE* K, int heads, int kv_heads, int queries, int keys, int depth,
                  float q_scale, float k_scale, const long long* index, long long count, ACC* value, ACC* scale) {
  const auto row_at_place = [&](long long place) {
    const long long at = index == nullptr ? place : index[place];
    const int i = static_cast<int>(at % queries), z = static_cast<int>(at / queries);
    return Row(Q, z / heads, z % heads, i, heads, kv_heads, queries, keys, depth, ACC(q_scale) * ACC(k_scale));
  };
  for_rows(count, row_at_place,
           [&](const Rows<Row>& rows, long long place) { rows_of_lse(rows, K, value + place, scale + place); });
}
