// What O and LSE should be, by the definition; see attention/reference_row.cuh. One block of 256 threads per row; place
// j < count is row index[j], or row j when index is null. Any grid. Rows of O are counted by place and head, those of
// LSE by head and place. Nothing is shared with the kernels, so that no mistake is.
#include "attention/reference_row.cuh"

/// The query of this block's row.
__device__ __forceinline__ ACC* shared_query() {
  __shared__ ACC query[256];
  return query;
}

/// A query, and the keys of its sequence that it sees.
struct Row {
  int keys, visible;       // of its sequence; of these the first so many
  int first, kv_head;      // where the sequence's keys begin; whose they are
  int kv_heads, depth;

  /// Place `place` of all queries; head h.
  __device__ __forceinline__ Row(const DTYPE* Q, const int* query_offsets, const int* key_offsets, int batch, int place,
                                 int h, int heads, int of_keys, int of_depth)
      : kv_head(h / (heads / of_keys)), kv_heads(of_keys), depth(of_depth) {
    int b = 0;
    while (b < batch - 1 && place >= query_offsets[b + 1]) ++b;
    first = key_offsets[b], keys = key_offsets[b + 1] - first;
    const int unseen = CAUSAL ? query_offsets[b + 1] - 1 - place : 0;  // the last query sees all keys
    visible = unseen < keys ? keys - unseen : 0;
    const DTYPE* q = Q + (static_cast<long long>(place) * heads + h) * depth;
    ACC* query = shared_query();
    __syncthreads();
    for (int d = threadIdx.x; d < depth; d += kThreads) query[d] = to_float(q[d]);
    __syncthreads();
  }
  __device__ __forceinline__ const DTYPE* at(const DTYPE* tensor, int key) const {
    return tensor + (static_cast<long long>(first + key) * kv_heads + kv_head) * depth;
  }
  __device__ __forceinline__ const DTYPE* of_value(const DTYPE* V, int key) const { return at(V, key); }

  /// Score of a key, and the size of its rounding error: sqrt(depth) / 2 (|s| + 2 sqrt(sum of the squared terms)).
  __device__ __forceinline__ ACC score(const DTYPE* K, int key, ACC& size) const {
    const DTYPE* k = at(K, key);
    const ACC* query = shared_query();
    ACC sum = 0, squares = 0;
    for (int d = 0; d < depth; ++d) {
      const ACC term = query[d] * ACC(to_float(k[d]));
      sum += term;
      squares += term * term;
    }
    size = fabs(sum) / 2 + sqrt(squares);
    return sum / sqrt(ACC(depth));
  }
};

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_output(const DTYPE* Q, const DTYPE* K, const DTYPE* V, const int* query_offsets, const int* key_offsets,
                     int batch, int heads, int kv_heads, int depth, const long long* index, long long count, ACC* value,
                     ACC* scale) {
  for (long long at = blockIdx.x; at < count; at += gridDim.x) {
    const long long row = index == nullptr ? at : index[at];
    const int place = static_cast<int>(row / heads), h = static_cast<int>(row % heads);
    row_of_output(Row(Q, query_offsets, key_offsets, batch, place, h, heads, kv_heads, depth), K, V, depth,
                  value + at * depth, scale + at * depth);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_lse(const DTYPE* Q, const DTYPE* K, const int* query_offsets, const int* key_offsets, int batch, int heads,
                  int kv_heads, int queries, int depth, const long long* index, long long count, ACC* value, ACC* scale) {
  for (long long at = blockIdx.x; at < count; at += gridDim.x) {
    const long long row = index == nullptr ? at : index[at];
    const int place = static_cast<int>(row % queries), h = static_cast<int>(row / queries);
    row_of_lse(Row(Q, query_offsets, key_offsets, batch, place, h, heads, kv_heads, depth), K, value + at, scale + at);
  }
}
