#pragma once
// A consumer's accumulators to D. EPILOGUE 0: through shared memory and TMA, in epilogue stages as large as one box of
// the map of D: OUT_ROWS rows of OUT_WIDTH bytes, swizzled by OUT_WIDTH bytes so that neither side has bank conflicts.
// Of two one is written while the other is stored. Each warp has two of its own, and waits for nobody else; with
// SWAP_AB, where a warp has but 16 columns of D, the four warps of a consumer share theirs. EPILOGUE 1: from the
// registers.
#include "common/sm90/accumulator.cuh"
#include "common/sm90/named_barrier.cuh"
#include "common/sm90/stmatrix.cuh"
#include "epilogue.cuh"
#include "sm90_tile.cuh"

constexpr int kOutColumns = OUT_WIDTH / OUT_BYTES;
constexpr int kOutStageBytes = OUT_WIDTH * OUT_ROWS;
constexpr int kOutStages = 2;                 // of who stores together
constexpr int kStorers = SWAP_AB ? 128 : 32;  // threads
constexpr int kOutBytesOfConsumer = kOutStages * kOutStageBytes * (128 / kStorers);

/// Address of the 16-byte chunk `chunk` of a row of an epilogue stage. TMA swizzles by address: PTX ISA, "Tensor
/// swizzle modes"; a stage is aligned to eight times OUT_WIDTH.
__device__ __forceinline__ unsigned in_out_stage(unsigned stage, int row, int chunk) {
  const unsigned at = row * OUT_WIDTH + chunk * 16;
  return stage + (at ^ (at >> 3 & (OUT_WIDTH - 16)));
}

/// One element of D, finished but not yet rounded to D's type; outside D anything.
__device__ __forceinline__ Accumulator finish_at(const Epilogue& epilogue, int m, int n, int M, Accumulator accumulator) {
  Added bias = {}, c = {};
  const bool inside = m < M && n < epilogue.N;
  if (BIAS && n < epilogue.N) bias = epilogue.bias[n];
  if (epilogue.beta != Accumulator(0) && inside) c = epilogue.C[static_cast<long long>(m) * epilogue.N + n];
  return epilogue.unrounded(m, n, accumulator, bias, c);
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

/// 64 rows of wgmma from the registers.
__device__ __forceinline__ void write_from_registers(const Accumulator (&accumulators)[kColumns / 2], int m0, int n0,
                                                     int M, const Epilogue& epilogue) {
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i) {
    const Element at(m0, n0, i / 4 * 8, i % 4);
    if (at.m < M && at.n < epilogue.N) epilogue(at.m, at.n, accumulators[i]);
  }
}

/// Accumulators to one epilogue stage, or, with SWAP_AB and elements of 4 bytes, the two of 64 columns of D. `column`:
/// of wgmma, the first.
__device__ __forceinline__ void fill_out_stage(const Accumulator (&accumulators)[kColumns / 2], unsigned stage,
                                               int column, int m0, int n0, int M, const Epilogue& epilogue) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) % 128 / 32;
  constexpr int kWidth = SWAP_AB ? OUT_ROWS : kOutColumns;  // columns of wgmma
#if OUT_BYTES == 2
#pragma unroll
  for (int j = 0; j < kWidth / 16; ++j) {
    unsigned words[4];
#pragma unroll
    for (int word = 0; word < 4; ++word) {  // rows 0 .. 7 and 8 .. 15 of the first 8 columns, then of the next
      const int eight = column / 8 + j * 2 + word / 2;
      Accumulator two[2];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const Element at(m0, n0, eight * 8, word % 2 * 2 + e);
        two[e] = finish_at(epilogue, at.m, at.n, M, accumulators[eight * 4 + word % 2 * 2 + e]);
      }
      words[word] = pack_two<Out>(two[0], two[1]);  // one instruction for both
    }
    if (SWAP_AB)
      stmatrix_x4_trans(in_out_stage(stage, j * 16 + lane / 16 * 8 + lane % 8, warp * 2 + lane / 8 % 2), words[0],
                        words[1], words[2], words[3]);
    else
      stmatrix_x4(in_out_stage(stage, lane % 16, j * 2 + lane / 16), words[0], words[1], words[2], words[3]);
  }
#else
#pragma unroll
  for (int j = 0; j < kWidth / 8; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int eight = column / 8 + j;
      const Element at(m0, n0, eight * 8, e);
      const Out out = from_sum(finish_at(epilogue, at.m, at.n, M, accumulators[eight * 4 + e]));
      const int row = SWAP_AB ? j * 8 + lane % 4 * 2 + e % 2 : lane / 4 + e / 2 * 8;
      const int across = SWAP_AB ? warp % 2 * 16 + lane / 4 + e / 2 * 8 : j * 8 + lane % 4 * 2 + e % 2;
      const unsigned to =
          in_out_stage(stage + (SWAP_AB ? warp / 2 * kOutStageBytes : 0), row, across / 4) + across % 4 * 4;
      asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(*reinterpret_cast<const unsigned*>(&out)) : "memory");
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
      for (int box = 0; box < kTogether; ++box)
        TmaStore::store(map, stage + box * kOutStageBytes, n + box * kOutColumns, m, static_cast<int>(blockIdx.z));
      tma_store_commit();
    }
  }
}
__device__ __forceinline__ void wait_for_stores() {
  if (EPILOGUE == 0 && threadIdx.x % kStorers == 0) tma_store_wait_read<0>();
}
