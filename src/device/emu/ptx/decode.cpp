#include "device/emu/ptx/decode.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "device/emu/ptx/modifiers.h"
#include "device/emu/ptx/names.h"
#include "device/emu/ptx/opcodes.h"

namespace kerlab::ptx {
namespace {

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

class Decoder {
 public:
  explicit Decoder(std::string_view text) : text_(text) {
    result_.text = text;
    split();
  }

  DecodedOpcode run() {
    if (find()) return std::move(result_);
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

  /// One of hopper_forms.h?
  bool find() {
    result_.form = find_form(text_, parts_);
    if (result_.form == nullptr) return false;
    result_.opcode = result_.form->opcode;
    result_.cache_policy = std::find(parts_.begin(), parts_.end(), "L2::cache_hint") != parts_.end();
    note_modifiers(*result_.form, parts_, result_.modifiers, result_.types);
    return true;
  }

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
    if (is_any(part(1), {"async", "bulk", "proxy", "pack", "sp"})) {
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
    if (particular_modifier(result_.opcode, m, to)) return true;
    if (const std::optional<Type> type = find_type(m)) {
      result_.types.push_back(*type);
      return true;
    }
    if (is_memory(result_.opcode) && memory(m)) return true;
    if (is_any(m, {"sync", "aligned"})) return synchronised(m);
    if (result_.opcode == Opcode::fence || result_.opcode == Opcode::membar) return scope(m) || order_modifier(m, to);
    if (space(m)) return is_any(parts_[0], {"cvta", "isspacep"});
    if (is_any(m, {"row", "col"})) return layout(m);
    return general_modifier(m, to) || multiplicity(m);
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
    if (m == "cluster") result_.modifiers.scope_cluster = true;
    if (is_any(m, {"cta", "cluster", "gpu", "sys"})) has_scope_ = true;
    // Of a fence, to shared memory only: fencing more is right as well.
    if (result_.opcode == Opcode::fence && m.starts_with("sync_restrict::shared::")) return true;
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
    return scope(m) || space(m) || order_modifier(m, to) || (m.starts_with('v') && multiplicity(m));
  }

  bool space(std::string_view m) {
    using enum Opcode;
    const Opcode o = result_.opcode;
    Space found = Space::generic;
    if (m == "shared::cluster" && (o == ld || o == st || o == atom || o == red || o == cvta || o == isspacep)) {
      result_.modifiers.space = Space::shared;
      return result_.modifiers.shared_cluster = true;
    }
    if (!space_modifier(m, found)) return false;
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
      case fence:
        require(m.order != Order::weak, ".sc, .acq_rel, .acquire or .release");
        return require(has_scope_, "scope");
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
  bool has_scope_ = false;
};

}  // namespace

DecodedOpcode decode(std::string_view text) {
  return Decoder(text).run();
}

}  // namespace kerlab::ptx
