// What O and LSE should be, by the definition; see attention/reference_row.cuh. A block of 256 threads for a few rows;
// place j < count is row index[j], or row j when index is null. Any grid. Rows of O are counted by place and head,
// those of LSE by head and place. Nothing is shared with the kernels, so that no mistake is.
#include "attention/reference_row.cuh"

/// A query, and the keys of its sequence that it sees.
struct Row {
  const DTYPE* q;
  int keys, visible;   // of its sequence; of these the first so many
  int first, kv_head;  // where the sequence's keys begin; whose they are
  int kv_heads, depth, begin = 0;

  Row() = default;
  /// Place `place` of all queries; head h.
  __device__ __forceinline__ Row(const DTYPE* Q, const int* query_offsets, const int* key_offsets, int batch, int place,
                                 int h, int heads, int of_keys, int of_depth)
      : q(Q + (static_cast<long long>(place) * heads + h) * of_depth),
        kv_head(h / (heads / of_keys)),
        kv_heads(of_keys),
        depth(of_depth) {
    int b = 0;  // the first sequence that ends behind the place, by bisection: there may be thousands
    for (int end = batch - 1; b < end;) {
      const int middle = b + (end - b) / 2;
      if (place >= query_offsets[middle + 1])
        b = middle + 1;
      else
        end = middle;
    }
    first = key_offsets[b], keys = key_offsets[b + 1] - first;
    const int unseen = CAUSAL ? query_offsets[b + 1] - 1 - place : 0;  // the last query sees all keys
    visible = unseen < keys ? keys - unseen : 0;
  }
  __device__ __forceinline__ const DTYPE* at(const DTYPE* tensor, int key) const {
    return tensor + (static_cast<long long>(first + key) * kv_heads + kv_head) * depth;
  }
  __device__ __forceinline__ const DTYPE* of_key(const DTYPE* K, int key) const { return at(K, key); }
  __device__ __forceinline__ const DTYPE* of_value(const DTYPE* V, int key) const { return at(V, key); }
  __device__ __forceinline__ bool shares_keys(const Row& other) const {
    return first == other.first && keys == other.keys && kv_head == other.kv_head;
  }

  /// Score of a key, and the size of its rounding error: sqrt(depth) / 2 (|s| + 2 sqrt(sum of the squared terms)).
  __device__ __forceinline__ ACC score(const Dot& dot, ACC& size) const {
    size = fabs(dot.sum) / 2 + sqrt(dot.squares);
    return dot.sum / sqrt(ACC(depth));
  }
};

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    reference_output(const DTYPE* Q, const DTYPE* K, const DTYPE* V, const int* query_offsets, const int* key_offsets,
                     int batch, int heads, int kv_heads, int depth, const long long* index, long long count, ACC* value,
                     ACC* scale) {
  const auto row_at_place = [&](long long place) {
    const long long row = index == nullptr ? place : index[place];
    const int at = static_cast<int>(row / heads), h = static_cast<int>(row % heads);
    return Row(Q, query_offsets, key_offsets, batch, at, h, heads, kv_heads, depth);
  };
  for_rows(count, row_at_place, [&](const Rows<Row>& rows, long long place) {
    rows_of_output(rows, K, V, depth, ACC(1), no_floor(), value + place * depth, scale + place * depth);
  });
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_lse(const DTYPE* Q, const DTYPE* K, const int* query_offsets, const int* key_offsets, int batch,
                  int heads, int kv_heads, int queries, int depth, const long long* index, long long count, ACC* value,
                  ACC* scale) {
  const auto row_at_place = [&](long long place) {
    const long long row = index == nullptr ? place : index[place];
    const int at = static_cast<int>(row % queries), h = static_cast<int>(row / queries);
    return Row(Q, query_offsets, key_offsets, batch, at, h, heads, kv_heads, depth);
  };
  for_rows(count, row_at_place,
           [&](const Rows<Row>& rows, long long place) { rows_of_lse(rows, K, value + place, scale + place); });
}
