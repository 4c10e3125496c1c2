// What the modifiers of mbarriers, clusters, bulk copies and wgmma mean.

#include "device/emu/ptx/hopper_forms.h"
#include "device/emu/ptx/modifiers.h"
#include "device/emu/ptx/names.h"
#include "device/emu/ptx/opcodes.h"

namespace kerlab::ptx {
namespace {

using enum Opcode;

MapField field(std::string_view part) {
  static constexpr std::pair<std::string_view, MapField> kFields[] = {
      {"global_address", MapField::global_address},
      {"rank", MapField::rank},
      {"box_dim", MapField::box_dim},
      {"global_dim", MapField::global_dim},
      {"global_stride", MapField::global_stride},
      {"element_stride", MapField::element_stride},
      {"elemtype", MapField::elemtype},
      {"interleave_layout", MapField::interleave_layout},
      {"swizzle_mode", MapField::swizzle_mode},
      {"fill_mode", MapField::fill_mode}};
  for (const auto& [name, value] : kFields) {
    if (name == part) return value;
  }
  return MapField::none;
}

bool flag(std::string_view part, Modifiers& to) {
  static constexpr std::pair<std::string_view, bool Modifiers::*> kFlags[] = {
      {"parity", &Modifiers::parity},
      {"expect_tx", &Modifiers::expect_tx},
      {"noComplete", &Modifiers::no_complete},
      {"noinc", &Modifiers::noinc},
      {"multicast::cluster", &Modifiers::multicast},
      {"im2col", &Modifiers::im2col},
      {"im2col_no_offs", &Modifiers::im2col},
      {"read", &Modifiers::read},
      {"inc", &Modifiers::increase},
      {"wait", &Modifiers::wait},
      {"satfinite", &Modifiers::satfinite},
      {"popc", &Modifiers::popc},
      {"sync", &Modifiers::synchronised},
      {"cta", &Modifiers::scope_cta},
      {"cluster", &Modifiers::scope_cluster}};
  for (const auto& [name, member] : kFlags) {
    if (name == part) return to.*member = true;
  }
  return false;
}

Proxy proxy(std::string_view part, Proxy so_far) {
  if (part == "alias") return Proxy::alias;
  if (part == "async" || part == "async::generic") return Proxy::async;
  if (part == "global") return Proxy::async_global;
  if (part.ends_with("shared::cta")) return Proxy::async_shared;
  if (part.ends_with("shared::cluster")) return Proxy::async_shared_cluster;
  if (part == "tensormap::generic") return Proxy::tensormap;
  return so_far;
}

bool is_copy(Opcode opcode) {
  return opcode == cp_async_bulk || opcode == cp_reduce_async_bulk || opcode == cp_async_bulk_tensor ||
         opcode == cp_reduce_async_bulk_tensor || opcode == tensormap_cp_fenceproxy;
}

bool space(Opcode opcode, std::string_view part, bool& has_space, Modifiers& to) {
  Space found = Space::generic;
  const bool cluster = part == "shared::cluster";
  if (cluster) found = Space::shared;
  if (!cluster && !space_modifier(part, found)) return false;
  if (has_space && is_copy(opcode)) {
    to.source_space = found;
    return true;
  }
  to.space = found;
  to.shared_cluster = cluster;
  return has_space = true;
}

bool operation(Opcode opcode, std::string_view part, Modifiers& to) {
  if (opcode == red_async || opcode == cp_reduce_async_bulk || opcode == cp_reduce_async_bulk_tensor) {
    return particular_modifier(red, part, to);
  }
  if (opcode == wgmma_mma_async && part == "and") to.boolean = Boolean::and_;
  return false;
}

/// What is not written: mbarriers release what they arrive with and acquire what they wait for, in the block.
void defaults(Opcode opcode, Modifiers& to) {
  const bool arrives = opcode == mbarrier_arrive || opcode == mbarrier_arrive_drop;
  const bool waits = opcode == mbarrier_test_wait || opcode == mbarrier_try_wait;
  if (to.order == Order::weak && (arrives || opcode == barrier_cluster_arrive)) to.order = Order::release;
  if (to.order == Order::weak && (waits || opcode == barrier_cluster_wait)) to.order = Order::acquire;
  const bool of_block = arrives || waits || opcode == mbarrier_expect_tx || opcode == mbarrier_complete_tx;
  if (of_block && !to.scope_cluster) to.scope_cta = true;
}

}  // namespace

void note_modifiers(const Form& form, const Parts& parts, Modifiers& to, std::vector<Type>& types) {
  // The parts that make the opcode's own name say nothing more.
  const std::string_view own = name(form.opcode);
  std::size_t first = 0;
  for (std::size_t at = 0; first < parts.size() && at < own.size() && own.substr(at).starts_with(parts[first]);) {
    at += parts[first++].size() + 1;
  }
  bool has_space = false;
  for (const std::string_view part : Parts(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end())) {
    if (form.opcode == fence_proxy) to.proxy = proxy(part, to.proxy);
    if (form.opcode == tensormap_replace && field(part) != MapField::none) to.field = field(part);
    if (operation(form.opcode, part, to) || flag(part, to) || order_modifier(part, to)) continue;
    if (form.opcode != fence_proxy && space(form.opcode, part, has_space, to)) continue;
    if (const std::optional<Type> type = find_type(part)) {
      types.push_back(*type);
    } else if (part == "mbarrier::complete_tx::bytes") {
      to.completion = Completion::mbarrier;
    } else if (part == "bulk_group") {
      to.completion = Completion::bulk_group;
    } else if (part.size() == 2 && part[1] == 'd') {
      to.dimensions = static_cast<std::uint8_t>(part[0] - '0');
    } else if (part.size() == 2 && part[0] == 'v') {
      to.vector = static_cast<std::uint8_t>(part[1] - '0');
    } else if (part[0] == 'm') {
      shape_modifier(part, to);
    }
  }
  defaults(form.opcode, to);
}

}  // namespace kerlab::ptx
