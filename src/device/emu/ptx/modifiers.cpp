#include "device/emu/ptx/modifiers.h"

#include <algorithm>
#include <charconv>

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

}  // namespace

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<int> number_after(std::string_view text, std::string_view prefix) {
  int value = 0;
  if (!text.starts_with(prefix)) return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data() + prefix.size(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

bool shape_modifier(std::string_view m, Modifiers& to) {
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

bool particular_modifier(Opcode opcode, std::string_view m, Modifiers& to) {
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

bool general_modifier(std::string_view m, Modifiers& to) {
  if (lookup(kRoundings, m, to.rounding)) return true;
  bool Modifiers::*flag = nullptr;
  if (lookup(kFlags, m, flag)) {
    to.*flag = true;
    return true;
  }
  return m.starts_with('m') && shape_modifier(m, to);
}

bool order_modifier(std::string_view m, Modifiers& to) {
  return lookup(kOrders, m, to.order);
}

bool space_modifier(std::string_view m, Space& to) {
  return lookup(kSpaceNames, m, to);
}

}  // namespace kerlab::ptx
