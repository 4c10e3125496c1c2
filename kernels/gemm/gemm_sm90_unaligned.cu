// gemm_sm90_unaligned: the GEMM of Hopper for any M, N, K, where rows of A, B or D do not begin at whole 16 bytes.
//
// Idea      TMA reads and writes rows that begin at multiples of 16 bytes; rows of 4093 elements do not.
//           * PRODUCERS 0: an operand with such rows is first copied to a workspace where they are (align_rows.cuh), at
//             the speed of memory; both operands in one launch. An operand whose rows are aligned already is used where
//             it is. What lies behind a row's end in the workspace is never read: the tensor map ends there, and TMA
//             fills up with zeros. Then the main loop is gemm_sm90's (sm90_mainloop.cuh): one thread issues TMA, blocks
//             are persistent, those of a cluster along M load B once.
//           * PRODUCERS 1 to 3: no workspace and no second launch, which last as long as a small product. Warpgroups
//             load the tiles themselves, in aligned chunks of 16 bytes, shift them into place and write them to shared
//             memory, swizzled as TMA would have (sm90_unaligned_producer.cuh). A producer has a stage's chunks on their
//             way; producers take stages one after the other. The consumers are the same.
//           * DIRECT: of 127 x 8191 x 4099 B is 64 times A. To copy B moves it three times; to shift A's tiles, which
//             every block of columns reads again, is work for nothing. So producers load B (DIRECT 2) or A (1) alone,
//             and TMA the other, from where its rows are aligned: in the tensor, or a workspace that is soon written. A
//             warpgroup of its own asks for it, as far ahead as there are stages.
//           * Where rows of D are not aligned, the warps write it (sm90_store_rows.cuh): through shared memory, row by
//             row, in words of D that a funnel shift puts together of neighbouring elements. No thread waits for a
//             store, so that this hides under the next tile's loads as a store by TMA does.
//           Not an idea: eight rows of 16-bit elements make one that begins at a multiple of 16 bytes, so a tensor map
//           of every eighth row would do. But TMA wants coordinates along a row of whole 16 bytes too (an H200: illegal
//           instruction), so the other seven of eight rows come shifted, each by another number of elements, and
//           wgmma's tiles have one k for all rows.
// Parameters BM, BN, BK tile of a block; GROUP rows of clusters walked together; STAGES; CONSUMERS warpgroups that
//           multiply; CLUSTER_M blocks that share B; PRODUCERS; DIRECT operands that they load; PROMOTE k after which
//           accumulators of fp8 go to fp32.
// Expects   bf16 or fp16; tf32, int8, fp8 in layout nt. Any M, N, K > 0, and with PRODUCERS tensors at any multiple of
//           an element.
// Operations N^3 (1 / BN + 1 / (CLUSTER_M BM)) reads of L2; PRODUCERS 0: in addition one read and one write of each
//           unaligned operand; else two loads of L1 and one write of shared memory a chunk.
// Lacks     stream-K and ping-pong, which gemm_sm90 has. With PRODUCERS what TMA does on the side: addresses, shifts,
//           registers of loads on their way.
// Measured on H200 as `wgmma_ragged` (PRODUCERS 0), bf16, when align_rows still divided for every 16 bytes. 4095 x 4097
//   x 4093, BM=256 BN=128: 238.5 us, 576 TFLOP/s, 3.67 times as fast as cuBLASLt 13.1's best of 8 [3.67, 3.68]
//   (gemm_sm80: 349.7 us); its tiles are four waves exactly, those of 128 x 256 five: 277.5 us. Layout nt 241.7 us,
//   4.13. Today 1021 x 1031 x 1033 18.6 us, 1.82; 2039 x 4093 x 509 37.8 us, 1.74. 127 x 8191 x 4099 by PRODUCERS 0
//   68.8 us, as cuBLASLt (69.9): B is moved three times. By 2 producers with DIRECT 2 57.1 us, 1.23 [1.22, 1.24]; with
//   DIRECT 3 94.6; by 1 producer 71.5, by 3 60.0. When each store was followed by a load (see the producer): 62.9, with
//   DIRECT 3 149. A third of the speed of memory: what a producer waits for is not known.
#include "common/tile_raster.cuh"
#include "sm90_mainloop.cuh"
#include "sm90_store_rows.cuh"
#if PRODUCERS
#include "sm90_unaligned_producer.cuh"
#endif
#if DIRECT_A
#define OPERAND_A const DTYPE* __restrict__ A
#else
#define OPERAND_A const __grid_constant__ TensorMap map_a
#endif
#if DIRECT_B
#define OPERAND_B const DTYPE* __restrict__ B
#else
#define OPERAND_B const __grid_constant__ TensorMap map_b
#endif
#if !ALIGNED
#include "align_rows.cuh"
#endif

/// STAGES x { tile of A, tile of B }, then the epilogue stages of each consumer.
extern __shared__ __align__(1024) unsigned char shared[];

/// Which tiles of D there are, and in which order clusters take them.
struct Tiles {
  int M, N, rows, columns;  // rows and columns of clusters' tiles

  __device__ __forceinline__ Tiles(int M, int N)
      : M(M), N(N), rows((M - 1) / (BM * CLUSTER_M) + 1), columns((N - 1) / BN + 1) {}
  __device__ __forceinline__ int count() const { return rows * columns; }
  /// Of D, for the block of that rank; of a cluster at the lower edge some may have none.
  __device__ __forceinline__ TileCoordinate first_element(int tile, int rank) const {
    const TileCoordinate at = raster_groups<GROUP>(tile, rows, columns);
    return {(at.row * CLUSTER_M + rank) * BM, at.column * BN};
  }
};

/// What fills a stage: the four warps of a producer, the thread that asks TMA, or both.
constexpr int kArrivals = (PRODUCERS ? 4 : 0) + (DIRECT_A && DIRECT_B ? 0 : 1);

/// From now on this warpgroup's threads have so many registers.
template <int RegisterCount>
__device__ __forceinline__ void set_registers() {
  if constexpr (RegisterCount < LAUNCH_REGISTERS) warpgroup_reg_dealloc<RegisterCount>();
  if constexpr (RegisterCount > LAUNCH_REGISTERS) warpgroup_reg_alloc<RegisterCount>();
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(OPERAND_A, OPERAND_B, const __grid_constant__ TensorMap map_d, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, float alpha,
         float beta SCALE_PARAMETERS) {
  __shared__ Mbarrier full[STAGES], empty[STAGES];
  const Mainloop mainloop(shared_address(shared), full, empty);
  const int group = warpgroup_index(), stages = (K - 1) / BK + 1;
  const Tiles tiles(M, N);
  const int worker = static_cast<int>(blockIdx.x) / CLUSTER_M, workers = static_cast<int>(gridDim.x) / CLUSTER_M;
  const int rank = static_cast<int>(mainloop.row);
#if !DIRECT_A
  if (threadIdx.x == 32) prefetch_tensor_map(map_a);
#endif
#if !DIRECT_B
  if (threadIdx.x == 64) prefetch_tensor_map(map_b);
#endif
  if (ALIGNED_D && threadIdx.x == 96) prefetch_tensor_map(map_d);
  if (threadIdx.x == 0) mainloop.pipeline.init(kArrivals, CONSUMERS * kPeers);
  if (CLUSTER_M > 1)
    cluster_sync();
  else
    __syncthreads();

#if !DIRECT_A || !DIRECT_B
  if (group == CONSUMERS + PRODUCERS) {
    warpgroup_reg_dealloc<40>();
    State state;
    if (threadIdx.x % 128 == 0) {
#pragma unroll 1
      for (int tile = worker; tile < tiles.count(); tile += workers) {
        const TileCoordinate at = tiles.first_element(tile, rank);
#if DIRECT_B
        load_aligned<TileA>(mainloop.pipeline, state, map_a, mainloop.stages, at.row, stages);
#elif DIRECT_A
        load_aligned<TileB>(mainloop.pipeline, state, map_b, mainloop.stages + TileA::kBytes, at.column, stages);
#else
        mainloop.load(state, map_a, map_b, at.row, at.column, 0, stages);
#endif
      }
    }
  } else
#endif
#if PRODUCERS
  if (group >= CONSUMERS) {
    set_registers<PRODUCER_REGISTERS>();
    const int batch = static_cast<int>(gridDim.z), z = static_cast<int>(blockIdx.z);
#if DIRECT_A
    const UnalignedLoad<TileA> a(A, batch, z, TRANS_A ? K : M, TRANS_A ? M : K);
#else
    const NoLoad a;
#endif
#if DIRECT_B
    const UnalignedLoad<TileB> b(B, batch, z, TRANS_B ? N : K, TRANS_B ? K : N);
#else
    const NoLoad b;
#endif
    const UnalignedProducer<Tiles, decltype(a), decltype(b)> producer{mainloop.pipeline, shared, tiles, a, b, K,
                                                                      1 + group};
    producer.run(group - CONSUMERS);
  } else
#endif
  {
    set_registers<CONSUMER_REGISTERS>();
    const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
    const unsigned out_stages = mainloop.stages + STAGES * kStageBytes + group * kOutBytesOfConsumer;
    Consumer consumer(mainloop, group * kRows, 0);
#pragma unroll 1
    for (int tile = worker; tile < tiles.count(); tile += workers) {
      const TileCoordinate at = tiles.first_element(tile, rank);
      const int m0 = at.row + group * kRows, n0 = at.column;
      Accumulators accumulators;
      consumer.finish(consumer.multiply(accumulators, 0, stages, BlockScales(GIVEN_SCALES, m0, n0, M, N, K)));
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        if (ALIGNED_D)
          store_by_tma(accumulators[i], out_stages, 1 + group, map_d, m0 + i * 64, n0, M, epilogue);
        else
          store_by_rows(accumulators[i], out_stages, m0 + i * 64, n0, M, epilogue);
      }
    }
    if (ALIGNED_D) wait_for_stores();
  }
  __syncwarp();
  if (CLUSTER_M > 1) cluster_sync();  // others may still signal this block
}
