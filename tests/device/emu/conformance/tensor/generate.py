#!/usr/bin/env python3
"""Writes tensor.ptx: kernels that load, store or reduce one box. Run it in this folder."""

WINDOW = 16384

HEAD = """.version 8.6
.target sm_90a
.address_size 64
"""

# Parameters: the map, `data` (the window is filled from it, and shown in it after loads), box offset, bytes that the
# mbarrier expects, an argument, five coordinates.
ENTRY = """
.visible .entry {name}(.param .align 64 .b8 map[128], .param .u64 data, .param .u32 offset, .param .u32 bytes,
                       .param .u32 argument, .param .s32 c0, .param .s32 c1, .param .s32 c2, .param .s32 c3,
                       .param .s32 c4)
{directives}{{
  .reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<32>; .reg .b64 %x<16>;
  .shared .align 1024 .b8 window[{window}];
  .shared .align 8 .b8 barrier[8];
  .shared .align 128 .b8 edited[128];
  mov.u32 %r0, %tid.x;
  ld.param.u64 %x0, [data];
  cvta.to.global.u64 %x0, %x0;
  ld.param.u32 %r1, [offset];
  ld.param.u32 %r2, [bytes];
  ld.param.u32 %r3, [argument];
  ld.param.s32 %r4, [c0]; ld.param.s32 %r5, [c1]; ld.param.s32 %r6, [c2]; ld.param.s32 %r7, [c3];
  ld.param.s32 %r8, [c4];
  mov.b64 %x1, map;
  cvta.param.u64 %x1, %x1;
  mov.u32 %r9, window;
  add.u32 %r10, %r9, %r1;
  mov.u32 %r11, barrier;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 mbarrier.init.shared::cta.b64 [%r11], 1;
  @%p0 fence.mbarrier_init.release.cluster;
  // each block has its window in `data`
  mov.u32 %r12, %ctaid.x;
  mul.wide.u32 %x2, %r12, {window};
  add.u64 %x0, %x0, %x2;
  mul.lo.u32 %r13, %r0, 16;
FILL:
  cvt.u64.u32 %x3, %r13;
  add.u64 %x3, %x0, %x3;
  ld.global.v4.u32 {{%r20, %r21, %r22, %r23}}, [%x3];
  add.u32 %r14, %r9, %r13;
  st.shared.v4.u32 [%r14], {{%r20, %r21, %r22, %r23}};
  add.u32 %r13, %r13, 2048;
  setp.lt.u32 %p1, %r13, {window};
  @%p1 bra FILL;
  fence.proxy.async;
{meet}
{body}
  ret;
}}
"""

MEET = "  bar.sync 0;"
MEET_CLUSTER = "  barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;"

# Waits, but not for ever: a copy that never ends leaves the window as it was.
SHOW = """
  mov.u32 %r15, 0;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r11], 0;
  add.u32 %r15, %r15, 1;
  setp.lt.u32 %p3, %r15, 100000;
  not.pred %p2, %p2;
  and.pred %p3, %p3, %p2;
  @%p3 bra WAIT;
  not.pred %p2, %p2;
  selp.u32 %r24, 1, 0, %p2;
  ld.param.u64 %x8, [data];
  cvta.to.global.u64 %x8, %x8;
  mov.u32 %r25, %nctaid.x;
  mul.wide.u32 %x9, %r25, 16384;
  add.u64 %x8, %x8, %x9;
  mul.wide.u32 %x9, %r12, 4;
  add.u64 %x8, %x8, %x9;
  @%p0 st.global.u32 [%x8+128], %r24;
  mul.lo.u32 %r13, %r0, 16;
SHOW:
  add.u32 %r14, %r9, %r13;
  ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r14];
  cvt.u64.u32 %x3, %r13;
  add.u64 %x3, %x0, %x3;
  st.global.v4.u32 [%x3], {%r20, %r21, %r22, %r23};
  add.u32 %r13, %r13, 2048;
  setp.lt.u32 %p1, %r13, 16384;
  @%p1 bra SHOW;
"""

EDIT = """
  // a copy of the map with other sizes and places, through shared memory
  setp.lt.u32 %p4, %r0, 32;
  @!%p4 bra EDITED;
  mul.lo.u32 %r13, %r0, 4;
  mov.u32 %r16, edited;
  add.u32 %r17, %r16, %r13;
  cvt.u64.u32 %x4, %r13;
  add.u64 %x4, %x1, %x4;
  ld.u32 %r20, [%x4];
  st.shared.u32 [%r17], %r20;
  bar.warp.sync -1;
  add.u64 %x5, %x0, {window};
  @!%p0 bra READY;
  // 12 KiB into the window: rows of 48 bytes, 5 rows of 20 elements, boxes of 16 x 3
  add.u64 %x6, %x0, 12288;
  tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r16], %x6;
  tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r16], 1;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r16], 0, 20;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r16], 1, 5;
  mov.u64 %x7, 48;
  tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r16], 0, %x7;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r16], 0, 16;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r16], 1, 3;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r16], 0, 1;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r16], 1, 1;
  tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r16], 6;
  tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r16], 0;
  tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r16], 1;
  tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r16], 1;
READY:
  bar.warp.sync -1;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%x5], [%r16], 128;
  fence.proxy.tensormap::generic.acquire.gpu [%x5], 128;
  mov.u64 %x1, %x5;
EDITED:
  mov.u32 %r4, 8;
  mov.u32 %r5, 3;
  mov.u32 %r2, 96;
"""

EXPECT = "  @%p0 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r11], %r2;\n"
DONE = "  @%p0 cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n"


def coordinates(rank):
    return "{" + ", ".join(f"%r{4 + d}" for d in range(rank)) + "}"


def load(rank):
    return (EXPECT + f"  @%p0 cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes "
            f"[%r10], [%x1, {coordinates(rank)}], [%r11];\n" + SHOW)


def multicast():
    # every block that the mask names waits; block 0 alone issues
    return ("  mov.u32 %r18, %cluster_ctarank;\n  shr.u32 %r19, %r3, %r18;\n  and.b32 %r19, %r19, 1;\n"
            "  setp.eq.u32 %p5, %r19, 1;\n  and.pred %p6, %p0, %p5;\n"
            "  @%p6 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r11], %r2;\n"
            "  setp.eq.u32 %p7, %r18, 0;\n  and.pred %p7, %p7, %p0;\n  cvt.u16.u32 %h0, %r3;\n" + MEET_CLUSTER +
            "\n  @%p7 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
            "[%r10], [%x1, {%r4, %r5}], [%r11], %h0;\n  @!%p5 bra LEAVE;\n" + SHOW + "LEAVE:\n" + MEET_CLUSTER + "\n")


def main():
    text = "// Written by generate.py.\n" + HEAD

    def entry(name, body, directives="", meet=MEET):
        return ENTRY.format(name=name, body=body, directives=directives, window=WINDOW, meet=meet)

    for rank in range(1, 6):
        text += entry(f"load_{rank}d", load(rank))
        text += entry(f"store_{rank}d", f"  @%p0 cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group "
                      f"[%x1, {coordinates(rank)}], [%r10];\n" + DONE)
    for operation in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
        text += entry(f"{operation}_2d", f"  @%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.{operation}"
                      f".bulk_group [%x1, {coordinates(2)}], [%r10];\n" + DONE)
    text += entry("multicast_2d", multicast(), ".reqnctapercluster 2, 1, 1\n", MEET_CLUSTER)
    text += entry("replaced_2d", EDIT.replace("{window}", str(WINDOW)) + load(2))
    with open("tensor.ptx", "w") as file:
        file.write(text)


main()
