#include "device/emu/ptx/hopper_forms.h"

#include <fmt/core.h>

#include <algorithm>

#include "device/emu/ptx/modifiers.h"

namespace kerlab::ptx {
namespace {

using enum Opcode;

#define KERLAB_MBARRIER "mbarrier::complete_tx::bytes"
#define KERLAB_HINT "L2::cache_hint?"
#define KERLAB_DIMENSIONS "1d|2d|3d|4d|5d"
#define KERLAB_REDUCE_GLOBAL "global shared::cta bulk_group " KERLAB_HINT
#define KERLAB_REDUCE_SHARED "shared::cluster shared::cta " KERLAB_MBARRIER
#define KERLAB_RED_ASYNC "relaxed cluster shared::cluster|shared::cta? " KERLAB_MBARRIER
#define KERLAB_MAP "global|shared::cta? b1024 "

// Checked against ptxas 13.0 line by line. Of several forms with one name the first that fits is taken.
constexpr Form kForms[] = {
    {mbarrier_init, "mbarrier.init", "shared|shared::cta? b64", "[] 32", "sm_80"},
    {mbarrier_inval, "mbarrier.inval", "shared|shared::cta? b64", "[]", "sm_80"},
    {mbarrier_arrive, "mbarrier.arrive", "shared|shared::cta|shared::cluster? b64", "state [] 32?", "sm_80"},
    {mbarrier_arrive, "mbarrier.arrive", "release|relaxed cta|cluster shared|shared::cta|shared::cluster? b64",
     "state [] 32?", "sm_80"},
    {mbarrier_arrive, "mbarrier.arrive.expect_tx", "shared|shared::cta|shared::cluster? b64", "state [] 32"},
    {mbarrier_arrive, "mbarrier.arrive.expect_tx",
     "release|relaxed cta|cluster shared|shared::cta|shared::cluster? b64", "state [] 32"},
    {mbarrier_arrive, "mbarrier.arrive.noComplete", "release? cta? shared|shared::cta? b64", "state [] 32", "sm_80"},
    {mbarrier_arrive_drop, "mbarrier.arrive_drop", "shared|shared::cta|shared::cluster? b64", "state [] 32?", "sm_80"},
    {mbarrier_arrive_drop, "mbarrier.arrive_drop",
     "release|relaxed cta|cluster shared|shared::cta|shared::cluster? b64", "state [] 32?", "sm_80"},
    {mbarrier_arrive_drop, "mbarrier.arrive_drop.expect_tx", "shared|shared::cta|shared::cluster? b64", "state [] 32"},
    {mbarrier_arrive_drop, "mbarrier.arrive_drop.expect_tx",
     "release|relaxed cta|cluster shared|shared::cta|shared::cluster? b64", "state [] 32"},
    {mbarrier_arrive_drop, "mbarrier.arrive_drop.noComplete", "release? cta? shared|shared::cta? b64", "state [] 32",
     "sm_80"},
    {mbarrier_test_wait, "mbarrier.test_wait", "shared|shared::cta? b64", "pred [] 64", "sm_80"},
    {mbarrier_test_wait, "mbarrier.test_wait", "acquire|relaxed cta|cluster shared|shared::cta? b64", "pred [] 64",
     "sm_80"},
    {mbarrier_test_wait, "mbarrier.test_wait.parity", "shared|shared::cta? b64", "pred [] 32", "sm_80"},
    {mbarrier_test_wait, "mbarrier.test_wait.parity", "acquire|relaxed cta|cluster shared|shared::cta? b64",
     "pred [] 32", "sm_80"},
    {mbarrier_try_wait, "mbarrier.try_wait", "shared|shared::cta? b64", "pred [] 64 32?"},
    {mbarrier_try_wait, "mbarrier.try_wait", "acquire|relaxed cta|cluster shared|shared::cta? b64", "pred [] 64 32?"},
    {mbarrier_try_wait, "mbarrier.try_wait.parity", "shared|shared::cta? b64", "pred [] 32 32?"},
    {mbarrier_try_wait, "mbarrier.try_wait.parity", "acquire|relaxed cta|cluster shared|shared::cta? b64",
     "pred [] 32 32?"},
    {mbarrier_pending_count, "mbarrier.pending_count", "b64", "result32 64", "sm_80"},
    {mbarrier_expect_tx, "mbarrier.expect_tx", "shared|shared::cta|shared::cluster? b64", "[] 32"},
    {mbarrier_expect_tx, "mbarrier.expect_tx", "relaxed cta|cluster shared|shared::cta|shared::cluster? b64", "[] 32"},
    {mbarrier_complete_tx, "mbarrier.complete_tx", "shared|shared::cta|shared::cluster? b64", "[] 32"},
    {mbarrier_complete_tx, "mbarrier.complete_tx", "relaxed cta|cluster shared|shared::cta|shared::cluster? b64",
     "[] 32"},
    {cp_async_mbarrier_arrive, "cp.async.mbarrier.arrive", "noinc? shared|shared::cta? b64", "[]", "sm_80"},
    {barrier_cluster_arrive, "barrier.cluster.arrive", "release|relaxed? aligned?", ""},
    {barrier_cluster_wait, "barrier.cluster.wait", "acquire? aligned?", ""},
    {mapa, "mapa", "shared::cluster? u32|u64", "result variable 32"},
    {getctarank, "getctarank", "shared::cluster? u32|u64", "result32 variable"},
    {st_async, "st.async",
     "weak? shared::cluster|shared::cta? " KERLAB_MBARRIER " v2|v4? b32|u32|s32|f32|b64|u64|s64|f64", "[] values []"},
    {red_async, "red.async", KERLAB_RED_ASYNC " inc|dec u32", "[] value []"},
    {red_async, "red.async", KERLAB_RED_ASYNC " add u32|s32|u64|s64", "[] value []"},
    {red_async, "red.async", KERLAB_RED_ASYNC " min|max u32|s32", "[] value []"},
    {red_async, "red.async", KERLAB_RED_ASYNC " and|or|xor b32", "[] value []"},
    {cp_async_bulk, "cp.async.bulk", "shared::cluster global " KERLAB_MBARRIER " multicast::cluster? " KERLAB_HINT,
     "[] [] size [] mask"},
    {cp_async_bulk, "cp.async.bulk", "shared::cta global " KERLAB_MBARRIER " " KERLAB_HINT, "[] [] size []"},
    {cp_async_bulk, "cp.async.bulk", "shared::cluster shared::cta " KERLAB_MBARRIER, "[] [] size []"},
    {cp_async_bulk, "cp.async.bulk", "global shared::cta bulk_group " KERLAB_HINT, "[] [] size"},
    {cp_reduce_async_bulk, "cp.reduce.async.bulk", KERLAB_REDUCE_GLOBAL " add u32|s32|u64|f32|f64", "[] [] size"},
    {cp_reduce_async_bulk, "cp.reduce.async.bulk", KERLAB_REDUCE_GLOBAL " add noftz f16|bf16", "[] [] size"},
    {cp_reduce_async_bulk, "cp.reduce.async.bulk", KERLAB_REDUCE_GLOBAL " min|max u32|s32|u64|s64|f16|bf16",
     "[] [] size"},
    {cp_reduce_async_bulk, "cp.reduce.async.bulk", KERLAB_REDUCE_GLOBAL " inc|dec u32", "[] [] size"},
    {cp_reduce_async_bulk, "cp.reduce.async.bulk", KERLAB_REDUCE_GLOBAL " and|or|xor b32|b64", "[] [] size"},
    {cp_reduce_async_bulk, "cp.reduce.async.bulk", KERLAB_REDUCE_SHARED " add u32|s32|u64", "[] [] size []"},
    {cp_reduce_async_bulk, "cp.reduce.async.bulk", KERLAB_REDUCE_SHARED " min|max u32|s32", "[] [] size []"},
    {cp_reduce_async_bulk, "cp.reduce.async.bulk", KERLAB_REDUCE_SHARED " inc|dec u32", "[] [] size []"},
    {cp_reduce_async_bulk, "cp.reduce.async.bulk", KERLAB_REDUCE_SHARED " and|or|xor b32", "[] [] size []"},
    {cp_async_bulk_prefetch, "cp.async.bulk.prefetch", "L2 global " KERLAB_HINT, "[] size"},
    {cp_async_bulk_tensor, "cp.async.bulk.tensor",
     KERLAB_DIMENSIONS " shared::cluster global tile? " KERLAB_MBARRIER " multicast::cluster? " KERLAB_HINT,
     "[] [] coordinates [] mask"},
    {cp_async_bulk_tensor, "cp.async.bulk.tensor",
     KERLAB_DIMENSIONS " shared::cta global tile? " KERLAB_MBARRIER " " KERLAB_HINT, "[] [] coordinates []"},
    {cp_async_bulk_tensor, "cp.async.bulk.tensor",
     "3d|4d|5d shared::cluster global im2col " KERLAB_MBARRIER " multicast::cluster? " KERLAB_HINT,
     "[] [] coordinates [] offsets mask"},
    {cp_async_bulk_tensor, "cp.async.bulk.tensor",
     "3d|4d|5d shared::cta global im2col " KERLAB_MBARRIER " " KERLAB_HINT, "[] [] coordinates [] offsets"},
    {cp_async_bulk_tensor, "cp.async.bulk.tensor",
     KERLAB_DIMENSIONS " global shared::cta tile? bulk_group " KERLAB_HINT, "[] coordinates []"},
    {cp_async_bulk_tensor, "cp.async.bulk.tensor", "3d|4d|5d global shared::cta im2col_no_offs bulk_group " KERLAB_HINT,
     "[] coordinates []"},
    {cp_reduce_async_bulk_tensor, "cp.reduce.async.bulk.tensor",
     KERLAB_DIMENSIONS " global shared::cta add|min|max|inc|dec|and|or|xor tile? bulk_group " KERLAB_HINT,
     "[] coordinates []"},
    {cp_reduce_async_bulk_tensor, "cp.reduce.async.bulk.tensor",
     "3d|4d|5d global shared::cta add|min|max|inc|dec|and|or|xor im2col_no_offs bulk_group " KERLAB_HINT,
     "[] coordinates []"},
    {cp_async_bulk_prefetch_tensor, "cp.async.bulk.prefetch.tensor", KERLAB_DIMENSIONS " L2 global tile? " KERLAB_HINT,
     "[] coordinates"},
    {cp_async_bulk_prefetch_tensor, "cp.async.bulk.prefetch.tensor", "3d|4d|5d L2 global im2col " KERLAB_HINT,
     "[] coordinates offsets"},
    {cp_async_bulk_commit_group, "cp.async.bulk.commit_group", "", ""},
    {cp_async_bulk_wait_group, "cp.async.bulk.wait_group", "read?", "number"},
    {prefetch_tensormap, "prefetch.tensormap", "", "[]"},
    {prefetch_tensormap, "prefetch.param.tensormap", "", "[]"},
    {prefetch_tensormap, "prefetch.const.tensormap", "", "[]"},
    {tensormap_replace, "tensormap.replace", "tile global_address " KERLAB_MAP "b64", "[] value", "sm_90a"},
    {tensormap_replace, "tensormap.replace", "tile rank " KERLAB_MAP "b32", "[] value", "sm_90a"},
    {tensormap_replace, "tensormap.replace", "tile box_dim|global_dim|element_stride " KERLAB_MAP "b32",
     "[] number value", "sm_90a"},
    {tensormap_replace, "tensormap.replace", "tile global_stride " KERLAB_MAP "b64", "[] number value", "sm_90a"},
    {tensormap_replace, "tensormap.replace", "tile elemtype|interleave_layout|swizzle_mode|fill_mode " KERLAB_MAP "b32",
     "[] number", "sm_90a"},
    {tensormap_cp_fenceproxy, "tensormap.cp_fenceproxy",
     "global shared::cta tensormap::generic release cta|cluster|gpu|sys sync aligned", "[] [] number"},
    {fence_proxy, "fence.proxy", "alias", "", "sm_70"},
    {fence_proxy, "fence.proxy", "async", ""},
    {fence_proxy, "fence.proxy", "async global|shared::cta|shared::cluster", ""},
    {fence_proxy, "fence.proxy", "tensormap::generic release cta|cluster|gpu|sys", ""},
    {fence_proxy, "fence.proxy", "tensormap::generic acquire cta|cluster|gpu|sys", "[] number"},
    {fence_proxy, "fence.proxy", "async::generic acquire sync_restrict::shared::cluster cluster", ""},
    {fence_proxy, "fence.proxy", "async::generic release sync_restrict::shared::cta cluster", ""},
    {fence_mbarrier_init, "fence.mbarrier_init", "release cluster", ""},
    {griddepcontrol, "griddepcontrol", "wait|launch_dependents", ""},
    {setmaxnreg, "setmaxnreg", "inc|dec sync aligned u32", "number", "sm_90a"},
    {wgmma_fence, "wgmma.fence", "sync aligned", "", "sm_90a"},
    {wgmma_commit_group, "wgmma.commit_group", "sync aligned", "", "sm_90a"},
    {wgmma_wait_group, "wgmma.wait_group", "sync aligned", "number", "sm_90a"},
    {wgmma_mma_async, "wgmma.mma_async", "sync aligned shape f16|f32 f16 f16", "wgmma", "sm_90a"},
    {wgmma_mma_async, "wgmma.mma_async", "sync aligned shape f32 bf16 bf16", "wgmma", "sm_90a"},
    {wgmma_mma_async, "wgmma.mma_async", "sync aligned shape f32 tf32 tf32", "wgmma", "sm_90a"},
    {wgmma_mma_async, "wgmma.mma_async", "sync aligned shape f16|f32 e4m3|e5m2 e4m3|e5m2", "wgmma", "sm_90a"},
    {wgmma_mma_async, "wgmma.mma_async", "sync aligned shape satfinite? s32 s8|u8 s8|u8", "wgmma", "sm_90a"},
    {wgmma_mma_async, "wgmma.mma_async", "sync aligned shape s32 b1 b1 and popc", "wgmma", "sm_90a"},
};

struct Slot {
  std::string_view names;  ///< "a|b"
  bool optional = false, taken = false;
};

std::vector<Slot> slots_of(std::string_view text) {
  std::vector<Slot> result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    Slot slot{text.substr(begin, end - begin)};
    if (slot.names.ends_with('?')) {
      slot.optional = true;
      slot.names.remove_suffix(1);
    }
    if (!slot.names.empty()) result.push_back(slot);
    begin = end + 1;
  }
  return result;
}

bool fits(std::string_view names, std::string_view part) {
  if (names == "shape") {
    Modifiers ignored;
    return part.starts_with('m') && shape_modifier(part, ignored);
  }
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find('|', begin), names.size());
    if (names.substr(begin, end - begin) == part) return true;
    begin = end + 1;
  }
  return false;
}

/// How far a text is from a form: nothing wrong, or what.
struct Match {
  std::size_t taken = 0;
  std::string wrong;
};

/// Spaces, types and shapes keep their order ("to, from"); ptxas takes the other modifiers anywhere, and so do we.
Match compare_to(const Form& form, const Parts& parts, std::size_t used) {
  std::vector<Slot> slots = slots_of(form.modifiers);
  Match result;
  std::size_t last_space = 0;
  for (std::size_t i = used; i < parts.size(); ++i) {
    const auto slot =
        std::find_if(slots.begin(), slots.end(), [&](const Slot& s) { return !s.taken && fits(s.names, parts[i]); });
    const auto at = static_cast<std::size_t>(slot - slots.begin());
    Space space = Space::generic;
    const bool is_space = space_modifier(parts[i], space) || parts[i] == "shared::cluster";
    if (slot == slots.end() || (is_space && at < last_space)) {
      result.wrong = fmt::format("modifier '.{}' has no place in", parts[i]);
      return result;
    }
    if (is_space) last_space = at;
    slot->taken = true;
    ++result.taken;
  }
  for (const Slot& slot : slots) {
    if (slot.taken || slot.optional) continue;
    std::string names(slot.names);
    for (std::size_t bar = 0; (bar = names.find('|', bar)) != std::string::npos;) names.replace(bar, 1, " or .");
    result.wrong = fmt::format("modifier .{} is missing in", names);
    return result;
  }
  return result;
}

bool begins(std::string_view text, std::string_view name) {
  return text.starts_with(name) && (text.size() == name.size() || text[name.size()] == '.');
}

}  // namespace

const Form* find_form(std::string_view text, const Parts& parts) {
  std::size_t longest = 0;
  for (const Form& form : kForms) {
    if (begins(text, form.name)) longest = std::max(longest, form.name.size());
  }
  if (longest == 0) return nullptr;
  const auto used = static_cast<std::size_t>(std::count(text.begin(), text.begin() + longest, '.')) + 1;
  Match nearest;
  for (const Form& form : kForms) {
    if (form.name.size() != longest || !begins(text, form.name)) continue;
    const Match found = compare_to(form, parts, used);
    if (found.wrong.empty()) return &form;
    if (nearest.wrong.empty() || found.taken > nearest.taken) nearest = found;
  }
  throw Unsupported(fmt::format("{} '{}'", nearest.wrong, text));
}

bool target_has(std::string_view target, std::string_view needed) {
  const auto number = [](std::string_view name) {
    if (name.ends_with('a') || name.ends_with('f')) name.remove_suffix(1);
    return number_after(name, "sm_").value_or(0);
  };
  // What an "a" adds belongs to that one architecture.
  return needed.ends_with('a') ? target == needed : number(target) >= number(needed);
}

}  // namespace kerlab::ptx
