#include "device/emu/ptx/names.h"

#include <iterator>

namespace kerlab::ptx {
namespace {

struct TypeInfo {
  std::string_view name;
  int bits;
  bool is_signed, is_float;
};

// In the order of the enumeration.
constexpr TypeInfo kTypes[] = {
    {"", 0, false, false},      {"pred", 1, false, false},  {"b8", 8, false, false},     {"b16", 16, false, false},
    {"b32", 32, false, false},  {"b64", 64, false, false},  {"b128", 128, false, false}, {"u8", 8, false, false},
    {"u16", 16, false, false},  {"u32", 32, false, false},  {"u64", 64, false, false},   {"s8", 8, true, false},
    {"s16", 16, true, false},   {"s32", 32, true, false},   {"s64", 64, true, false},    {"f16", 16, true, true},
    {"f16x2", 32, true, true},  {"bf16", 16, true, true},   {"bf16x2", 32, true, true},  {"tf32", 32, true, true},
    {"f32", 32, true, true},    {"f64", 64, true, true},    {"e4m3", 8, true, true},     {"e5m2", 8, true, true},
    {"e4m3x2", 16, true, true}, {"e5m2x2", 16, true, true}, {"u16x2", 32, false, false}, {"s16x2", 32, true, false},
    {"u4", 4, false, false},    {"s4", 4, true, false},     {"b1", 1, false, false},
};
static_assert(std::size(kTypes) == static_cast<std::size_t>(Type::b1) + 1);

// In the order of the enumeration.
constexpr std::string_view kSpecials[] = {
    "%tid.x",
    "%tid.y",
    "%tid.z",
    "%ntid.x",
    "%ntid.y",
    "%ntid.z",
    "%ctaid.x",
    "%ctaid.y",
    "%ctaid.z",
    "%nctaid.x",
    "%nctaid.y",
    "%nctaid.z",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%dynamic_smem_size",
    "%total_smem_size",
    "%cluster_ctaid.x",
    "%cluster_ctaid.y",
    "%cluster_ctaid.z",
    "%cluster_nctaid.x",
    "%cluster_nctaid.y",
    "%cluster_nctaid.z",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%clusterid.x",
    "%clusterid.y",
    "%clusterid.z",
    "%nclusterid.x",
    "%nclusterid.y",
    "%nclusterid.z",
    "%is_explicit_cluster",
    "%envreg1",
    "%envreg2",
};
static_assert(std::size(kSpecials) == static_cast<std::size_t>(Special::envreg2) + 1);

constexpr std::string_view kSpaces[] = {"generic", "param", "local", "shared", "global", "const"};

const TypeInfo& info(Type type) {
  return kTypes[static_cast<std::size_t>(type)];
}

}  // namespace

int bits(Type type) {
  return info(type).bits;
}
bool is_signed(Type type) {
  return info(type).is_signed;
}
bool is_float(Type type) {
  return info(type).is_float;
}
std::string_view name(Type type) {
  return info(type).name;
}
std::string_view name(Special special) {
  return kSpecials[static_cast<std::size_t>(special)];
}
std::string_view name(Space space) {
  return kSpaces[static_cast<std::size_t>(space)];
}

std::optional<Type> find_type(std::string_view text) {
  for (std::size_t i = 1; i < std::size(kTypes); ++i) {
    if (kTypes[i].name == text) return static_cast<Type>(i);
  }
  return std::nullopt;
}

std::optional<Special> find_special(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kSpecials); ++i) {
    if (kSpecials[i] == text) return static_cast<Special>(i);
  }
  return std::nullopt;
}

const Kernel* Module::find(std::string_view kernel) const {
  for (const Kernel& candidate : kernels) {
    if (candidate.name == kernel) return &candidate;
  }
  return nullptr;
}

}  // namespace kerlab::ptx
