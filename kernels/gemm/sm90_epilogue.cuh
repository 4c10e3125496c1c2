#pragma once
// A consumer's accumulators to D, through shared memory and TMA, in epilogue stages as large as one box of the map of D:
// OUT_ROWS rows of OUT_WIDTH bytes, swizzled by OUT_WIDTH bytes so that neither side has bank conflicts. Of two one is
// written while the other is stored. Each warp has two of its own, and waits for nobody else; with SWAP_AB, where a warp
// has but 16 columns of D, the four warps of a consumer share theirs. With C_BY_TMA a stage holds the box of C first:
// each thread finds what it needs where it will write (sm90_c_boxes.cuh).
#include "common/sm80/ldmatrix.cuh"
#include "common/sm90/accumulator.cuh"
#include "common/sm90/named_barrier.cuh"
#include "common/sm90/stmatrix.cuh"
#include "epilogue.cuh"
#include "sm90_tile.cuh"

#ifndef C_BY_TMA  // kernels that read C themselves
#define C_BY_TMA 0
#define OUT_STAGES 2
#endif

constexpr int kOutColumns = OUT_WIDTH / OUT_BYTES;
constexpr int kOutStageBytes = OUT_WIDTH * OUT_ROWS;
constexpr int kOutStages = OUT_STAGES;        // of who stores together
constexpr int kStorers = SWAP_AB ? 128 : 32;  // threads
constexpr int kOutBytesOfConsumer = kOutStages * kOutStageBytes * (128 / kStorers);

/// Address of the 16-byte chunk `chunk` of a row of an epilogue stage. TMA swizzles by address: PTX ISA, "Tensor
/// swizzle modes"; a stage is aligned to eight times OUT_WIDTH.
__device__ __forceinline__ unsigned in_out_stage(unsigned stage, int row, int chunk) {
  const unsigned at = row * OUT_WIDTH + chunk * 16;
  return stage + (at ^ (at >> 3 & (OUT_WIDTH - 16)));
}

/// Two elements of D, finished but not yet rounded to D's type: at (m, n) and beside it, or, with SWAP_AB, below it.
/// Outside D anything. `c`: with C_BY_TMA, of C; else they are read here.
__device__ __forceinline__ Vector<Accumulator, 2> finish_two(const Epilogue& epilogue, int m, int n, int M,
                                                             Accumulator first, Accumulator second,
                                                             Vector<Added, 2> c) {
  constexpr int kDown = SWAP_AB, kAcross = !SWAP_AB;
  Vector<Added, 2> bias = {};
  const int N = epilogue.N;
  if (BIAS) {
    if (n < N) bias.at[0] = epilogue.bias[n];
    if (n + kAcross < N) bias.at[1] = epilogue.bias[n + kAcross];
  }
  if (!C_BY_TMA && epilogue.beta != Accumulator(0) && m < M && n < N) {
    const Added* at = epilogue.C + static_cast<long long>(m) * N + n;
    c.at[0] = at[0];
    if (SWAP_AB ? m + 1 < M : n + 1 < N) c.at[1] = at[SWAP_AB ? N : 1];
  }
  return {epilogue.unrounded(m, n, first, bias.at[0], c.at[0]),
          epilogue.unrounded(m + kDown, n + kAcross, second, bias.at[1], c.at[1])};
}

/// Which element of D a thread's accumulator `e` (0 to 3) of eight columns of wgmma is: of 64 rows of wgmma whose first
/// element of D is (m0, n0).
struct Element {
  int m, n;
  __device__ __forceinline__ Element(int m0, int n0, int column, int e) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
    const int along_rows = thread / 32 * 16 + thread % 32 / 4 + e / 2 * 8;
    const int along_columns = column + thread % 4 * 2 + e % 2;
    m = m0 + (SWAP_AB ? along_columns : along_rows);
    n = n0 + (SWAP_AB ? along_rows : along_columns);
  }
};

/// Rounded to D's type; two e4m3 by one instruction.
__device__ __forceinline__ auto round_two(const Vector<Accumulator, 2>& two) {
#if OUT_BYTES == 1
  unsigned short both;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(two.at[1]), "f"(two.at[0]));
  return both;
#else
  return Vector<Out, 2>{from_accumulator(two.at[0]), from_accumulator(two.at[1])};
#endif
}

/// 2, 4 or 8 bytes to shared memory.
template <typename T>
__device__ __forceinline__ void store_shared(unsigned to, const T& value) {
  if constexpr (sizeof(T) == 8) {
    const uint2 words = *reinterpret_cast<const uint2*>(&value);
    asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(words.x), "r"(words.y) : "memory");
  } else if constexpr (sizeof(T) == 4) {
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(*reinterpret_cast<const unsigned*>(&value)) : "memory");
  } else {
    asm volatile("st.shared.b16 [%0], %1;" ::"r"(to), "h"(*reinterpret_cast<const unsigned short*>(&value)) : "memory");
  }
}

#if C_BY_TMA
/// Two neighbours of C of 4 bytes each.
__device__ __forceinline__ Vector<Added, 2> load_shared_two(unsigned from) {
  uint2 words;
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(words.x), "=r"(words.y) : "r"(from) : "memory");
  return *reinterpret_cast<const Vector<Added, 2>*>(&words);
}
#endif

/// Accumulators to one epilogue stage, or, with SWAP_AB and elements of 4 bytes, the two of 64 columns of D. `column`:
/// of wgmma, the first.
__device__ __forceinline__ void fill_out_stage(const Accumulator (&accumulators)[kColumns / 2], unsigned stage,
                                               int column, int m0, int n0, int M, const Epilogue& epilogue) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  [[maybe_unused]] const int warp = static_cast<int>(threadIdx.x) % 128 / 32;
  constexpr int kWidth = SWAP_AB ? OUT_ROWS : kOutColumns;  // columns of wgmma
#if OUT_BYTES == 2
#pragma unroll
  for (int j = 0; j < kWidth / 16; ++j) {
    const unsigned chunks = SWAP_AB ? in_out_stage(stage, j * 16 + lane / 16 * 8 + lane % 8, warp * 2 + lane / 8 % 2)
                                    : in_out_stage(stage, lane % 16, j * 2 + lane / 16);
    unsigned words[4], c_words[4] = {};
    if (C_BY_TMA && SWAP_AB) sm80::ldmatrix_x4_trans(c_words, chunks);
    if (C_BY_TMA && !SWAP_AB) sm80::ldmatrix_x4(c_words, chunks);
#pragma unroll
    for (int word = 0; word < 4; ++word) {  // rows 0 .. 7 and 8 .. 15 of the first 8 columns, then of the next
      const int eight = column / 8 + j * 2 + word / 2;
      const int first = eight * 4 + word % 2 * 2;
      const Element at(m0, n0, eight * 8, word % 2 * 2);
      const auto c = *reinterpret_cast<const Vector<Added, 2>*>(&c_words[word]);
      const auto two = finish_two(epilogue, at.m, at.n, M, accumulators[first], accumulators[first + 1], c);
      words[word] = pack_two<Out>(two.at[0], two.at[1]);  // one instruction for both
    }
    if (SWAP_AB)
      stmatrix_x4_trans(chunks, words[0], words[1], words[2], words[3]);
    else
      stmatrix_x4(chunks, words[0], words[1], words[2], words[3]);
  }
#else
#pragma unroll
  for (int j = 0; j < kWidth / 8; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half) {  // two elements of wgmma's row lane / 4 or lane / 4 + 8
      const int first = (column / 8 + j) * 4 + half * 2;
      const Element at(m0, n0, column + j * 8, half * 2);
      [[maybe_unused]] const int byte = (j * 8 + lane % 4 * 2) * OUT_BYTES;
      Vector<Added, 2> c = {};
#if C_BY_TMA
      c = load_shared_two(in_out_stage(stage, lane / 4 + half * 8, byte / 16) + byte % 16);
#endif
      const auto finished = finish_two(epilogue, at.m, at.n, M, accumulators[first], accumulators[first + 1], c);
      const auto two = round_two(finished);
#if SWAP_AB  // they belong to two rows of D
      const int across = warp % 2 * 16 + lane / 4 + half * 8;
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int row = j * 8 + lane % 4 * 2 + e;
        store_shared(in_out_stage(stage + warp / 2 * kOutStageBytes, row, across / 4) + across % 4 * 4, two.at[e]);
      }
#else
      store_shared(in_out_stage(stage, lane / 4 + half * 8, byte / 16) + byte % 16, two);
#endif
    }
#endif
}

/// The threads that store together; `barrier`: of the consumer.
__device__ __forceinline__ void sync_storers(int barrier) {
  if (kStorers == 32)
    __syncwarp();
  else
    NamedBarrier{barrier, kStorers}.sync();
}

/// One thread: an epilogue stage to D. Nobody reads D again here: with L2_HINTS it is the first to leave L2.
__device__ __forceinline__ void store_box(const TensorMap& map, unsigned stage, int n, int m) {
  const int z = static_cast<int>(blockIdx.z);
#if L2_HINTS
  TmaStore::store(CachePolicy::evict_first(), map, stage, n, m, z);
#else
  TmaStore::store(map, stage, n, m, z);
#endif
}

/// 64 rows of wgmma whose first element of D is at (m0, n0), through the epilogue stages of this consumer. `barrier`:
/// its named barrier. The caller waits for the last stores (wait_for_stores) before it exits.
__device__ __forceinline__ void store_by_tma(const Accumulator (&accumulators)[kColumns / 2], unsigned out_stages,
                                             int barrier, const TensorMap& map, int m0, int n0, int M,
                                             const Epilogue& epilogue) {
  constexpr int kTogether = SWAP_AB && OUT_BYTES == 4 ? 2 : 1;  // stages filled at once
  constexpr int kWidth = SWAP_AB ? OUT_ROWS : kOutColumns;
  constexpr int kFills = kColumns / kWidth;
  // Stages alternate. Where a call does not end with the last of them, the next begins with one stored just now.
  constexpr int kGroups = kOutStages / kTogether;
  constexpr int kStillRead = kFills % kGroups == 0 ? kGroups - 1 : 0;
  const int storer = static_cast<int>(threadIdx.x) % 128 / kStorers;
  const bool stores = threadIdx.x % kStorers == 0;
#pragma unroll
  for (int fill = 0; fill < kFills; ++fill) {
    const unsigned stage = out_stages + (storer * kOutStages + fill * kTogether % kOutStages) * kOutStageBytes;
    if (stores) tma_store_wait_read<kStillRead>();
    sync_storers(barrier);  // the stage is free
    fill_out_stage(accumulators, stage, fill * kWidth, m0, n0, M, epilogue);
    fence_proxy_async();
    sync_storers(barrier);  // the stage is whole
    if (stores) {
      const int m = m0 + (SWAP_AB ? fill * kWidth : storer * 16), n = n0 + (SWAP_AB ? 0 : fill * kWidth);
#pragma unroll
      for (int box = 0; box < kTogether; ++box) store_box(map, stage + box * kOutStageBytes, n + box * kOutColumns, m);
      tma_store_commit();
    }
  }
}
__device__ __forceinline__ void wait_for_stores() {
  if (threadIdx.x % kStorers == 0) tma_store_wait_read<0>();
}
