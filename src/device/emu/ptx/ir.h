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
#include "device/emu/ptx/instruction_words.h"

namespace kerlab::ptx {

/// What the emulated device does not do (yet): opcode and line, never a guess.
class Unsupported : public Error {
 public:
  using Error::Error;
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
  is_explicit_cluster,
  envreg1,  ///< the high and the low half of where the barrier of a cooperative launch lies
  envreg2
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
  /// Of code that was inlined: the line of the kernel that calls it, in the end. File 0: it is the kernel's own.
  std::int32_t caller_file = 0, caller_line = 0;
};

/// Operands are in the order written: destinations first. For setp with two results "p|q" both come first; atom:
/// d, [a], b(, c); red: [a], b(, c); shfl: d(|p), a, b, c, mask; st: [a], value; bra: label; bar: a(, b)(, p) after
/// the destination of a reduction; vote, match, redux: d(|p), source, mask. A second result that was not written is
/// not there; has_second_result tells.
/// Of sm_90, where an address is [register or symbol + offset]:
///   mbarrier.init [b], count; .inval [b]; .arrive state or _, [b](, count); .test_wait, .try_wait p, [b], state or
///   parity (, time: dropped); .expect_tx, .complete_tx [b], bytes; cp.async.mbarrier.arrive [b]
///   st.async, red.async [to], value or {values}, [mbarrier]; mapa d, address, rank (d and address 32 or 64 bits)
///   cp.async.bulk [to], [from], bytes(, [mbarrier])(, CTA mask when multicast); cp.reduce.async.bulk the same
///   cp.async.bulk.tensor to shared: [to], [map], {coordinates}, [mbarrier](, {im2col offsets})(, CTA mask); to global:
///   [map], {coordinates}, [from]; prefetch: [map], {coordinates}. "[map, {coordinates}]" became two operands
///   wgmma.mma_async {d}, a, b, scale-d: a is a 64-bit descriptor or a vector, scale-d a predicate or an immediate;
///   imm-scale and imm-trans are in the modifiers
///   Cache policies are dropped everywhere.
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
