#pragma once
// C by TMA: a box of C as large as one of D, into the epilogue stage where that box of D will be written, while its tile
// is still multiplied. Who stores together has a ring of OUT_STAGES stages, each with an mbarrier; it goes on from tile
// to tile. The first boxes are asked for when the tile begins, each further one when the stage that it will have has
// been stored. C_BY_TMA, a derived value of the variant: elements of C are as large as those of D.
#include "sm90_epilogue.cuh"

constexpr int kStorersOfConsumer = 128 / kStorers;
constexpr int kFillColumns = SWAP_AB ? OUT_ROWS : kOutColumns;                            // of wgmma
constexpr int kFillsOfBlock = kColumns / kFillColumns, kBoxes = kBlocks * kFillsOfBlock;  // of a storer and a tile
static_assert((kOutStages & (kOutStages - 1)) == 0, "the ring's place and parity are bits of a count");

/// One thread, before all meet.
__device__ __forceinline__ void init_c_boxes(Mbarrier* full) {
  for (int i = 0; i < CONSUMERS * kStorersOfConsumer * kOutStages; ++i) full[i].init(1);
  fence_mbarrier_init();
  fence_proxy_async();
}

/// Of the threads that store together.
struct CBoxes {
  const TensorMap& map;
  Mbarrier* full;      ///< of this ring
  unsigned stages;     ///< shared address of the first
  bool asks;           ///< this thread copies
  int m = 0, n = 0;    ///< where the tile's first box begins
  unsigned first = 0;  ///< boxes of the tiles before

  /// `all`: mbarriers of all rings; `out_stages`: epilogue stages of this consumer.
  __device__ __forceinline__ CBoxes(const TensorMap& map, Mbarrier* all, unsigned out_stages)
      : map(map),
        full(all + threadIdx.x / kStorers * kOutStages),
        stages(out_stages + threadIdx.x % 128 / kStorers * kOutStages * kOutStageBytes),
        asks(threadIdx.x % kStorers == 0) {}

  __device__ __forceinline__ int row(int box) const {
    return m + (SWAP_AB ? box % kFillsOfBlock * kFillColumns : box / kFillsOfBlock * 64);
  }
  __device__ __forceinline__ int column(int box) const {
    return n + (SWAP_AB ? box / kFillsOfBlock * 64 : box % kFillsOfBlock * kFillColumns);
  }
  __device__ __forceinline__ unsigned stage(int box) const {
    return stages + (first + box) % kOutStages * kOutStageBytes;
  }

  /// The thread that copies; the stage has been read.
  __device__ __forceinline__ void ask(int box) const {
    Mbarrier& barrier = full[(first + box) % kOutStages];
    barrier.arrive_expect_tx(kOutStageBytes);
    TmaLoad::load(map, stage(box), barrier, column(box), row(box), static_cast<int>(blockIdx.z));
  }
  /// A tile whose first element of D is at (m0, n0).
  __device__ __forceinline__ void begin(int m0, int n0) {
    m = m0 + (SWAP_AB ? 0 : static_cast<int>(threadIdx.x) % 128 / 32 * 16), n = n0;
    if (!asks) return;
    tma_store_wait_read<0>();
#pragma unroll
    for (int box = 0; box < (kBoxes < kOutStages ? kBoxes : kOutStages); ++box) ask(box);
  }
  __device__ __forceinline__ void wait(int box) const {
    full[(first + box) % kOutStages].wait((first + box) / kOutStages & 1);
  }
  /// Box `box` of D is on its way: the stage of the one before is free soon.
  __device__ __forceinline__ void stored(int box) const {
    if (box == 0 || box - 1 + kOutStages >= kBoxes) return;
    tma_store_wait_read<1>();
    ask(box - 1 + kOutStages);
  }
};

/// A consumer's tile of D, whose C was asked for (CBoxes::begin). The caller waits for the last stores
/// (wait_for_stores) before it exits.
__device__ __forceinline__ void store_with_c(const Accumulators& accumulators, CBoxes& c, int barrier,
                                             const TensorMap& map, int m0, int n0, int M, const Epilogue& epilogue) {
#pragma unroll
  for (int box = 0; box < kBoxes; ++box) {
    const int block = box / kFillsOfBlock, fill = box % kFillsOfBlock;
    c.wait(box);
    fill_out_stage(accumulators[block], c.stage(box), fill * kFillColumns, m0 + (SWAP_AB ? 0 : block * 64),
                   n0 + (SWAP_AB ? block * 64 : 0), M, epilogue);
    fence_proxy_async();
    sync_storers(barrier);  // the stage is whole
    if (c.asks) {
      store_box(map, c.stage(box), c.column(box), c.row(box));
      tma_store_commit();
      c.stored(box);
    }
  }
  c.first += kBoxes;
}
