// gemm_sm90_splitk: the GEMM of Hopper for few tiles of D: a long K, or few rows (8 to 128 tokens); every
// multiprocessor multiplies a part of K.
//
// Idea      128 x 128 x 65536 is one tile: its time is that of reading A and B, 33 MB, by all multiprocessors at once,
//           and of what comes before and after. So SLICES blocks share the K of one tile, and their accumulators are
//           added in a fixed order, the same bit for bit from run to run, in two steps:
//           * CLUSTER_K blocks of a cluster multiply consecutive slices and add up over distributed shared memory,
//             each a share of the tile (cluster_reduce.cuh): nothing of it passes through L2. Any number up to 8:
//             16 tiles by 7 blocks have 112 blocks and no workspace; by 8 they have 128, and find 120 multiprocessors.
//           * each share of each cluster goes to a workspace. REDUCE says who adds these up:
//             0  the last of its blocks to come (a counter of arrivals), in order of slice
//             1  three quarters of them: they wait for the last, then each adds a share of the share. Less to read by
//                one block. The others leave, so that blocks that have not begun yet find room: nobody waits for ever
//             2  the same, and nobody counts: each word of the workspace is 0 until it has come (splitk_parts.cuh).
//                Without fence, atomic and the way to a counter and back
//           Partial tiles are as large as the tile, each: smaller tiles have less to add up but read A and B more
//           often. CLUSTER_M x CLUSTER_N tiles of a cluster therefore share the loads of A and B (multicast).
//           SWAP_AB is for few rows, where all of B is read at the speed of memory: wgmma multiplies 64 rows whether
//           there are so many or not, but from 8 columns on. So the operands change places: D^T = B^T A^T. The 64 rows
//           are columns of D, the N of the instruction is BM. Nothing is transposed in memory: wgmma reads either
//           order, and accumulators are written where they belong.
//           PREFETCH asks L2 for a block's whole slice before anything else (l2_prefetch_slice.cuh).
//           One warp loads, STAGES tiles ahead; no barrier of the cluster unless its blocks load for one another.
// Parameters BM, BN tile of D; BK; STAGES; SLICES of K per tile; CLUSTER_K of them, CLUSTER_M x CLUSTER_N tiles, in a
//           cluster; REDUCE; SWAP_AB; BLOCKS_PER_SM for which there must be room; PREFETCH; PROMOTE k after which
//           accumulators of fp8 go to fp32.
// Expects   bf16 or fp16; tf32, int8 in layout nt, fp8 too with SWAP_AB. Rows of A and B of whole 16 bytes.
// Operations (M N K / BN / CLUSTER_N + M N K / BM / CLUSTER_M) global reads; SLICES / CLUSTER_K M N accumulators
// written
//           to L2 and read again, none where that is 1.
// Lacks     slices of unequal length for tiles that almost fill the device (gemm_sm90 with STREAM_K).
// Measured on H200 before it was one kernel, bf16 nn, beside cuBLASLt 13.1's best of 8. REDUCE=1: 128 x 128 x 65536
//   15.3 us, 1.02 times as fast [1.01]; 256 x 256 x 16384 12.5 us, 0.92 [0.90]; 512 x 512 x 8192 16.8 us, 0.85 [0.84];
//   64 x 64 x 131072 14.6 us, 1.19 [1.18]. All four read 17 or 34 MB, which 4.2 TB/s would do in 4 or 8 us: most of the
//   rest is not the reading. SWAP_AB, N x K 4096 x 4096: M = 1 12.4 us, 1.16 [1.13, 1.17]; M = 16 12.5 us, 1.17; M = 64
//   15.4 us, 0.92; M = 128 17.8 us, 0.93. 14336 x 4096: M = 1 31.4 us, 1.06; M = 16 0.99; M = 64 1.01; M = 128 0.88.
//   4096 x 14336: M = 1 31.7 us, 1.01; M = 16 0.99; M = 64 0.95; M = 128 0.97.
#include "common/sm90/cluster_reduce.cuh"
#include "common/sm90/pipeline.cuh"
#include "epilogue.cuh"
#include "sm90_promotion.cuh"
#if PREFETCH
#include "l2_prefetch_slice.cuh"
#endif
#if SLICES > CLUSTER_K  // a tile has several clusters, which add up through L2
#include "common/semaphore.cuh"
#include "splitk_parts.cuh"
#endif

constexpr int kThreads = 128 * CONSUMERS;          // that multiply and add up
constexpr int kTiles = CLUSTER_M * CLUSTER_N;      // of a cluster
constexpr int kPartials = SLICES / CLUSTER_K;      // clusters of a tile; several add up through the workspace
constexpr int kPeers = CLUSTER_M + CLUSTER_N - 1;  // blocks that load something for this one
using State = PipelineState<STAGES>;
using Reduce = ClusterReduce<Accumulator, kAccumulators, CLUSTER_K, kThreads>;

/// STAGES x { tile of A, tile of B }, then what the others of the cluster send.
extern __shared__ __align__(1024) unsigned char shared[];

/// What this block multiplies. blockIdx.x / cluster counts the clusters of these rows, parts of K first.
struct Work {
  int m0, n0;                  // of its tile of D
  int slice;                   // of K
  int first, end;              // stages of k
  long long share;             // which of all shares of all tiles it adds up
  int tile_m, tile_n, part_k;  // its place in the cluster
  unsigned tile;               // of kTiles
  __device__ __forceinline__ explicit Work(int K) {
    const int rank = kTiles * CLUSTER_K == 1 ? 0 : static_cast<int>(cluster_rank());
    const int cluster = static_cast<int>(blockIdx.x) / (kTiles * CLUSTER_K);
    tile_m = rank % CLUSTER_M;
    tile_n = rank / CLUSTER_M % CLUSTER_N;
    tile = static_cast<unsigned>(rank % kTiles);
    part_k = rank / kTiles;
    const int along_n = cluster / kPartials;  // which CLUSTER_M x CLUSTER_N tiles of these rows
    m0 = (static_cast<int>(blockIdx.y) * CLUSTER_M + tile_m) * BM;
    n0 = (along_n * CLUSTER_N + tile_n) * BN;
    slice = cluster % kPartials * CLUSTER_K + part_k;
    const long long stages_of_k = (K - 1) / BK + 1;
    first = static_cast<int>(stages_of_k * slice / SLICES);
    end = static_cast<int>(stages_of_k * (slice + 1) / SLICES);
    const long long rows = (BATCHED ? blockIdx.z * gridDim.y : 0) + blockIdx.y;
    share = (rows * (gridDim.x / (kTiles * SLICES)) + along_n) * (kTiles * CLUSTER_K) + rank;
  }
  /// Rank of the block of this slice whose tile is (m, n) of the cluster.
  __device__ __forceinline__ unsigned rank_of(int m, int n) const {
    return static_cast<unsigned>((part_k * CLUSTER_N + n) * CLUSTER_M + m);
  }
  /// Those whose tile has the same rows, and those of the same columns.
  __device__ __forceinline__ unsigned short same_rows() const {
    unsigned ranks = 0;
    for (int n = 0; n < CLUSTER_N; ++n) ranks |= 1u << rank_of(tile_m, n);
    return static_cast<unsigned short>(ranks);
  }
  __device__ __forceinline__ unsigned short same_columns() const {
    unsigned ranks = 0;
    for (int m = 0; m < CLUSTER_M; ++m) ranks |= 1u << rank_of(m, tile_n);
    return static_cast<unsigned short>(ranks);
  }
  /// Peer i of kPeers: those of the same rows, this block among them, then the others of its columns.
  __device__ __forceinline__ unsigned peer(int i) const {
    if (i < CLUSTER_N) return rank_of(tile_m, i);
    return rank_of(i - CLUSTER_N + (i - CLUSTER_N >= tile_m), tile_n);
  }
};

/// The Count accumulators from number `first` on of a consumer thread (Count: 4, or 1) to D.
template <int Count>
__device__ __forceinline__ void write_accumulators(int first, int thread, const Accumulator* accumulators,
                                                   const Work& work, int M, int N, const Epilogue& epilogue) {
  const int block = first / (kColumns / 2), within = first % (kColumns / 2);
  const int row = thread / 128 * kRows + block * 64 + thread % 128 / 32 * 16 + thread % 32 / 4;  // of wgmma
  const int column = within / 4 * 8 + thread % 4 * 2;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const int e = (Count == 4 ? 0 : within % 4) + i, down = row + e / 2 * 8, across = column + e % 2;
    const int m = work.m0 + (SWAP_AB ? across : down), n = work.n0 + (SWAP_AB ? down : across);
    if (m < M && n < N) epilogue(m, n, accumulators[i]);
  }
}

/// Producer, one thread: loads this block's slice.
__device__ __forceinline__ void load_slice(const Work& work, const TensorMap& map_a, const TensorMap& map_b,
                                           unsigned stages, const Pipeline<STAGES>& pipeline) {
  const unsigned short same_rows = work.same_rows(), same_columns = work.same_columns();
  const int z = static_cast<int>(blockIdx.z);
  State state;
#pragma unroll 1
  for (int i = work.first; i < work.end; ++i) {
    pipeline.acquire(state);
    pipeline.expect(state, kStageBytes);
    const unsigned stage = stages + state.index * kStageBytes;
    Mbarrier& full = pipeline.full[state.index];
    TileA::load_rows<CLUSTER_N>(work.tile_n, same_rows, stage, map_a, full, work.m0, i * BK, z);
    TileB::load_rows<CLUSTER_M>(work.tile_m, same_columns, stage + TileA::kBytes, map_b, full, work.n0, i * BK, z);
    state.advance();
  }
}

/// The products of this block's slice. Nobody waits for the last stages to be empty again, so that no block arrives
/// at one that has ended.
template <typename FactorsOfParts>
__device__ __forceinline__ void multiply_slice(Accumulators& accumulators, const Work& work, unsigned stages,
                                               const Pipeline<STAGES>& pipeline, const FactorsOfParts& scales) {
  const int thread = static_cast<int>(threadIdx.x) % 128, group = static_cast<int>(threadIdx.x) / 128;
  const Operands operands(stages, group * kRows, 0);
  const auto release = [&](int i, int stage) {  // the i of K in it have been multiplied
    if (thread >= kPeers || i + STAGES >= work.end) return;
    if (kPeers == 1)
      pipeline.release(stage);
    else
      pipeline.release_at(stage, work.peer(thread));
  };
  State state;
  int before = 0;
#pragma unroll 1
  for (int i = work.first; i < work.end; ++i) {
    pipeline.wait(state);
#if PROMOTE
    const unsigned stage = stages + state.index * kStageBytes;
    multiply_promoted(accumulators, stage + kMmaTileA, group * kRows, stage + kMmaTileB, i * BK, scales);
    release(i, state.index);
#else
    operands.multiply(accumulators, state.index, false);
    if (i > work.first) {
      wgmma_wait<1>();
      release(i - 1, before);
    }
    before = state.index;
#endif
    state.advance();
  }
  wgmma_wait<0>();
#pragma unroll
  for (int i = 0; i < kBlocks; ++i) wgmma_settle(accumulators[i]);
}

#if SLICES > CLUSTER_K
constexpr int kAdders = REDUCE == 0 ? 1 : kPartials * 3 / 4 < 1 ? 1 : kPartials * 3 / 4;  // clusters of a tile
#if REDUCE == 2
using Parts = ArrivingParts;
#else
using Parts = WrittenParts;
#endif

/// The block wrote its part; `adder`: which of kAdders it would be, if not negative. Whether it is: then all parts have
/// been written.
__device__ __forceinline__ bool all_have_come(unsigned* word, int adder) {
  __shared__ bool all;
  NamedBarrier{1, kThreads}.sync();
  if (threadIdx.x == 0) {
    all = arrive_as_last(word, kPartials);
    if (REDUCE == 1 && adder >= 0 && !all) wait_for_last(word);
  }
  NamedBarrier{1, kThreads}.sync();
  return REDUCE == 0 ? all : adder >= 0;
}

/// This cluster's share of the tile to the workspace; who adds up the shares of all clusters does, and writes D.
__device__ __forceinline__ void reduce_through_l2(const Accumulator (&share)[Reduce::kShare],
                                                  FourAccumulators* workspace, unsigned* words, const Work& work, int M,
                                                  int N, const Epilogue& epilogue) {
  static_assert(Reduce::kShare % 4 == 0, "constraint shares");
  constexpr int kFours = Reduce::kShare / 4 * kThreads;
  const int thread = static_cast<int>(threadIdx.x);
  FourAccumulators* of_share = workspace + work.share * (kPartials * kFours);
  const int part = work.slice / CLUSTER_K;
#pragma unroll
  for (int i = 0; i < Reduce::kShare; i += 4)
    Parts::write(of_share + part * kFours + i / 4 * kThreads + thread,
                 FourAccumulators{share[i], share[i + 1], share[i + 2], share[i + 3]});
  const int adder = REDUCE == 0 ? 0 : part - (kPartials - kAdders);
  if (REDUCE < 2 ? !all_have_come(words + work.share, adder) : adder < 0) return;
  if (REDUCE == 2) NamedBarrier{1, kThreads}.sync();  // nobody multiplies any more: the stages are free
  SplitKParts<kFours, kPartials, kAdders, kThreads, Parts>::add_up(
      of_share, adder, reinterpret_cast<FourAccumulators*>(shared), [&](int four, const FourAccumulators& sum) {
        const int i = four / kThreads * 4;
        if (i < Reduce::size(work.part_k))
          write_accumulators<4>(Reduce::first(work.part_k) + i, four % kThreads, sum.at, work, M, N, epilogue);
      });
}
#endif

extern "C" __global__ void __launch_bounds__(kThreads + 32, BLOCKS_PER_SM)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, const DTYPE* A,
         const DTYPE* B, const Added* __restrict__ bias, const Added* __restrict__ C, Out* __restrict__ D,
         Vector<Accumulator, 4>* partials, Vector<Accumulator, 4>* arriving, unsigned* words, int M, int N, int K,
         float alpha, float beta SCALE_PARAMETERS) {
  __shared__ Mbarrier full[STAGES], empty[STAGES], sent;
  const Pipeline<STAGES> pipeline{full, empty};
  const unsigned stages = shared_address(shared);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == kThreads) {
    prefetch_tensor_map(map_a);
    prefetch_tensor_map(map_b);
    sent.init(1);
    pipeline.init(1, CONSUMERS * kPeers);
    sent.arrive_expect_tx(Reduce::sent_bytes(Reduce::kEven ? 0 : static_cast<int>(cluster_rank()) / kTiles));
  }
  const Work work(K);
#if PREFETCH
  if (thread < kThreads) {  // what blocks share, each asks for a part of
    const int first_k = work.first * BK, end_k = work.end * BK;
    l2_prefetch_slice<BM, !TRANS_A>(of_batch(A, static_cast<long long>(M) * K), work.m0, M, first_k, end_k, K,
                                    work.tile_n * kThreads + thread, CLUSTER_N * kThreads);
    l2_prefetch_slice<BN, TRANS_B != 0>(of_batch(B, static_cast<long long>(K) * N), work.n0, N, first_k, end_k, K,
                                        work.tile_m * kThreads + thread, CLUSTER_M * kThreads);
  }
#endif
  __syncthreads();
  if (kTiles * CLUSTER_K > 1) cluster_arrive();
  if (kTiles > 1) cluster_wait();

  if (thread >= kThreads) {
    if (thread == kThreads) load_slice(work, map_a, map_b, stages, pipeline);
    __syncwarp();
    if (kTiles == 1 && CLUSTER_K > 1) cluster_wait();
    return;
  }
  Accumulators accumulators = {};
  multiply_slice(accumulators, work, stages, pipeline,
                 SwappedScales{GIVEN_SCALES.of(blockIdx.z, M, N, K), work.m0, work.n0, M, N, K});

  const Accumulator(&all)[kAccumulators] = *reinterpret_cast<const Accumulator(*)[kAccumulators]>(&accumulators);
  Accumulator share[Reduce::kShare];
  if constexpr (CLUSTER_K > 1) {
    if (kTiles == 1) cluster_wait();
    Reduce{stages + STAGES * kStageBytes, thread, work.part_k}.exchange(all, share, sent, work.tile, kTiles);
  } else {
#pragma unroll
    for (int i = 0; i < kAccumulators; ++i) share[i] = all[i];
  }

  const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
#if SLICES > CLUSTER_K
  reduce_through_l2(share, REDUCE == 2 ? arriving : partials, words, work, M, N, epilogue);
#else
  constexpr int kTogether = Reduce::kShare % 4 == 0 ? 4 : 1;
#pragma unroll
  for (int i = 0; i < Reduce::kShare; i += kTogether)
    if (i < Reduce::size(work.part_k))
      write_accumulators<kTogether>(Reduce::first(work.part_k) + i, thread, share + i, work, M, N, epilogue);
#endif
}
