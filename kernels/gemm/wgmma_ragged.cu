// Rung 23, wgmma_ragged: wgmma_stay for any M, N, K.
//
// Idea      The copy engine reads and writes rows that begin at multiples of 16 bytes; rows of 4093 numbers do not.
//           * An operand with such rows is first copied to a workspace where they are (mma_align.cuh), at the speed of
//             memory; both operands in one launch. An operand whose rows are aligned already is used where it is. What
//             lies behind a row's end in the workspace is never read: the tensor map ends there, and the copy engine
//             fills up with zeros.
//           * The main loop is wgmma_stay's, and so are the blocks that stay.
//           * Where rows of D are not aligned, the warps write it (wgmma_rows.cuh): through shared memory, then row by
//             row, in words of D that a funnel shift puts together of neighbouring numbers. No thread waits for a
//             store, so that this hides under the next tile's copies as a store by the copy engine would.
// Parameters those of wgmma_stay.
// Expects   bf16 or fp16; tf32, int8, fp8 in layout nt. Any M, N, K > 0.
// Operations those of wgmma_stay; in addition one read and one write of each unaligned operand.
// Lacks     small products without a second launch (wgmma_direct).
// Measured on H200, bf16, when align_rows still divided for every 16 bytes. 4095 x 4097 x 4093, BM=256 BN=128: 238.5
//   us, 576 TFLOP/s, 3.67 times as fast as cuBLASLt 13.1's best of 8 [3.67, 3.68] (mma_ragged: 349.7 us); its tiles are
//   four waves exactly, those of 128 x 256 five: 277.5 us. Layout nt 241.7 us, 4.13. 1021 x 1031 x 1033 20.1 us, 1.74.
//   2039 x 4093 x 509 34.8 us, 1.90. 127 x 8191 x 4099 71.9 us, 0.96: B is moved three times, where once would do.
#include "mma_align.cuh"
#include "wgmma_stay.cu"
