#pragma once
// The words of PTX as data: types, state spaces, opcodes, and the modifiers of an instruction (PTX ISA, chapters 5 and
// 9).

#include <cstdint>
#include <string_view>

#include "base/modules.h"

namespace kerlab::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f64,
  e4m3,
  e5m2,
  e4m3x2,
  e5m2x2,
  u16x2,
  s16x2,
  u4,
  s4,
  b1
};
int bits(Type type);  ///< 1 for pred and b1, 16 for the x2 of fp8
bool is_signed(Type type);
bool is_float(Type type);
std::string_view name(Type type);

enum class Space : std::uint8_t { generic, param, local, shared, global, constant };

/// Base opcodes. An instruction with a base opcode not listed here is Unsupported.
enum class Opcode : std::uint8_t {
  // moves and conversions
  mov,
  cvt,
  cvta,
  isspacep,
  ld,
  ldu,
  st,
  prefetch,
  selp,
  slct,
  prmt,
  mapa,
  // integer
  add,
  sub,
  addc,
  subc,
  mul,
  mad,
  mad24,
  mul24,
  madc,
  sad,
  div,
  rem,
  abs,
  neg,
  min,
  max,
  popc,
  clz,
  bfind,
  fns,
  brev,
  bfe,
  bfi,
  bmsk,
  szext,
  dp4a,
  dp2a,
  and_,
  or_,
  xor_,
  not_,
  cnot,
  lop3,
  shf,
  shl,
  shr,
  // floating point
  testp,
  copysign,
  fma,
  rcp,
  sqrt,
  rsqrt,
  sin,
  cos,
  lg2,
  ex2,
  tanh,
  // comparison
  set,
  setp,
  // control
  bra,
  brx,
  exit,
  ret,
  trap,
  brkpt,
  nanosleep,
  pmevent,
  bar,
  barrier,
  bar_warp,
  membar,
  fence,
  // warp
  vote,
  match,
  activemask,
  redux,
  shfl,
  elect,
  // atomics
  atom,
  red,
  // asynchronous copies
  cp_async,
  cp_async_commit_group,
  cp_async_wait_group,
  cp_async_wait_all,
  // barriers in shared memory, clusters, bulk copies (sm_90)
  mbarrier_init,
  mbarrier_inval,
  mbarrier_arrive,
  mbarrier_arrive_drop,
  mbarrier_test_wait,
  mbarrier_try_wait,
  mbarrier_pending_count,
  mbarrier_expect_tx,
  mbarrier_complete_tx,
  cp_async_mbarrier_arrive,
  barrier_cluster_arrive,
  barrier_cluster_wait,
  getctarank,
  st_async,
  red_async,
  cp_async_bulk,
  cp_reduce_async_bulk,
  cp_async_bulk_prefetch,
  cp_async_bulk_tensor,
  cp_reduce_async_bulk_tensor,
  cp_async_bulk_prefetch_tensor,
  cp_async_bulk_commit_group,
  cp_async_bulk_wait_group,
  prefetch_tensormap,
  tensormap_replace,
  tensormap_cp_fenceproxy,
  fence_proxy,
  fence_mbarrier_init,
  griddepcontrol,
  setmaxnreg,
  wgmma_fence,
  wgmma_mma_async,
  wgmma_commit_group,
  wgmma_wait_group,
  // matrices
  ldmatrix,
  stmatrix,
  movmatrix,
  mma,
  wmma_load,
  wmma_store,
  wmma_mma,
  // what inlining leaves of calls. All operands are registers; addresses are generic, as in the CUDA system calls:
  //   vprintf_call     result (b32), format (b64), argument buffer (b64, 8 bytes for each 64-bit value, aligned)
  //   assertfail_call  message (b64), file (b64), line (b32), function (b64), size of a character (b64)
  vprintf_call,
  assertfail_call,
  // no operation (hints such as createpolicy results never used, applypriority, discard)
  nop
};
std::string_view name(Opcode opcode);

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };
enum class Compare : std::uint8_t {
  none,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  lo,
  ls,
  hi,
  hs,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};
enum class Boolean : std::uint8_t { none, and_, or_, xor_ };
enum class Atomic : std::uint8_t { none, add, sub, min, max, and_, or_, xor_, exch, cas, inc, dec };
enum class ShuffleMode : std::uint8_t { none, up, down, bfly, idx };
enum class VoteMode : std::uint8_t { none, all, any, uni, ballot };
enum class PermuteMode : std::uint8_t { none, f4e, b4e, rc8, ecl, ecr, rc16 };
enum class Order : std::uint8_t { weak, relaxed, acquire, release, acq_rel, sc, volatile_ };
enum class FloatClass : std::uint8_t { none, finite, infinite, number, notanumber, normal, subnormal };
enum class Part : std::uint8_t { none, lo, hi, wide };  ///< mul, mad; lo/hi also of dp2a
enum class Fragment : std::uint8_t { none, a, b, c, d };
enum class Completion : std::uint8_t { none, mbarrier, bulk_group };  ///< of bulk copies
enum class Proxy : std::uint8_t { none, alias, async, async_global, async_shared, async_shared_cluster, tensormap };
enum class MapField : std::uint8_t {  ///< tensormap.replace
  none,
  global_address,
  rank,
  box_dim,
  global_dim,
  global_stride,
  element_stride,
  elemtype,
  interleave_layout,
  swizzle_mode,
  fill_mode
};

/// The modifiers of one instruction, as data; everything not written has its default. Cache hints (.ca, .cg, .nc,
/// L2::...) are dropped: the emulated device has no caches.
struct Modifiers {
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  Boolean boolean = Boolean::none;  ///< set, setp with a predicate operand
  Atomic atomic = Atomic::none;     ///< atom, red, redux
  ShuffleMode shuffle = ShuffleMode::none;
  VoteMode vote = VoteMode::none;  ///< match: all or any
  PermuteMode permute = PermuteMode::none;
  Order order = Order::weak;
  FloatClass float_class = FloatClass::none;  ///< testp
  Part part = Part::none;
  Space space = Space::generic;
  bool to_space = false;    ///< cvta.to
  std::uint8_t vector = 1;  ///< .v2, .v4, .v8 of ld, st; .x1/.x2/.x4 of ldmatrix and stmatrix
  bool ftz = false, sat = false, satfinite = false, relu = false, approx = false, full = false;
  bool nan = false, abs = false, xorsign = false;  ///< min, max
  bool carry_out = false;                          ///< add.cc and so on
  bool right = false;                              ///< shf.r (else shf.l)
  bool wrap = false, clamp = false;                ///< shf; bmsk, szext
  bool shift_amount = false;                       ///< bfind.shiftamt
  bool synchronised = false;                       ///< .sync: named lanes must arrive together (not of bar, barrier)
  bool uniform = false;                            ///< bra.uni
  bool arrive = false;                             ///< bar.arrive
  bool reduce = false;                             ///< bar.red (boolean: and, or; popc when none)
  bool trans = false;                              ///< ldmatrix, stmatrix
  bool noinc = false;
  bool scope_cta = false;                   ///< narrower than .gpu: matters to nobody but the race detector
  std::uint8_t copy_bytes = 0;              ///< cp.async: 4, 8 or 16
  Fragment fragment = Fragment::none;       ///< wmma.load/.store
  std::uint16_t m = 0, n = 0, k = 0;        ///< mma, wmma; m, n also of ldmatrix
  bool a_column = false, b_column = false;  ///< layouts of mma and wmma (of c, d in wmma.load/store: a_column)
  bool popc = false;                        ///< mma.b1 xor/and.popc
  // sm_90
  bool scope_cluster = false;
  bool shared_cluster = false;          ///< the space is .shared::cluster (`space` is shared)
  Space source_space = Space::generic;  ///< bulk copies: `space` is where to
  Completion completion = Completion::none;
  Proxy proxy = Proxy::none;  ///< fence.proxy
  MapField field = MapField::none;
  std::uint8_t dimensions = 0;  ///< of a tensor copy
  bool multicast = false;
  bool im2col = false;
  bool read = false;                            ///< cp.async.bulk.wait_group.read
  bool parity = false;                          ///< mbarrier waits: by parity, not by state
  bool expect_tx = false, no_complete = false;  ///< mbarrier.arrive
  bool increase = false;                        ///< setmaxnreg.inc (else .dec)
  bool wait = false;                            ///< griddepcontrol.wait (else launch_dependents)
  bool negate_a = false, negate_b = false;      ///< wgmma: imm-scale -1. Transposed (MN-major): a_column, b_column
};

}  // namespace kerlab::ptx
