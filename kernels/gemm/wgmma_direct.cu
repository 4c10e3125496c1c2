// Rung 24, wgmma_direct: operands whose rows begin anywhere, without a workspace.
//
// Idea      * wgmma_ragged copies such operands first: a launch more, and every number moves through memory twice more.
//             A small product is over in the time of that. Here PRODUCERS warpgroups load the tiles themselves, in
//             aligned pieces of 16 bytes, shift them into place and write them to shared memory, swizzled as the copy
//             engine would have (wgmma_unaligned.cuh). A fence shows them to wgmma, and a barrier of the ring counts
//             warps instead of bytes; the consumers do not notice.
//           * a producer has DEPTH pieces on their way: where one is stored, the load of another begins. Producers
//             take stages in turn.
//           * D is written by rows, as in wgmma_ragged.
//           Not an idea: eight rows of 16-bit numbers make one that begins at a multiple of 16 bytes, so a tensor map
//           of every eighth row would do. But TMA wants coordinates along a row of whole 16 bytes too (an
//           H200: illegal instruction), so the other seven of eight rows come shifted by up to seven elements, each by
//           another number, and wgmma's tiles have one k for all rows.
// Parameters BM, BN, BK tile of a block; STAGES; CONSUMERS and PRODUCERS warpgroups; DEPTH loads of a thread on
//           their way; GROUP rows of tiles walked together.
// Expects   bf16 or fp16; tf32, int8, fp8 in layout nt. Any M, N, K > 0, and tensors at any multiple of an element.
// Operations those of wgmma_special; of tiles two loads of L1 a piece, one write of shared memory.
// Lacks     what TMA does on the side: addresses, shifts, registers of loads on their way. A large product
//           takes wgmma_ragged.
#include "wgmma_ring.cuh"
#include "wgmma_rows.cuh"
#include "wgmma_unaligned.cuh"

constexpr int kRows = BM / CONSUMERS;  // of a consumer

/// STAGES x { tile of A, tile of B }, then the panels of each consumer.
extern __shared__ __align__(1024) unsigned char shared[];

template <int REGISTERS>
__device__ __forceinline__ void set_registers() {
  if constexpr (REGISTERS < LAUNCH_REGISTERS) give_up_registers<REGISTERS>();
  if constexpr (REGISTERS > LAUNCH_REGISTERS) take_registers<REGISTERS>();
}

/// A stage to be filled: the k of a tile of D.
struct Job {
  int tile, m0, n0, k;
};

/// A copying warpgroup: fills every PRODUCERS-th stage. Its threads have DEPTH pieces on their way: when one is stored,
/// the load of the one that comes DEPTH later begins, be it of the next stage.
struct Producer {
  static constexpr int kPiecesA = Unaligned<BM, !TRANS_A>::kPieces;
  static constexpr int kPieces = kPiecesA + Unaligned<BN, TRANS_B != 0>::kPieces;

  Ring ring;
  Unaligned<BM, !TRANS_A> a;
  Unaligned<BN, TRANS_B != 0> b;
  int M, N, K, barrier;

  __device__ __forceinline__ void run(int number) const {
    const int tiles_of_d = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
    Job job{static_cast<int>(blockIdx.x), 0, 0, 0};
    tile_of(job.tile, M, N, job.m0, job.n0);
    Place place;
    step(job, number, tiles_of_d);
    place.skip(number);
    Piece pieces[DEPTH];
#pragma unroll
    for (int i = 0; i < DEPTH; ++i) pieces[i] = load(i, job);
#pragma unroll 1
    while (job.tile < tiles_of_d) {
      Job next = job;
      step(next, PRODUCERS, tiles_of_d);
      fill(place.stage, place.parity, pieces, job, next);
      job = next;
      place.skip(PRODUCERS);
    }
  }

  /// So many stages on. Behind the last there is nothing to load.
  __device__ __forceinline__ void step(Job& job, int stages, int tiles_of_d) const {
    job.k += stages * BK;
    if (job.k < K) return;
    const int stages_of_tile = (K - 1) / BK + 1;
    const int tiles = job.k / BK / stages_of_tile;
    job.k -= tiles * stages_of_tile * BK;
    job.tile += tiles * static_cast<int>(gridDim.x);
    if (job.tile < tiles_of_d)
      tile_of(job.tile, M, N, job.m0, job.n0);
    else
      job = {job.tile, M, N, K};
  }

  __device__ __forceinline__ Piece load(int i, const Job& job) const {
    return i < kPiecesA ? a.load(i, job.m0, job.k) : b.load(i - kPiecesA, job.n0, job.k);
  }

  __device__ __forceinline__ void fill(int stage, unsigned parity, Piece (&pieces)[DEPTH], const Job& job,
                                       const Job& next) const {
    unsigned char* to_a = shared + stage * kStageBytes;
    unsigned char* to_b = to_a + TileA::kBytes;
    wait(&ring.empty[stage], parity ^ 1);  // at first all are
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      Piece& piece = pieces[i % DEPTH];
      if (i < kPiecesA)
        a.store(i, piece, to_a, job.m0, job.k);
      else
        b.store(i - kPiecesA, piece, to_b, job.n0, job.k);
      piece = i + DEPTH < kPieces ? load(i + DEPTH, job) : load(i + DEPTH - kPieces, next);
    }
    a.store_lost(to_a, job.m0, job.k, barrier);
    b.store_lost(to_b, job.n0, job.k, barrier);
    fence_for_async();
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&ring.full[stage]);
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, float alpha,
         float beta SCALE_PARAMETERS) {
  __shared__ Barrier full[STAGES], empty[STAGES];
  const Ring ring{shared_address(shared), full, empty};
  const int group = warpgroup();
  if (threadIdx.x == 0) ring.init(CONSUMERS, 4);
  __syncthreads();

  if (group >= CONSUMERS) {
    set_registers<PRODUCER_REGISTERS>();
    const int batch = static_cast<int>(gridDim.z), z = static_cast<int>(blockIdx.z);
    const Producer producer{ring,
                            {A, batch, z, TRANS_A ? K : M, TRANS_A ? M : K},
                            {B, batch, z, TRANS_B ? N : K, TRANS_B ? K : N},
                            M,
                            N,
                            K,
                            1 + group - CONSUMERS};
    producer.run(group - CONSUMERS);
  } else {
    set_registers<CONSUMER_REGISTERS>();
    const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
    const unsigned slab = ring.tiles + STAGES * kStageBytes + group * (kPanelsOut * kPanelOutBytes);
    const int tiles_of_d = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
    Place place;
#pragma unroll 1
    for (int t = static_cast<int>(blockIdx.x); t < tiles_of_d; t += static_cast<int>(gridDim.x)) {
      int m0, n0;
      tile_of(t, M, N, m0, n0);
      Sum sums[kRows / 64][BN / 2];
      const int last = ring.multiply<kRows, 1>(sums, place, group * kRows, 0, K,
                                               BlockScales(GIVEN_SCALES, m0 + group * kRows, n0, M, N, K));
      ring.finish<1>(last);
#pragma unroll
      for (int i = 0; i < kRows / 64; ++i) store_rows<BN>(sums[i], slab, m0 + group * kRows + i * 64, n0, M, epilogue);
    }
  }
}
