#pragma once
// Small kernels as PTX, which every driver compiles by itself: the device tests need no NVRTC.

#include <cstddef>
#include <span>
#include <string_view>

#include "modules.h"

namespace kerlab::test {

inline std::span<const std::byte> image(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// add_one(u32* data, u32 count); dynamic shared memory unused. store_null(u32*, u32): writes to address 16.
/// store_odd: writes 16 bytes at data + 4. trap: traps. spin(u32* flag, u32): until *flag != 0.
inline constexpr std::string_view kBasicPtx = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .entry add_one(.param .u64 data, .param .u32 count)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra done;
  cvta.to.global.u64 %rd1, %rd1;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
  add.u32 %r5, %r5, 1;
  st.global.u32 [%rd3], %r5;
done:
  ret;
}

.visible .entry store_null(.param .u64 data, .param .u32 count)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 16;
  ld.param.u32 %r1, [count];
  st.global.u32 [%rd1], %r1;
  ret;
}

.visible .entry store_odd(.param .u64 data, .param .u32 count)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [count];
  cvta.to.global.u64 %rd1, %rd1;
  st.global.v4.u32 [%rd1+4], {%r1, %r1, %r1, %r1};
  ret;
}

.visible .entry trap_now(.param .u64 data, .param .u32 count)
{
  trap;
  ret;
}

.visible .entry spin(.param .u64 data, .param .u32 count)
{
  .reg .pred %p;
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [data];
  cvta.to.global.u64 %rd1, %rd1;
again:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.eq.u32 %p, %r1, 0;
  @%p bra again;
  ret;
}
)";

/// cluster_size(u32* data): block 0 writes the number of blocks in its cluster.
inline constexpr std::string_view kClusterPtx = R"(
.version 7.8
.target sm_90
.address_size 64

.visible .entry cluster_size(.param .u64 data)
{
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [data];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x;
  setp.ne.u32 %p, %r1, 0;
  @%p bra done;
  mov.u32 %r2, %cluster_nctaid.x;
  st.global.u32 [%rd1], %r2;
done:
  ret;
}
)";

}  // namespace kerlab::test
