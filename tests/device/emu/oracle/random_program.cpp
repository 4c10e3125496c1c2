#include "device/emu/oracle/random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "device/emu/conformance/inputs.h"
#include "device/emu/oracle/random_instructions.h"

namespace kerlab::oracle {
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(conformance::mix(seed * 2 + 1)) {
    program_.seed = seed;
    expand_all();
  }

  Program run() {
    constexpr std::array<std::uint32_t, 10> sizes{1, 7, 32, 32, 33, 64, 64, 96, 100, 128};
    program_.block_x = sizes[below(sizes.size())];
    if (program_.block_x <= 33 && chance(4)) program_.block_y = 2;
    program_.grid = static_cast<std::uint32_t>(1 + below(3));
    program_.accumulates = chance(3);
    whole_warps_ = program_.block_x * program_.block_y % 32 == 0;
    const std::uint64_t segments = 1 + below(4);
    for (std::uint64_t i = 0; i < segments; ++i) {
      convergent();
      segment(i + 1 == segments);
    }
    return std::move(program_);
  }

 private:
  std::uint64_t next() { return state_ = conformance::mix(state_); }
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  bool chance(std::uint64_t n) { return below(n) == 0; }
  [[nodiscard]] int here() const { return static_cast<int>(program_.items.size()); }

  void add(std::string text, std::vector<int> targets = {}) {
    program_.items.push_back({std::move(text), std::move(targets)});
  }

  // ---- operands

  std::string r32() { return fmt::format("%r{}", below(kRegisters32)); }
  std::string r64() { return fmt::format("%l{}", below(kRegisters64)); }
  std::string r16() { return fmt::format("%h{}", below(kRegisters16)); }
  std::string predicate() { return fmt::format("%p{}", below(kPredicates)); }

  std::string number(int bits) {
    const std::uint64_t value = conformance::random_integer(bits, next());
    return std::to_string(chance(2) ? value & 0xff : value & 0x7fffffff);
  }

  std::string operand(char code) {
    switch (code) {
      case 'R':
      case 'r':
        return r32();
      case 'L':
      case 'l':
        return r64();
      case 'H':
      case 'h':
        return r16();
      case 'P':
      case 'p':
        return predicate();
      case 'q':
        return (chance(2) ? "!" : "") + predicate();
      case 'n':
        return chance(4) ? number(32) : r32();
      case 'm':
        return chance(4) ? number(64) : r64();
      case 's':
        return chance(2) ? std::to_string(below(36)) : r32();
      default:
        return std::to_string(below(256));
    }
  }

  /// "add.s32 R n n" with its operands chosen. Results of one instruction are different registers.
  std::string instruction(const std::string& form) {
    const std::size_t space = form.find(' ');
    std::string text = form.substr(0, space) + " ";
    std::vector<std::string> results;
    for (std::size_t i = space + 1; i < form.size(); ++i) {
      const char code = form[i];
      if (code == ' ') {
        text += ", ";
      } else if (code == '{' || code == '}' || code == '|') {
        text += code;
      } else if (code == ',') {
        text += ", ";
      } else {
        std::string name = operand(code);
        while (code < 'a' && std::find(results.begin(), results.end(), name) != results.end()) name = operand(code);
        if (code < 'a') results.push_back(name);
        text += name;
      }
    }
    return text + ";";
  }

  /// "{a,b}.c" -> "a.c", "b.c"; braces among the operands stay.
  static void expand(const std::string& form, std::vector<std::string>& into) {
    const std::size_t open = form.find('{'), space = form.find(' ');
    if (open == std::string::npos || open > space) {
      into.push_back(form);
      return;
    }
    const std::size_t close = form.find('}', open);
    std::size_t begin = open + 1;
    while (begin <= close) {
      const std::size_t end = std::min(form.find(',', begin), close);
      expand(form.substr(0, open) + form.substr(begin, end - begin) + form.substr(close + 1), into);
      begin = end + 1;
    }
  }

  void expand_all() {
    for (const char* form : kInstructions) {
      forms_.emplace_back();
      expand(rounded(form), forms_.back());
    }
  }

  /// div of floats names its rounding.
  static std::string rounded(std::string form) {
    const std::string plain = "{div,min,max}{,.ftz}.f32";
    if (form.starts_with(plain)) form.replace(0, plain.size(), "{div.rn,div.rz,div.rp,min,max}{,.ftz}.f32");
    return form;
  }

  std::string guarded(const std::string& text) {
    return chance(4) ? fmt::format("@{}{} {}", chance(2) ? "!" : "", predicate(), text) : text;
  }

  // ---- instructions that touch memory; all addresses are the thread's own, or nobody writes there meanwhile

  std::string memory() {
    const std::uint64_t bytes = 1ull << below(4);
    const std::uint64_t at = below(kSharedPerThread / bytes) * bytes;
    const char* types[] = {chance(2) ? "u8" : "s8", chance(2) ? "u16" : "s16", "b32", "b64"};
    const std::size_t size = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    const std::string value = bytes == 8 ? r64() : r32();
    const char* stores[] = {"u8", "u16", "b32", "b64"};
    switch (below(8)) {
      case 0:
        return fmt::format("ld.shared.{} {}, [%sm+{}];", types[size], value, at);
      case 1:
        return fmt::format("st.shared.{} [%sm+{}], {};", stores[size], at, value);
      case 2:
        return fmt::format("ld.local.{} {}, [lm+{}];", types[size], value, at);
      case 3:
        return fmt::format("st.local.{} [lm+{}], {};", stores[size], at, value);
      case 4:
        return fmt::format("ld.global.{} {}, [%out+{}];", types[size], value, 256 + at);
      case 5:
        return fmt::format("st.global.{} [%out+{}], {};", stores[size], 256 + at, value);
      case 6:
        return fmt::format(
            "and.b32 %t0, {}, {};\nmul.wide.u32 %a0, %t0, 8;\nadd.u64 %a0, %a0, %in;\nld.global.nc.b64 {}, [%a0];",
            r32(), 15, r64());
      default:
        return chance(2) ? generic() : wide(at);
    }
  }

  std::string generic() {
    return chance(2) ? fmt::format("st.b32 [%gs+{}], {};", below(8) * 4, r32())
                     : fmt::format("ld.b32 {}, [%gs+{}];", r32(), below(8) * 4);
  }

  std::string wide(std::uint64_t at) {
    at &= ~15ull;
    switch (below(4)) {
      case 0:
        return fmt::format("ld.shared.v4.b32 {{%r0, %r1, %r2, %r3}}, [%sm+{}];", at);
      case 1:
        return fmt::format("st.shared.v2.b64 [%sm+{}], {{{}, {}}};", at, r64(), r64());
      case 2:
        return fmt::format("ld.global.v2.b64 {{%l0, %l1}}, [%out+{}];", 256 + at);
      default:
        return fmt::format("st.global.v4.b32 [%out+{}], {{{}, {}, {}, {}}};", 256 + at, r32(), r32(), r32(), r32());
    }
  }

  std::string atomic() {
    if (program_.accumulates && chance(2)) return accumulate();
    const char* ops[] = {"add.u32", "min.s32",  "max.u32", "and.b32", "or.b32",
                         "xor.b32", "exch.b32", "inc.u32", "dec.u32", "add.f32"};
    const std::string op = ops[below(10)];
    const std::string at = fmt::format("[%sm+{}]", below(8) * 4);
    if (chance(4)) return fmt::format("atom.shared.cas.b32 {}, {}, {}, {};", r32(), at, r32(), r32());
    if (chance(3))
      return fmt::format("atom.global.{} {}, [%out+{}], {};", op == "add.f32" ? "add.u32" : op, r32(),
                         288 + below(8) * 4, r32());
    return fmt::format("atom.shared.{} {}, {}, {};", op, r32(), at, r32());
  }

  /// Integer sums and the like of all threads: the order does not matter.
  std::string accumulate() {
    const std::uint64_t which = below(kAccumulators);
    const char* ops[] = {"add.u32", "min.s32", "max.u32", "xor.b32"};
    return fmt::format("red.global.{} [%acc+{}], {};", ops[which % 4], which * 4, r32());
  }

  std::string copy() {
    const std::uint64_t bytes = 4ull << below(3), at = below(kSharedPerThread / bytes) * bytes;
    return fmt::format(
        "cp.async.{}.shared.global [%sm+{}], [%in16], {};\ncp.async.commit_group;\ncp.async.wait_group 0;",
        bytes == 16 && chance(2) ? "cg" : "ca", at, bytes);
  }

  // ---- control

  void simple() {
    const std::uint64_t kind = below(40);
    if (kind < 30) {
      const auto& group = forms_[below(forms_.size())];
      add(guarded(instruction(group[below(group.size())])));
    } else if (kind < 36) {
      add(chance(3) ? memory() : memory() + "\n" + memory());
    } else if (kind < 38) {
      add(atomic());
    } else if (kind < 39) {
      add(copy());
    } else {
      add(guarded(fmt::format("setp.lt.s32 {}, {}, {};", predicate(), r32(), r32())));
    }
  }

  /// Lanes may be anywhere in a segment; they meet behind it.
  void segment(bool last) {
    const int begin = here(), length = static_cast<int>(5 + below(40)), end = begin + length;
    while (here() < end) {
      const std::uint64_t kind = below(24);
      if (kind == 0) {
        add(fmt::format("@{}{} bra $0;", chance(2) ? "!" : "", predicate()),
            {here() + 1 + static_cast<int>(below(static_cast<std::uint64_t>(end - here())))});
      } else if (kind == 1) {
        add(fmt::format("setp.{}.{} {}, {}, {};\n@{} bra $0;", chance(2) ? "lt" : "ne", chance(2) ? "s32" : "u32",
                        "%q1", r32(), chance(2) ? r32() : number(32), "%q1"),
            {here() + 1 + static_cast<int>(below(static_cast<std::uint64_t>(end - here())))});
      } else if (kind == 2 && counters_ < 4) {
        backward(begin);
      } else if (kind == 3) {
        table(end);
      } else if (kind == 4 && last && chance(2)) {
        add(fmt::format("@{} exit;", predicate()));
      } else if (kind == 5 && chance(4)) {
        add("bra $0;", {here() + 1 + static_cast<int>(below(static_cast<std::uint64_t>(end - here())))});
      } else {
        simple();
      }
    }
  }

  /// A loop: its own counter never goes back, so it ends; how often may differ by lane.
  void backward(int begin) {
    const int counter = counters_++;
    const std::string often = chance(2) ? std::to_string(2 + below(4)) : "%trip";
    add(fmt::format("add.s32 %c{0}, %c{0}, 1;\nsetp.lt{1} %q0, %c{0}, {2}{3};\n@%q0 bra $0;", counter,
                    chance(3) ? ".and.s32" : ".s32", often, ""),
        {begin + static_cast<int>(below(static_cast<std::uint64_t>(here() - begin + 1)))});
    Item& item = program_.items.back();
    if (item.text.find(".and.s32") != std::string::npos)
      item.text.replace(item.text.find(";\n@%q0"), 1, ", " + predicate() + ";");
  }

  void table(int end) {
    std::vector<int> targets;
    for (int i = 0; i < 4; ++i)
      targets.push_back(here() + 1 + static_cast<int>(below(static_cast<std::uint64_t>(end - here()))));
    const int name = tables_++;
    add(fmt::format("and.b32 %t1, {}, 3;\ntable{}: .branchtargets $0, $1, $2, $3;\nbrx.idx %t1, table{};", r32(), name,
                    name),
        targets);
  }

  /// All lanes that live are here.
  void convergent() {
    for (std::uint64_t n = below(4); n-- > 0;) {
      switch (below(7)) {
        case 0:
          add("bar.sync 0;");
          break;
        case 1:
          exchange();
          break;
        case 2:
          add(whole_warps_ ? shuffle("0xffffffff") : vote("0xffffffff"));
          break;
        case 3:
          add(vote("0xffffffff"));
          break;
        case 4:
          apart();
          break;
        case 5:
          add(fmt::format("bar.red.popc.u32 {}, 0, {};\nbar.red.{}.pred {}, 1, {};", r32(), predicate(),
                          chance(2) ? "and" : "or", predicate(), predicate()));
          break;
        default:
          add("bar.warp.sync 0xffffffff;");
      }
    }
  }

  /// What one thread wrote to shared memory another one reads.
  void exchange() {
    add(
        fmt::format("st.shared.b32 [%sm], {};\nbar.sync 0;\nxor.b32 %t0, %linear, {};\nrem.u32 %t0, %t0, "
                    "%threads;\nmad.lo.u32 %t0, %t0, {}, %base;\nld.shared.b32 {}, [%t0];\nbar.sync 0;",
                    r32(), below(128), kSharedPerThread, r32()));
  }

  std::string shuffle(const std::string& mask) {
    const char* modes[] = {"up", "down", "bfly", "idx"};
    const std::uint64_t mode = below(4);
    const char* clamps[] = {mode == 0 ? "0" : "31", mode == 0 ? "0x1800" : "0x181f", mode == 0 ? "0x1c00" : "0x1c1f"};
    return fmt::format("shfl.sync.{}.b32 {}|{}, {}, {}, {}, {};", modes[mode], r32(), predicate(), r32(),
                       chance(2) ? std::to_string(below(32)) : r32(), clamps[below(3)], mask);
  }

  std::string vote(const std::string& mask) {
    switch (below(6)) {
      case 0:
        return fmt::format("vote.sync.ballot.b32 {}, {}, {};", r32(), predicate(), mask);
      case 1:
        return fmt::format("vote.sync.{}.pred {}, {}, {};",
                           chance(2)   ? "all"
                           : chance(2) ? "any"
                                       : "uni",
                           predicate(), predicate(), mask);
      case 2:
        return fmt::format("match.any.sync.b32 {}, {}, {};", r32(), r32(), mask);
      case 3:
        return fmt::format("match.all.sync.b64 {}|{}, {}, {};", r32(), predicate(), r64(), mask);
      case 4:
        return fmt::format("redux.sync.{} {}, {}, {};",
                           chance(2)   ? "add.s32"
                           : chance(2) ? "min.u32"
                                       : "xor.b32",
                           r32(), r32(), mask);
      default:
        return fmt::format("redux.sync.{} {}, {}, {};",
                           chance(2)   ? "max.s32"
                           : chance(2) ? "or.b32"
                                       : "and.b32",
                           r32(), r32(), mask);
    }
  }

  /// Two parts of the warp go different ways, and talk among themselves there.
  void apart() {
    const int begin = here();
    const std::uint64_t first = 1 + below(5), second = 1 + below(5);
    const int middle = begin + 2 + static_cast<int>(first), end = middle + static_cast<int>(second);
    add(fmt::format("mov.pred %q2, {};\nvote.sync.ballot.b32 %mask, %q2, 0xffffffff;\nnot.b32 %other, %mask;",
                    predicate()));
    add("@!%q2 bra $0;", {middle});
    for (std::uint64_t i = 0; i + 1 < first; ++i) inside("%mask");
    add("bra $0;", {end});
    for (std::uint64_t i = 0; i < second; ++i) inside("%other");
  }

  void inside(const std::string& mask) {
    if (chance(2)) {
      simple();
    } else {
      add(vote(mask));
    }
  }

  Program program_;
  std::uint64_t state_;
  std::vector<std::vector<std::string>> forms_;
  bool whole_warps_ = false;
  int counters_ = 0, tables_ = 0;
};

}  // namespace

Program random_program(std::uint64_t seed) {
  return Generator(seed).run();
}

}  // namespace kerlab::oracle
