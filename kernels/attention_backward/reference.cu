// What dQ, dK and dV should be, by the definition (family.toml): each a sum of rows, with weights of pairs of a query
// and a key. One block of 256 threads per row; place j < count is row index[j], or row j when index is null. Any grid.
// Rows are counted as they lie in memory (`layout`). Nothing is shared with the kernels, so that no mistake is.
#include "attention/reference_row.cuh"

/// A row of Q or K by its number in memory: sequence, head, place.
struct Place {
  int b, head, at;
  __device__ __forceinline__ Place(long long row, int heads, int places) {
    const int inner = static_cast<int>(row % (BSHD ? heads : places));
    row /= BSHD ? heads : places;
    const int outer = static_cast<int>(row % (BSHD ? places : heads));
    b = static_cast<int>(row / (BSHD ? places : heads));
    head = BSHD ? inner : outer, at = BSHD ? outer : inner;
  }
};

struct Sizes {
  int heads, kv_heads, queries, keys, depth;
  /// Number 0 of a row of Q, O or dO; of K or V.
  __device__ __forceinline__ const DTYPE* query(const DTYPE* tensor, int b, int head, int i) const {
    return at(tensor, b, head, heads, i, queries);
  }
  __device__ __forceinline__ const DTYPE* key(const DTYPE* tensor, int b, int head, int j) const {
    return at(tensor, b, head, kv_heads, j, keys);
  }
  /// How many keys query i sees. Under the causal mask the last sees all, the one before all but one, and so on.
  __device__ __forceinline__ int visible(int i) const {
    const int unseen = CAUSAL ? queries - 1 - i : 0;
    return unseen < keys ? keys - unseen : 0;
  }
  /// The first of them, of a window.
  __device__ __forceinline__ int begin(int i) const {
    return WINDOW > 0 && visible(i) > WINDOW ? visible(i) - WINDOW : 0;
  }

 private:
  __device__ __forceinline__ const DTYPE* at(const DTYPE* tensor, int b, int head, int of, int place,
                                             int places) const {
    const long long row = BSHD ? (static_cast<long long>(b) * places + place) * of + head
                               : (static_cast<long long>(b) * of + head) * places + place;
    return tensor + row * depth;
  }
};

/// A product of two rows, and the size of its rounding error: sqrt(depth) / 2 (|a b| + 2 sqrt(sum of the squared
/// terms)). Numbers are read 16 bytes at a time where both rows are aligned.
struct Product {
  Dot dot;
  ACC sum, size;
  __device__ __forceinline__ Product(const DTYPE* a, const DTYPE* b, int depth) {
    const int wide = is_aligned_for<Quad>(a) && is_aligned_for<Quad>(b) ? depth / Quad::kCount * Quad::kCount : 0;
    for (int first = 0; first < wide; first += Quad::kCount) {
      const Quad left = *reinterpret_cast<const Quad*>(a + first), right = *reinterpret_cast<const Quad*>(b + first);
#pragma unroll
      for (int e = 0; e < Quad::kCount; ++e) dot.add(left.get(e), right.get(e));
    }
    for (int d = wide; d < depth; ++d) dot.add(to_float(a[d]), to_float(b[d]));
    sum = dot.sum;
    size = sqrt(ACC(depth)) * (fabs(sum) / 2 + sqrt(dot.squares));
  }
};

/// What a pair gives: p and ds, and the sizes of their errors.
struct Pair {
  ACC p, ds, p_size = 0, ds_size = 0;
  __device__ __forceinline__ Pair(const DTYPE* q, const DTYPE* k, const DTYPE* v, const DTYPE* g, const Product& delta,
                                  float lse, int depth) {
    const Product score(q, k, depth), product(g, v, depth);
    const ACC root = sqrt(ACC(depth)), infinite = ACC(__int_as_float(0x7f800000));
    const ACC base = ACC(lse) == -infinite ? infinite : ACC(lse);  // a row that sees nothing has no weights
    const ACC below = score.sum / root - base, difference = product.sum - delta.sum;
    p = exp(below);
    ds = p * difference;
    if (p == 0) return;
    p_size = p * (1 + fabs(below) + fabs(base) + score.size / root);
    ds_size = fabs(ds) + p_size * fabs(difference) + p * (product.size + delta.size);
  }
};

/// One term of a sum of rows: a weight, the size of its error, and the row.
struct Term {
  ACC weight, size;
  const DTYPE* row;
};

/// factor times the sum of `count` terms, and the sizes of the errors.
template <typename TermAt>
__device__ __forceinline__ void sum_of_rows(int count, TermAt term_at, ACC factor, int depth, ACC* value, ACC* scale) {
  __shared__ Term terms[kThreads];
  const int d = static_cast<int>(threadIdx.x);
  const ACC root = sqrt(ACC(count));
  ACC sum = 0, sizes = 0, squares = 0;
  for (int first = 0; first < count; first += kThreads) {
    const int here = count - first < kThreads ? count - first : kThreads;
    __syncthreads();
    if (d < here) terms[d] = term_at(first + d);
    __syncthreads();
    if (d >= depth) continue;
    for (int t = 0; t < here; ++t) {
      const Term& term = terms[t];
      const ACC x = to_float(term.row[d]), weight = fabs(term.weight);
      sum += term.weight * x;
      sizes += fabs(x) * (term.size + root * weight);
      const ACC rounded = weight == 0 ? ACC(0) : (weight + kSmallest) * x;
      squares += rounded * rounded;
    }
  }
  __syncthreads();
  if (d >= depth) return;
  value[d] = factor * sum;
  // Tensor cores truncate: of so long a sum that has its sign, and grows with its length (docs/tolerance.md, "dot and sum").
  const ACC truncated = kRounded > 0 ? ACC(count) / 16 * (3 * fabs(sum) + sqrt(squares)) : ACC(0);
  scale[d] = fabs(value[d]) + factor * (sizes + kRounded * sqrt(squares) + truncated);
}

/// A row of dK or dV: the sum over the queries of all heads that share the key, from the first that sees it to the
/// last.
template <typename TermOf>
__device__ __forceinline__ void sum_over_queries(const Sizes& sizes, const Place& key, const DTYPE* Q, const DTYPE* K,
                                                 const DTYPE* V, const DTYPE* O, const DTYPE* dO, const float* LSE,
                                                 TermOf term_of, ACC factor, ACC* value, ACC* scale) {
  const int group = sizes.heads / sizes.kv_heads;
  int first = 0;
  while (first < sizes.queries && sizes.visible(first) <= key.at) ++first;
  int end = first;
  while (end < sizes.queries && sizes.begin(end) <= key.at) ++end;
  const int each = end - first;
  const DTYPE *k = sizes.key(K, key.b, key.head, key.at), *v = sizes.key(V, key.b, key.head, key.at);
  sum_of_rows(
      group * each,
      [&](int t) {
        const int h = key.head * group + t / each, i = first + t % each;
        const DTYPE *q = sizes.query(Q, key.b, h, i), *g = sizes.query(dO, key.b, h, i);
        const float lse = LSE[(static_cast<long long>(key.b) * sizes.heads + h) * sizes.queries + i];
        const Product delta(g, sizes.query(O, key.b, h, i), sizes.depth);
        return term_of(Pair(q, k, v, g, delta, lse, sizes.depth), q, g);
      },
      factor, sizes.depth, value, scale);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_query(const DTYPE* Q, const DTYPE* K, const DTYPE* V, const DTYPE* O, const DTYPE* dO, const float* LSE,
                    int heads, int kv_heads, int queries, int keys, int depth, const long long* index, long long count,
                    ACC* value, ACC* scale) {
  const Sizes sizes = {heads, kv_heads, queries, keys, depth};
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const Place query(index == nullptr ? place : index[place], heads, queries);
    const int kv_head = query.head / (heads / kv_heads);
    const DTYPE *q = sizes.query(Q, query.b, query.head, query.at), *g = sizes.query(dO, query.b, query.head, query.at);
    const Product delta(g, sizes.query(O, query.b, query.head, query.at), depth);
    const float lse = LSE[(static_cast<long long>(query.b) * heads + query.head) * queries + query.at];
    const int begin = sizes.begin(query.at);
    sum_of_rows(
        sizes.visible(query.at) - begin,
        [&](int t) {
          const int j = begin + t;
          const DTYPE *k = sizes.key(K, query.b, kv_head, j), *v = sizes.key(V, query.b, kv_head, j);
          const Pair pair(q, k, v, g, delta, lse, depth);
          return Term{pair.ds, pair.ds_size, k};
        },
        1 / sqrt(ACC(depth)), depth, value + place * depth, scale + place * depth);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_key(const DTYPE* Q, const DTYPE* K, const DTYPE* V, const DTYPE* O, const DTYPE* dO, const float* LSE,
                  int heads, int kv_heads, int queries, int keys, int depth, const long long* index, long long count,
                  ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x)
    sum_over_queries(
        {heads, kv_heads, queries, keys, depth}, Place(index == nullptr ? place : index[place], kv_heads, keys), Q, K,
        V, O, dO, LSE,
        [](const Pair& pair, const DTYPE* q, const DTYPE*) {
          return Term{pair.ds, pair.ds_size, q};
        },
        1 / sqrt(ACC(depth)), value + place * depth, scale + place * depth);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    reference_value(const DTYPE* Q, const DTYPE* K, const DTYPE* V, const DTYPE* O, const DTYPE* dO, const float* LSE,
                    int heads, int kv_heads, int queries, int keys, int depth, const long long* index, long long count,
                    ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x)
    sum_over_queries(
        {heads, kv_heads, queries, keys, depth}, Place(index == nullptr ? place : index[place], kv_heads, keys), Q, K,
        V, O, dO, LSE,
        [](const Pair& pair, const DTYPE*, const DTYPE* g) {
          return Term{pair.p, pair.p_size, g};
        },
        ACC(1), value + place * depth, scale + place * depth);
}
