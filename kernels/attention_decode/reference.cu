// What O and LSE should be, by the definition: first the largest score of a row, then exponentials of what is below it.
// One block of 256 threads per row; place j < count is row index[j], or row j when index is null. Any grid. Nothing is
// shared with the kernels, so that no mistake is.
#include "attention/reference_row.cuh"

/// Head h of query i of sequence b, and the first so many keys of it that the query sees.
struct Row {
  const DTYPE* q;
  const int* pages;  // of the sequence; none where its keys follow one another
  int b, kv_head, kv_heads, keys, depth, page, visible;

  __device__ __forceinline__ Row(const DTYPE* Q, const int* length, const int* table, int b, int i, int h, int heads,
                                 int kv_heads, int queries, int keys, int depth, int page)
      : q(Q + ((static_cast<long long>(b) * queries + i) * heads + h) * depth),
        pages(PAGED ? table + static_cast<long long>(b) * ((keys + page - 1) / page) : nullptr),
        b(b),
        kv_head(h / (heads / kv_heads)),
        kv_heads(kv_heads),
        keys(keys),
        depth(depth),
        page(page),
        visible(length[b] - (queries - 1 - i)) {}

  __device__ __forceinline__ const DTYPE* of(const DTYPE* tensor, int key) const {
    const long long row = pages == nullptr ? static_cast<long long>(b) * keys + key
                                           : static_cast<long long>(pages[key / page]) * page + key % page;
    return tensor + (row * kv_heads + kv_head) * depth;
  }

  __device__ __forceinline__ const DTYPE* of_value(const DTYPE* V, int key) const { return of(V, key); }

  /// Score of a key, and the size of its rounding error: sqrt(depth) / 2 (|s| + 2 sqrt(sum of the squared terms)).
  __device__ __forceinline__ ACC score(const DTYPE* K, int key, ACC& size) const {
    const DTYPE* k = of(K, key);
    ACC sum = 0, squares = 0;
    for (int d = 0; d < depth; ++d) {
      const ACC term = ACC(to_float(q[d])) * ACC(to_float(k[d]));
      sum += term;
      squares += term * term;
    }
    size = fabs(sum) / 2 + sqrt(squares);
    return sum / sqrt(ACC(depth));
  }
};

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_output(const DTYPE* Q, const DTYPE* K, const DTYPE* V, const int* length, const int* table, int heads,
                     int kv_heads, int queries, int keys, int depth, int page, const long long* index, long long count,
                     ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long at = index == nullptr ? place : index[place];
    const int h = static_cast<int>(at % heads), i = static_cast<int>(at / heads % queries);
    const int b = static_cast<int>(at / heads / queries);
    const Row row(Q, length, table, b, i, h, heads, kv_heads, queries, keys, depth, page);
    row_of_output(row, K, V, depth, value + place * depth, scale + place * depth);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_lse(const DTYPE* Q, const DTYPE* K, const int* length, const int* table, int heads, int kv_heads, int queries,
                  int keys, int depth, int page, const long long* index, long long count, ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long at = index == nullptr ? place : index[place];
    const int i = static_cast<int>(at % queries), h = static_cast<int>(at / queries % heads);
    const int b = static_cast<int>(at / queries / heads);
    const Row row(Q, length, table, b, i, h, heads, kv_heads, queries, keys, depth, page);
    row_of_lse(row, K, value + place, scale + place);
  }
}
