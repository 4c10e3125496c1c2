// What O and LSE should be, by the definition: first the largest score of a row, then exponentials of what is below it.
// A block of 256 threads for a few rows; place j < count is row index[j], or row j when index is null. Any grid.
// Nothing is shared with the kernels, so that no mistake is.
#include "attention/reference_row.cuh"

/// Head h of query i of sequence b, and the first so many keys of it that the query sees.
struct Row {
  const DTYPE* q;
  const int* pages;  // of the sequence; none where its keys follow one another
  int b, kv_head, kv_heads, keys, depth, page, visible, begin = 0;

  Row() = default;
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

  __device__ __forceinline__ const DTYPE* of_key(const DTYPE* K, int key) const { return of(K, key); }
  __device__ __forceinline__ const DTYPE* of_value(const DTYPE* V, int key) const { return of(V, key); }
  __device__ __forceinline__ bool shares_keys(const Row& other) const {
    return b == other.b && kv_head == other.kv_head;
  }

  /// Score of a key, and the size of its rounding error: sqrt(depth) / 2 (|s| + 2 sqrt(sum of the squared terms)).
  __device__ __forceinline__ ACC score(const Dot& dot, ACC& size) const {
    size = fabs(dot.sum) / 2 + sqrt(dot.squares);
    return dot.sum / sqrt(ACC(depth));
  }
};

extern "C" __global__ void __launch_bounds__(kThreads, 2)
    reference_output(const DTYPE* Q, const DTYPE* K, const DTYPE* V, const int* length, const int* table, int heads,
                     int kv_heads, int queries, int keys, int depth, int page, const long long* index, long long count,
                     ACC* value, ACC* scale) {
  const auto row_at_place = [&](long long place) {
    const long long at = index == nullptr ? place : index[place];
    const int h = static_cast<int>(at % heads), i = static_cast<int>(at / heads % queries);
    const int b = static_cast<int>(at / heads / queries);
    return Row(Q, length, table, b, i, h, heads, kv_heads, queries, keys, depth, page);
  };
  for_rows(count, row_at_place, [&](const Rows<Row>& rows, long long place) {
    rows_of_output(rows, K, V, depth, ACC(1), no_floor(), value + place * depth, scale + place * depth);
  });
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_lse(const DTYPE* Q, const DTYPE* K, const int* length, const int* table, int heads, int kv_heads,
                  int queries, int keys, int depth, int page, const long long* index, long long count, ACC* value,
                  ACC* scale) {
  const auto row_at_place = [&](long long place) {
    const long long at = index == nullptr ? place : index[place];
    const int i = static_cast<int>(at % queries), h = static_cast<int>(at / queries % heads);
    const int b = static_cast<int>(at / queries / heads);
    return Row(Q, length, table, b, i, h, heads, kv_heads, queries, keys, depth, page);
  };
  for_rows(count, row_at_place,
           [&](const Rows<Row>& rows, long long place) { rows_of_lse(rows, K, value + place, scale + place); });
}
