// Rung 23, wgmma_ragged: wgmma_stay for any M, N, K.
//
// Idea      The copy engine reads and writes rows that begin at multiples of 16 bytes, and rows of 4093 elements do
// not.
//           * An operand with such rows is first copied to a workspace where they are (mma_align.cuh), at the speed of
//             memory; both operands in one launch. An operand whose rows are aligned already is used where it is. What
//             lies behind a row's end in the workspace is never read: the tensor map ends there, and the copy engine
//             fills up with zeros.
//           * The main loop is wgmma_stay's, and so are the blocks that stay.
//           * D is written by the warps (wgmma_rows.cuh): through shared memory, then row by row, in words of D that a
//             funnel shift puts together of neighbouring numbers. No thread waits for a store, so that this hides under
//             the next tile's copies as a store by the copy engine would.
// Parameters those of wgmma_stay.
// Expects   bf16 or fp16; tf32, int8 in layout nt. Any M, N, K > 0.
// Operations those of wgmma_stay; in addition one read and one write of each unaligned operand.
// Lacks     small products without a second launch (wgmma_direct).
#include "mma_align.cuh"
#include "wgmma_stay.cu"
