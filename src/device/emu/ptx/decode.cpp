#include "device/emu/ptx/decode.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "device/emu/ptx/names.h"
#include "device/emu/ptx/opcodes.h"

namespace kerlab::ptx {
namespace {

template <typename Value>
struct Named {
  std::string_view name;
  Value value;
};

constexpr Named<Rounding> kRoundings[] = {{"rn", Rounding::rn},   {"rz", Rounding::rz},   {"rm", Rounding::rm},
                                          {"rp", Rounding::rp},   {"rna", Rounding::rna}, {"rni", Rounding::rni},
                                          {"rzi", Rounding::rzi}, {"rmi", Rounding::rmi}, {"rpi", Rounding::rpi}};
constexpr Named<Compare> kCompares[] = {
    {"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},   {"le", Compare::le},   {"gt", Compare::gt},
    {"ge", Compare::ge},   {"lo", Compare::lo},   {"ls", Compare::ls},   {"hi", Compare::hi},   {"hs", Compare::hs},
    {"equ", Compare::equ}, {"neu", Compare::neu}, {"ltu", Compare::ltu}, {"leu", Compare::leu}, {"gtu", Compare::gtu},
    {"geu", Compare::geu}, {"num", Compare::num}, {"nan", Compare::nan}};
constexpr Named<Boolean> kBooleans[] = {{"and", Boolean::and_}, {"or", Boolean::or_}, {"xor", Boolean::xor_}};
constexpr Named<Atomic> kAtomics[] = {
    {"add", Atomic::add},  {"min", Atomic::min},   {"max", Atomic::max}, {"and", Atomic::and_}, {"or", Atomic::or_},
    {"xor", Atomic::xor_}, {"exch", Atomic::exch}, {"cas", Atomic::cas}, {"inc", Atomic::inc},  {"dec", Atomic::dec}};
constexpr Named<ShuffleMode> kShuffles[] = {
    {"up", ShuffleMode::up}, {"down", ShuffleMode::down}, {"bfly", ShuffleMode::bfly}, {"idx", ShuffleMode::idx}};
constexpr Named<VoteMode> kVotes[] = {
    {"all", VoteMode::all}, {"any", VoteMode::any}, {"uni", VoteMode::uni}, {"ballot", VoteMode::ballot}};
constexpr Named<PermuteMode> kPermutes[] = {{"f4e", PermuteMode::f4e}, {"b4e", PermuteMode::b4e},
                                            {"rc8", PermuteMode::rc8}, {"ecl", PermuteMode::ecl},
                                            {"ecr", PermuteMode::ecr}, {"rc16", PermuteMode::rc16}};
constexpr Named<FloatClass> kFloatClasses[] = {
    {"finite", FloatClass::finite}, {"infinite", FloatClass::infinite},     {"number", FloatClass::number},
    {"normal", FloatClass::normal}, {"notanumber", FloatClass::notanumber}, {"subnormal", FloatClass::subnormal}};
constexpr Named<Order> kOrders[] = {{"weak", Order::weak},          {"relaxed", Order::relaxed},
                                    {"acquire", Order::acquire},    {"release", Order::release},
                                    {"acq_rel", Order::acq_rel},    {"sc", Order::sc},
                                    {"volatile", Order::volatile_}, {"mmio", Order::volatile_}};
constexpr Named<Space> kSpaceNames[] = {{"param", Space::param},        {"local", Space::local},
                                        {"shared", Space::shared},      {"global", Space::global},
                                        {"const", Space::constant},     {"shared::cta", Space::shared},
                                        {"param::entry", Space::param}, {"param::func", Space::param}};
constexpr Named<bool Modifiers::*> kFlags[] = {{"ftz", &Modifiers::ftz},
                                               {"sat", &Modifiers::sat},
                                               {"satfinite", &Modifiers::satfinite},
                                               {"relu", &Modifiers::relu},
                                               {"approx", &Modifiers::approx},
                                               {"full", &Modifiers::full},
                                               {"NaN", &Modifiers::nan},
                                               {"abs", &Modifiers::abs},
                                               {"xorsign", &Modifiers::xorsign},
                                               {"cc", &Modifiers::carry_out},
                                               {"wrap", &Modifiers::wrap},
                                               {"clamp", &Modifiers::clamp},
                                               {"shiftamt", &Modifiers::shift_amount},
                                               {"trans", &Modifiers::trans}};

template <typename Value, std::size_t size>
bool lookup(const Named<Value> (&table)[size], std::string_view name, Value& into) {
  for (const Named<Value>& entry : table) {
    if (entry.name == name) {
      into = entry.value;
      return true;
    }
  }
  return false;
}

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_memory(Opcode opcode) {
  switch (opcode) {
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
    case Opcode::prefetch:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::cp_async:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::wmma_load:
    case Opcode::wmma_store:
    case Opcode::nop:
      return true;
    default:
      return false;
  }
}

/// What can follow one opcode only, or means something else there.
bool particular(Opcode opcode, std::string_view m, Modifiers& to) {
  using enum Opcode;
  switch (opcode) {
    case mul:
    case mad:
    case madc:
    case mul24:
    case mad24:
    case dp2a: {
      static constexpr Named<Part> kParts[] = {{"lo", Part::lo}, {"hi", Part::hi}, {"wide", Part::wide}};
      return lookup(kParts, m, to.part);
    }
    case set:
    case setp:
      return lookup(kCompares, m, to.compare) || lookup(kBooleans, m, to.boolean);
    case lop3:
      return is_any(m, {"or", "and"}) && lookup(kBooleans, m, to.boolean);
    case atom:
    case red:
    case redux:
      return lookup(kAtomics, m, to.atomic);
    case shfl:
      return lookup(kShuffles, m, to.shuffle);
    case vote:
      return lookup(kVotes, m, to.vote);
    case match:
      return is_any(m, {"all", "any"}) && lookup(kVotes, m, to.vote);
    case prmt:
      return lookup(kPermutes, m, to.permute);
    case testp:
      return lookup(kFloatClasses, m, to.float_class);
    case shf:
      if (m == "r") to.right = true;
      return is_any(m, {"l", "r"});
    case cvta:
      if (m == "to") to.to_space = true;
      return m == "to";
    case bra:
    case ret:
      if (m == "uni") to.uniform = true;
      return m == "uni";
    case brx:
      if (m == "uni") to.uniform = true;
      return is_any(m, {"idx", "uni"});
    case bar:
    case barrier:
      if (m == "arrive") to.arrive = true;
      if (m == "red") to.reduce = true;
      if (m == "popc") return to.boolean == Boolean::none;
      return is_any(m, {"sync", "arrive", "red", "cta"}) || (m != "xor" && lookup(kBooleans, m, to.boolean));
    case membar:
      if (m == "cta") to.scope_cta = true;
      to.order = Order::sc;
      return is_any(m, {"cta", "gl", "sys"});
    case mma:
      if (m == "popc") to.popc = true;
      return m == "popc" || lookup(kBooleans, m, to.boolean);
    case wmma_mma:
      if (m == "popc") to.popc = true;
      return m == "popc" || (m != "or" && lookup(kBooleans, m, to.boolean));
    case wmma_load:
    case wmma_store: {
      static constexpr Named<Fragment> kFragments[] = {
          {"a", Fragment::a}, {"b", Fragment::b}, {"c", Fragment::c}, {"d", Fragment::d}};
      return lookup(kFragments, m, to.fragment);
    }
    default:
      return false;
  }
}

std::optional<int> number_after(std::string_view text, std::string_view prefix) {
  int value = 0;
  if (!text.starts_with(prefix)) return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data() + prefix.size(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// m16n8k16, m8n8.
bool shape(std::string_view m, Modifiers& to) {
  const std::size_t n = m.find('n');
  const std::size_t k = m.find('k');
  if (!m.starts_with('m') || n == std::string_view::npos) return false;
  const std::optional<int> rows = number_after(m.substr(0, n), "m");
  const std::optional<int> columns = number_after(m.substr(n, k == std::string_view::npos ? k : k - n), "n");
  const std::optional<int> depth = k == std::string_view::npos ? 0 : number_after(m.substr(k), "k");
  if (!rows || !columns || !depth || *rows > 256 || *columns > 256 || *depth > 1024) return false;
  to.m = static_cast<std::uint16_t>(*rows);
  to.n = static_cast<std::uint16_t>(*columns);
  to.k = static_cast<std::uint16_t>(*depth);
  return true;
}

class Decoder {
 public:
  explicit Decoder(std::string_view text) : text_(text) {
    result_.text = text;
    split();
  }

  DecodedOpcode run() {
    const std::size_t used = base();
    for (std::size_t i = used; i < parts_.size(); ++i) {
      if (!modifier(parts_[i])) unsupported(fmt::format("modifier '.{}' of '{}'", parts_[i], text_));
    }
    finish();
    return std::move(result_);
  }

 private:
  [[noreturn]] void unsupported(const std::string& what) const {
    throw Unsupported(fmt::format("{}: the emulated device does not run it", what));
  }

  void split() {
    std::size_t begin = 0;
    for (;;) {
      const std::size_t dot = text_.find('.', begin);
      parts_.push_back(text_.substr(begin, dot == std::string_view::npos ? dot : dot - begin));
      if (dot == std::string_view::npos) return;
      begin = dot + 1;
    }
  }

  [[nodiscard]] std::string_view part(std::size_t i) const { return i < parts_.size() ? parts_[i] : ""; }

  /// Finds the base opcode; returns how many parts it takes.
  std::size_t base() {
    const std::string_view first = parts_[0];
    if (first == "call") {
      result_.is_call = true;
      return 1;
    }
    if (first == "prefetchu") return opcode(Opcode::prefetch, 1);
    if (is_any(first, {"discard", "applypriority"})) {
      result_.drop_operands = true;
      return opcode(Opcode::nop, 1);
    }
    if (first == "createpolicy") return create_policy();
    if (first == "cp") return copy();
    if (first == "vabsdiff4") return absolute_difference();
    if (first == "wmma") return wmma();
    if (first == "bar" && part(1) == "warp" && part(2) == "sync") return opcode(Opcode::bar_warp, 2);
    const OpcodeInfo* found = find_opcode(first);
    if (found == nullptr || found->opcode == Opcode::nop) unsupported(fmt::format("opcode '{}'", text_));
    if (is_any(part(1), {"async", "bulk", "proxy", "pack"}) || part(1) == "cluster" || part(1) == "sp") {
      unsupported(fmt::format("opcode '{}'", text_));
    }
    return opcode(found->opcode, 1);
  }

  std::size_t opcode(Opcode value, std::size_t parts) {
    result_.opcode = value;
    return parts;
  }

  std::size_t create_policy() {
    if (!is_any(part(1), {"fractional", "range", "cvt"})) unsupported(fmt::format("opcode '{}'", text_));
    result_.create_policy = true;
    result_.opcode = Opcode::mov;
    result_.types = {Type::b64};
    return parts_.size();
  }

  // What __vabsdiffu4, __vsads4 and so on become. With a mask or saturation: not from NVRTC.
  std::size_t absolute_difference() {
    const bool types = part(1) == "u32" && is_any(part(2), {"u32", "s32"}) && part(2) == part(3);
    result_.accumulate = part(4) == "add";
    if (!types || parts_.size() > (result_.accumulate ? 5u : 4u)) unsupported(fmt::format("opcode '{}'", text_));
    result_.absolute_difference = true;
    result_.types = {part(2) == "u32" ? Type::u32 : Type::s32};
    result_.opcode = Opcode::sad;
    return parts_.size();
  }

  std::size_t copy() {
    const std::string_view third = part(2);
    if (part(1) == "async" && third == "commit_group") return opcode(Opcode::cp_async_commit_group, 3);
    if (part(1) == "async" && third == "wait_group") return opcode(Opcode::cp_async_wait_group, 3);
    if (part(1) == "async" && third == "wait_all") return opcode(Opcode::cp_async_wait_all, 3);
    if (part(1) != "async" || !is_any(third, {"ca", "cg"})) unsupported(fmt::format("opcode '{}'", text_));
    result_.copy_bytes_operand = true;
    return opcode(Opcode::cp_async, 2);
  }

  std::size_t wmma() {
    if (part(1) == "load") return opcode(Opcode::wmma_load, 2);
    if (part(1) == "store") return opcode(Opcode::wmma_store, 2);
    if (part(1) == "mma") return opcode(Opcode::wmma_mma, 2);
    unsupported(fmt::format("opcode '{}'", text_));
  }

  bool modifier(std::string_view m) {
    if (result_.is_call) return m == "uni";
    Modifiers& to = result_.modifiers;
    if (particular(result_.opcode, m, to)) return true;
    if (const std::optional<Type> type = find_type(m)) {
      result_.types.push_back(*type);
      return true;
    }
    if (is_memory(result_.opcode) && memory(m)) return true;
    if (is_any(m, {"sync", "aligned"})) return synchronised(m);
    if (result_.opcode == Opcode::fence || result_.opcode == Opcode::membar)
      return scope(m) || lookup(kOrders, m, to.order);
    if (lookup(kSpaceNames, m, to.space)) return is_any(parts_[0], {"cvta", "isspacep"});
    if (is_any(m, {"row", "col"})) return layout(m);
    if (lookup(kRoundings, m, to.rounding)) return true;
    bool Modifiers::*flag = nullptr;
    if (lookup(kFlags, m, flag)) {
      to.*flag = true;
      return true;
    }
    return (m.starts_with('m') && shape(m, to)) || multiplicity(m);
  }

  bool synchronised(std::string_view m) {
    using enum Opcode;
    const Opcode o = result_.opcode;
    if (m == "aligned") return true;
    result_.modifiers.synchronised = true;
    return is_any(parts_[0], {"wmma"}) || o == shfl || o == vote || o == match || o == redux || o == elect ||
           o == bar_warp || o == mma || o == ldmatrix || o == stmatrix || o == movmatrix;
  }

  bool scope(std::string_view m) {
    if (m == "cta") result_.modifiers.scope_cta = true;
    return is_any(m, {"cta", "cluster", "gpu", "sys"});
  }

  /// Vector sizes, spaces, order, scope, cache hints.
  bool memory(std::string_view m) {
    Modifiers& to = result_.modifiers;
    if (m == "L2::cache_hint") {
      result_.cache_policy = true;
      return true;
    }
    // ld.cv fetches again at each read; nothing else of the cache operators can be seen.
    if (m == "cv") {
      to.order = Order::volatile_;
      return result_.opcode == Opcode::ld;
    }
    if (is_any(m, {"nc", "ca", "cg", "cs", "lu", "wb", "wt", "noftz", "unified", "L1", "L2"})) return true;
    if (m.starts_with("L1::") || m.starts_with("L2::")) return true;
    return scope(m) || space(m) || lookup(kOrders, m, to.order) || (m.starts_with('v') && multiplicity(m));
  }

  bool space(std::string_view m) {
    Space found = Space::generic;
    if (!lookup(kSpaceNames, m, found)) return false;
    // cp.async names both: to shared, from global.
    if (result_.opcode == Opcode::cp_async) return is_any(m, {"shared", "shared::cta", "global"});
    result_.modifiers.space = found;
    return true;
  }

  bool layout(std::string_view m) {
    Modifiers& to = result_.modifiers;
    (layouts_++ == 0 ? to.a_column : to.b_column) = m == "col";
    return layouts_ <= 2;
  }

  bool multiplicity(std::string_view m) {
    using enum Opcode;
    const Opcode o = result_.opcode;
    const bool matrix = o == ldmatrix || o == stmatrix;
    const bool vector = o == ld || o == ldu || o == st || o == atom || o == red;
    if (!matrix && !vector) return false;
    const std::optional<int> count = number_after(m, matrix ? "x" : "v");
    if (!count || (*count != 1 && *count != 2 && *count != 4 && *count != 8)) return false;
    if (*count == 1 && vector) return false;
    result_.modifiers.vector = static_cast<std::uint8_t>(*count);
    return true;
  }

  /// An opcode without the modifiers that make it one is an error of the text, or a form too old for sm_70.
  void finish() const {
    using enum Opcode;
    const Modifiers& m = result_.modifiers;
    const auto require = [&](bool good, std::string_view what) {
      if (!good) unsupported(fmt::format("'{}' without {}", text_, what));
    };
    switch (result_.opcode) {
      case shfl:
        require(m.shuffle != ShuffleMode::none, "mode");
        return require(m.synchronised, ".sync");
      case vote:
      case match:
        require(m.vote != VoteMode::none, "mode");
        return require(m.synchronised, ".sync");
      case atom:
      case red:
      case redux:
        require(m.atomic != Atomic::none, "operation");
        return require(!result_.types.empty(), "type");
      case set:
      case setp:
        require(m.compare != Compare::none, "comparison");
        return require(!result_.types.empty(), "type");
      case testp:
        return require(m.float_class != FloatClass::none, "class");
      case brx:
        return require(part(1) == "idx", ".idx");
      case bar:
      case barrier:
        return require(m.reduce || m.arrive || is_any(part(1), {"sync", "cta"}), ".sync, .arrive or .red");
      case cvt:
        return require(result_.types.size() >= 2, "two types");
      case mma:
      case wmma_mma:
        require(m.m > 0 && m.n > 0 && m.k > 0, "shape");
        return require(result_.types.size() >= 2, "types");
      case wmma_load:
      case wmma_store:
        require(m.fragment != Fragment::none, "fragment");
        return require(m.m > 0 && !result_.types.empty(), "shape and type");
      default: {
        const OpcodeInfo& opcode = info(result_.opcode);
        const bool typeless = (opcode.results == 0 && result_.opcode != st && result_.opcode != nanosleep) ||
                              result_.opcode == isspacep || result_.opcode == elect;
        return require(typeless || result_.is_call || !result_.types.empty(), "type");
      }
    }
  }

  std::string_view text_;
  std::vector<std::string_view> parts_;
  DecodedOpcode result_;
  int layouts_ = 0;
};

}  // namespace

DecodedOpcode decode(std::string_view text) {
  return Decoder(text).run();
}

}  // namespace kerlab::ptx
