#pragma once
// PTX as typed data: what the parser makes and what the lowering, the oracle and the static analyses read.
// Calls to device functions are gone (inlined); what is left is one flat list of instructions per kernel.
// Names follow the PTX ISA document; "section" in comments is one of it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace kerlab::ptx {

/// What the emulated device does not do (yet): opcode and line, never a guess.
class Unsupported : public Error {
 public:
  using Error::Error;
};

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
};

enum class OperandKind : std::uint8_t {
  none,       ///< "_": a result nobody wants
  reg,        ///< value: register index; negated: !%p
  immediate,  ///< bits
  special,    ///< a special register
  symbol,     ///< address of a variable plus offset
  address,    ///< [base + offset]: base is a register or a symbol
  vector,     ///< {a, b, ...}: elements()
  label       ///< value: instruction index the label stands before
};

enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  dynamic_smem_size,
  total_smem_size,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  is_explicit_cluster
};

struct Operand {
  OperandKind kind = OperandKind::none;
  bool negated = false;
  std::int32_t value = -1;      ///< register, symbol or instruction index; for `vector` the first of Kernel::elements
  std::int32_t count = 0;       ///< of `vector`
  bool base_is_symbol = false;  ///< of `address`
  Special special = Special::tid_x;
  /// Immediate; low bits of its type. A decimal float literal is rounded to the type; a predicate (mov.pred p, -1) is 0
  /// or 1.
  std::uint64_t bits = 0;
  std::int64_t offset = 0;  ///< symbol, address
};

/// Where an instruction stands.
struct Location {
  std::int32_t ptx_line = 0;     ///< from 1
  std::int32_t source_file = 0;  ///< 0: unknown, else index + 1 into Module::files
  std::int32_t source_line = 0;
};

/// Operands are in the order written: destinations first. For setp with two results "p|q" both come first; atom:
/// d, [a], b(, c); red: [a], b(, c); shfl: d(|p), a, b, c, mask; st: [a], value; bra: label; bar: a(, b)(, p) after
/// the destination of a reduction; vote, match, redux: d(|p), source, mask. A second result that was not written is
/// not there; has_second_result tells.
struct Instruction {
  Opcode opcode = Opcode::nop;
  Modifiers modifiers;
  std::vector<Type> types;  ///< in the order written: cvt.rn.f16.f32 -> f16, f32; mma: d, a, b, c
  std::vector<Operand> operands;
  std::int32_t guard = -1;  ///< predicate register, or -1
  bool guard_negated = false;
  bool has_second_result = false;
  Location location;
  std::string text;  ///< opcode as written: "ld.global.nc.v4.f32"
};

/// How many of the leading operands are results, a second one ("d|p") included.
int results(const Instruction& instruction);

struct Register {
  Type type = Type::b32;
  std::string name;
};

/// A variable in memory. Of an entry's parameter, `offset` is where it lies in the parameter block; shared and local
/// variables are laid out from 0 per kernel; global and constant ones from 0 in Module::image of their space.
struct Symbol {
  std::string name;
  Space space = Space::global;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;  ///< 0: extern shared, begins after all others
  std::int64_t align = 1;
};

/// A kernel: one flat list of instructions; the last one never falls through.
struct Kernel {
  std::string name;
  std::vector<Register> registers;
  std::vector<Symbol> symbols;  ///< all that the instructions name, module variables included
  std::vector<Instruction> instructions;
  std::vector<Operand> elements;                         ///< of vector operands
  std::vector<std::vector<std::int32_t>> branch_tables;  ///< brx: operands label, table index in `value`
  std::int64_t parameter_bytes = 0;
  std::int64_t shared_bytes = 0;  ///< static
  std::int64_t extern_shared_align = 16;
  std::int64_t local_bytes = 0;                  ///< per thread, call parameters of inlined functions included
  std::int32_t max_threads = 0;                  ///< from .maxntid, 0: not given
  std::int32_t required_block[3] = {0, 0, 0};    ///< .reqntid
  std::int32_t required_cluster[3] = {0, 0, 0};  ///< .reqnctapercluster
};

/// An address stored in initialised memory: *(u64*)(image + at) = address of the symbol + addend.
struct Relocation {
  Space image = Space::global;  ///< global: at lies in global_image; constant: in constant_image
  std::int64_t at = 0;
  std::int32_t symbol = 0;  ///< index into Module::globals
  std::int64_t addend = 0;
  bool generic = true;
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;                                   ///< "sm_90a"
  std::vector<std::string> files;                       ///< of .file
  std::vector<Symbol> globals;                          ///< global and constant variables
  std::vector<std::byte> global_image, constant_image;  ///< initial contents
  std::vector<Relocation> relocations;
  std::vector<Kernel> kernels;
  [[nodiscard]] const Kernel* find(std::string_view kernel) const;
};

/// Throws Error "ptx:LINE: ..." for text that is not PTX, Unsupported for PTX that the device does not run. A kernel
/// that is not supported does not hinder its neighbours: it is absent from Module::kernels, and `find_unsupported`
/// tells why.
struct ParseResult {
  Module module;
  struct Failure {
    std::string kernel, reason;
  };
  std::vector<Failure> failures;
};
ParseResult parse(std::string_view text);

/// A kernel (or one of its instructions) as readable text, close to PTX: for debugging and for messages of tests.
std::string to_text(const Kernel& kernel);
std::string to_text(const Kernel& kernel, const Instruction& instruction);

}  // namespace kerlab::ptx
