// What O and LSE should be, by the definition: first the largest score of a row, then exponentials of what is below it.
// One block of 256 threads per row; place j < count is row index[j], or row j when index is null. Any grid. Rows of O
// are counted as they lie in memory (`layout`), those of LSE by batch, head and query. Nothing is shared with the
// kernels (problem.cuh), so that no mistake is.
#include "reference_row.cuh"

/// The query of this block's row.
__device__ __forceinline__ ACC* shared_query() {
  __shared__ ACC query[256];
  return query;
}

/// Number 0 of a row: of place `place` of head `head` of sequence b.
__device__ __forceinline__ const DTYPE* row_at(const DTYPE* tensor, long long b, int head, int heads, int place,
                                               int places, int depth) {
  const long long row = BSHD ? (b * places + place) * heads + head : (b * heads + head) * places + place;
  return tensor + row * depth;
}

/// The head of a sequence whose keys (or values) a query meets, and the first so many of them that it sees.
struct Row {
  int b, kv_head, kv_heads, keys, visible, begin;  // of the first `visible` keys it sees those from `begin` on
  int depth, v_depth;                              // numbers of a key, of a value
  ACC root_depth, softcap;

  __device__ __forceinline__ const DTYPE* of_value(const DTYPE* V, int key) const {
    return row_at(V, b, kv_head, kv_heads, key, keys, v_depth);
  }

  /// Score of a key, and the size of its rounding error: sqrt(depth) / 2 (|s| + 2 sqrt(sum of the squared terms)).
  __device__ __forceinline__ ACC score(const DTYPE* K, int key, ACC& size) const {
    if (key < begin) {
      size = 0;
      return -ACC(__int_as_float(0x7f800000));
    }
    const DTYPE* k = row_at(K, b, kv_head, kv_heads, key, keys, depth);
    const ACC* query = shared_query();
    ACC sum = 0, squares = 0;
    for (int d = 0; d < depth; ++d) {
      const ACC term = query[d] * ACC(to_float(k[d]));
      sum += term;
      squares += term * term;
    }
    size = (fabs(sum) / 2 + sqrt(squares));
    if (!SOFTCAP) return sum / root_depth;
    const ACC capped = tanh(sum / root_depth / softcap);  // rounded at 1; an infinite score is the cap itself
    size = 2 * fabs(softcap) + (fabs(capped) == 1 ? ACC(0) : (1 - capped * capped) * size);
    return softcap * capped;
  }
};

/// Query i of head h of sequence b; its numbers go to shared memory. Under the causal mask the last query sees all
/// keys, the one before all but one, and so on.
__device__ __forceinline__ Row row_of(const DTYPE* Q, int b, int h, int i, int heads, int kv_heads, int queries,
                                      int keys, int depth, int v_depth, float softcap) {
  ACC* query = shared_query();
  const DTYPE* q = row_at(Q, b, h, heads, i, queries, depth);
  __syncthreads();
  for (int d = threadIdx.x; d < depth; d += kThreads) query[d] = to_float(q[d]);
  __syncthreads();
  const int unseen = CAUSAL ? queries - 1 - i : 0;
  const int visible = unseen < keys ? keys - unseen : 0;
  const int begin = WINDOW > 0 && visible > WINDOW ? visible - WINDOW : 0;
  return {b, h / (heads / kv_heads), kv_heads, keys, visible, begin, depth, v_depth, sqrt(ACC(depth)), softcap};
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_output(const DTYPE* Q, const DTYPE* K, const DTYPE* V, int heads, int kv_heads, int queries, int keys,
                     int depth, int v_depth, float softcap, const long long* index, long long count, ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    long long rest = index == nullptr ? place : index[place];
    const int inner = static_cast<int>(rest % (BSHD ? heads : queries));
    rest /= BSHD ? heads : queries;
    const int outer = static_cast<int>(rest % (BSHD ? queries : heads));
    const int b = static_cast<int>(rest / (BSHD ? queries : heads));
    const int h = BSHD ? inner : outer, i = BSHD ? outer : inner;
    const Row row = row_of(Q, b, h, i, heads, kv_heads, queries, keys, depth, v_depth, softcap);
    row_of_output(row, K, V, v_depth, value + place * v_depth, scale + place * v_depth);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_lse(const DTYPE* Q, const DTYPE* K, int heads, int kv_heads, int queries, int keys, int depth,
                  float softcap, const long long* index, long long count, ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long at = index == nullptr ? place : index[place];
    const int i = static_cast<int>(at % queries), z = static_cast<int>(at / queries);
    const Row row = row_of(Q, z / heads, z % heads, i, heads, kv_heads, queries, keys, depth, depth, softcap);
    row_of_lse(row, K, value + place, scale + place);
  }
}
