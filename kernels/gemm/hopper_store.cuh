#pragma once
// A consumer's sums to D. EPILOGUE 0: through shared memory and the copy engine, in slabs as large as one box of the
// map of D: SLAB_ROWS rows of SLAB bytes, swizzled by SLAB bytes so that neither side has bank conflicts. Of two slabs
// one is written while the other is stored. Each warp has its own two, and waits for nobody else; with SWAP, where a
// warp has but 16 columns of D, the four warps of a consumer share theirs. EPILOGUE 1: from the registers.
#include "epilogue.cuh"
#include "hopper_tile.cuh"
#include "matrix_store.cuh"

constexpr int kSlabColumns = SLAB / OUT_BYTES;
constexpr int kSlabBytes = SLAB * SLAB_ROWS;
constexpr int kSlabs = 2;                  // of who stores together
constexpr int kStorers = SWAP ? 128 : 32;  // threads
constexpr int kSlabsOfConsumer = kSlabs * kSlabBytes * (128 / kStorers);

/// Address of 16-byte piece `piece` of a row of a slab. The copy engine swizzles by address: PTX ISA, "Tensor swizzle
/// modes"; a slab is aligned to eight times SLAB.
__device__ __forceinline__ unsigned in_slab(unsigned slab, int row, int piece) {
  const unsigned at = row * SLAB + piece * 16;
  return slab + (at ^ (at >> 3 & (SLAB - 16)));
}

/// One element of D, finished; outside D anything.
__device__ __forceinline__ Out finish_at(const Epilogue& epilogue, int m, int n, int M, Sum sum) {
  Added bias = {}, c = {};
  const bool inside = m < M && n < epilogue.N;
  if (BIAS && n < epilogue.N) bias = epilogue.bias[n];
  if (epilogue.beta != Sum(0) && inside) c = epilogue.C[static_cast<long long>(m) * epilogue.N + n];
  return epilogue.finish(m, n, sum, bias, c);
}

/// Which element of D a thread's sum `e` (0 to 3) of eight columns of wgmma is: of a piece of 64 rows of wgmma.
struct Element {
  int m, n;
  __device__ __forceinline__ Element(int m0, int n0, int column, int e) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
    const int along_rows = thread / 32 * 16 + thread % 32 / 4 + e / 2 * 8;
    const int along_columns = column + thread % 4 * 2 + e % 2;
    m = m0 + (SWAP ? along_columns : along_rows);
    n = n0 + (SWAP ? along_rows : along_columns);
  }
};

/// The 64 rows of wgmma whose first element of D is at (m0, n0), from the registers.
__device__ __forceinline__ void write_piece(const Sum (&sums)[kColumns / 2], int m0, int n0, int M,
                                            const Epilogue& epilogue) {
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i) {
    const Element at(m0, n0, i / 4 * 8, i % 4);
    if (at.m < M && at.n < epilogue.N) epilogue(at.m, at.n, sums[i]);
  }
}

/// Sums to one slab, or, with SWAP and elements of 4 bytes, the two of 64 columns of D. `column`: of wgmma, the first.
__device__ __forceinline__ void fill_slab(const Sum (&sums)[kColumns / 2], unsigned slab, int column, int m0, int n0,
                                          int M, const Epilogue& epilogue) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) % 128 / 32;
  constexpr int kWidth = SWAP ? SLAB_ROWS : kSlabColumns;  // columns of wgmma
#if OUT_BYTES == 2
#pragma unroll
  for (int j = 0; j < kWidth / 16; ++j) {
    unsigned words[4];
#pragma unroll
    for (int word = 0; word < 4; ++word) {  // rows 0 .. 7 and 8 .. 15 of the first 8 columns, then of the next
      const int eight = column / 8 + j * 2 + word / 2;
      Out two[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const Element at(m0, n0, eight * 8, word % 2 * 2 + e);
        two[e] = finish_at(epilogue, at.m, at.n, M, sums[eight * 4 + word % 2 * 2 + e]);
      }
      words[word] = two[0].bits | static_cast<unsigned>(two[1].bits) << 16;
    }
    if (SWAP)
      store_turned(in_slab(slab, j * 16 + lane / 16 * 8 + lane % 8, warp * 2 + lane / 8 % 2), words[0], words[1],
                   words[2], words[3]);
    else
      store_matrices(in_slab(slab, lane % 16, j * 2 + lane / 16), words[0], words[1], words[2], words[3]);
  }
#else
#pragma unroll
  for (int j = 0; j < kWidth / 8; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int eight = column / 8 + j;
      const Element at(m0, n0, eight * 8, e);
      const Out out = finish_at(epilogue, at.m, at.n, M, sums[eight * 4 + e]);
      const int row = SWAP ? j * 8 + lane % 4 * 2 + e % 2 : lane / 4 + e / 2 * 8;
      const int across = SWAP ? warp % 2 * 16 + lane / 4 + e / 2 * 8 : j * 8 + lane % 4 * 2 + e % 2;
      store_word(in_slab(slab + (SWAP ? warp / 2 * kSlabBytes : 0), row, across / 4) + across % 4 * 4,
                 *reinterpret_cast<const unsigned*>(&out));
    }
#endif
}

/// The threads that store together; `barrier`: of the consumer.
__device__ __forceinline__ void sync_storers(int barrier) {
  if (kStorers == 32)
    __syncwarp();
  else
    sync_threads(barrier, kStorers);
}

/// The 64 rows of wgmma whose first element of D is at (m0, n0), through the slabs of this consumer. `barrier`: its
/// named barrier. The caller waits for the last stores (stores_read) before it exits.
__device__ __forceinline__ void store_piece(const Sum (&sums)[kColumns / 2], unsigned slabs, int barrier,
                                            const TensorMap& map, int m0, int n0, int M, const Epilogue& epilogue) {
  constexpr int kTogether = SWAP && OUT_BYTES == 4 ? 2 : 1;  // slabs filled at once
  constexpr int kWidth = SWAP ? SLAB_ROWS : kSlabColumns;
  constexpr int kFills = kColumns / kWidth;
  // Slabs are used in turn. Where a call does not end with the last of them, the next begins with one stored just now.
  constexpr int kGroups = kSlabs / kTogether;
  constexpr int kStillRead = kFills % kGroups == 0 ? kGroups - 1 : 0;
  const int storer = static_cast<int>(threadIdx.x) % 128 / kStorers;
  const bool stores = threadIdx.x % kStorers == 0;
#pragma unroll
  for (int fill = 0; fill < kFills; ++fill) {
    const unsigned slab = slabs + (storer * kSlabs + fill * kTogether % kSlabs) * kSlabBytes;
    if (stores) wait_stores_read<kStillRead>();
    sync_storers(barrier);  // the slab is free
    fill_slab(sums, slab, fill * kWidth, m0, n0, M, epilogue);
    fence_for_async();
    sync_storers(barrier);  // the slab is whole
    if (stores) {
      const int m = m0 + (SWAP ? fill * kWidth : storer * 16), n = n0 + (SWAP ? 0 : fill * kWidth);
#pragma unroll
      for (int box = 0; box < kTogether; ++box)
        store_box(map, n + box * kSlabColumns, m, static_cast<int>(blockIdx.z), slab + box * kSlabBytes);
      commit_stores();
    }
  }
}
__device__ __forceinline__ void stores_read() {
  if (EPILOGUE == 0 && threadIdx.x % kStorers == 0) wait_stores_read<0>();
}
