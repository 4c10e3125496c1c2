#pragma once
// Where the keys and values of one head of a sequence lie. PAGED is the problem's flag.

struct Cache {
  const int* table;  // of this sequence
  int b, kv_head, kv_heads, keys, depth, page;

  __device__ __forceinline__ Cache(const int* all_tables, int b, int kv_head, int kv_heads, int keys, int depth, int page)
      : table(all_tables + static_cast<long long>(b) * ((keys + page - 1) / page)),
        b(b),
        kv_head(kv_head),
        kv_heads(kv_heads),
        keys(keys),
        depth(depth),
        page(page) {}
  /// The page of key `key`; where there are none the sequence itself is the one page.
  __device__ __forceinline__ int page_of(int key) const { return PAGED ? table[key / page] : b; }
  /// Elements before key `key`, which is in page `of` of the cache.
  __device__ __forceinline__ long long offset(int of, int key) const {
    const long long row = PAGED ? static_cast<long long>(of) * page + key % page : static_cast<long long>(of) * keys + key;
    return (row * kv_heads + kv_head) * depth;
  }
};
