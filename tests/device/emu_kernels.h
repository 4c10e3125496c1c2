#pragma once
// Small kernels as PTX for the emulated device; see device_kernels.h for those that GPUs run, too.

#include <string_view>

#include "modules.h"

namespace kerlab::test {

/// greet(u32*, u32 x): printf("block %d says %u\n", blockIdx.x, x), as NVRTC compiles it. total(u32* sum, u32 x):
/// atomicAdd(sum, x).
inline constexpr std::string_view kEmulatedPtx = R"(
.version 9.0
.target sm_75
.address_size 64

.extern .func  (.param .b32 func_retval0) vprintf
(
  .param .b64 vprintf_param_0,
  .param .b64 vprintf_param_1
)
;
.global .align 1 .b8 $str[18] = {98, 108, 111, 99, 107, 32, 37, 100, 32, 115, 97, 121, 115, 32, 37, 117, 10};

.visible .entry greet(
  .param .u64 greet_param_0,
  .param .u32 greet_param_1
)
{
  .local .align 8 .b8   __local_depot0[8];
  .reg .b64   %SP;
  .reg .b64   %SPL;
  .reg .b32   %r<4>;
  .reg .b64   %rd<5>;


  mov.u64   %SPL, __local_depot0;
  cvta.local.u64   %SP, %SPL;
  add.u64   %rd1, %SP, 0;
  add.u64   %rd2, %SPL, 0;
  ld.param.u32   %r1, [greet_param_1];
  mov.u32   %r2, %ctaid.x;
  st.local.v2.u32   [%rd2], {%r2, %r1};
  mov.u64   %rd3, $str;
  cvta.global.u64   %rd4, %rd3;
  { // callseq 0, 0
  .reg .b32 temp_param_reg;
  .param .b64 param0;
  st.param.b64   [param0+0], %rd4;
  .param .b64 param1;
  st.param.b64   [param1+0], %rd1;
  .param .b32 retval0;
  call.uni (retval0), 
  vprintf, 
  (
  param0, 
  param1
  );
  ld.param.b32   %r3, [retval0+0];
  } // callseq 0
  ret;

}
.visible .entry total(
  .param .u64 total_param_0,
  .param .u32 total_param_1
)
{
  .reg .b32   %r<3>;
  .reg .b64   %rd<3>;


  ld.param.u64   %rd1, [total_param_0];
  ld.param.u32   %r1, [total_param_1];
  cvta.to.global.u64   %rd2, %rd1;
  atom.global.add.u32   %r2, [%rd2], %r1;
  ret;

}

)";

/// look(u32* out): out = table[2] * scale[1] + counter++, the table found through a pointer in memory.
inline constexpr std::string_view kVariablesPtx = R"(
.version 7.0
.target sm_70
.address_size 64

.global .align 4 .u32 table[4] = {10, 20, 30, 40};
.global .align 8 .u64 where[2] = {0, generic(table)};
.const .align 4 .u32 scale[2] = {3, 5};
.global .align 4 .u32 counter = 7;

.visible .entry look(.param .u64 out)
{
  .reg .b32 %r<7>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  ld.global.u64 %rd2, [where+8];
  ld.u32 %r1, [%rd2+8];
  ld.const.u32 %r2, [scale+4];
  ld.global.u32 %r3, [counter];
  mad.lo.s32 %r4, %r1, %r2, %r3;
  st.global.u32 [%rd1], %r4;
  add.u32 %r5, %r3, 1;
  st.global.u32 [counter], %r5;
  ret;
}
)";

}  // namespace kerlab::test
