#include "device/emu/emu_device_profile.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/toml_guard.h"

namespace kerlab::emu {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& file, const toml::source_region& at, std::string_view what) {
  throw Error(fmt::format("{}:{}:{}: {}", file.string(), at.begin.line, at.begin.column, what));
}

struct IntField {
  std::string_view key;
  int DeviceInfo::*member;
};
constexpr std::array kIntFields{
    IntField{"sms", &DeviceInfo::sms},
    IntField{"clock_mhz", &DeviceInfo::clock_mhz},
    IntField{"memory_clock_mhz", &DeviceInfo::memory_clock_mhz},
    IntField{"memory_bus_bits", &DeviceInfo::memory_bus_bits},
    IntField{"shared_per_block", &DeviceInfo::shared_per_block},
    IntField{"shared_per_sm", &DeviceInfo::shared_per_sm},
    IntField{"shared_reserved", &DeviceInfo::shared_reserved},
    IntField{"registers_per_block", &DeviceInfo::registers_per_block},
    IntField{"registers_per_sm", &DeviceInfo::registers_per_sm},
    IntField{"threads_per_block", &DeviceInfo::threads_per_block},
    IntField{"threads_per_sm", &DeviceInfo::threads_per_sm},
    IntField{"blocks_per_sm", &DeviceInfo::blocks_per_sm},
};

struct LongField {
  std::string_view key;
  std::int64_t DeviceInfo::*member;
};
constexpr std::array kLongFields{LongField{"memory_bytes", &DeviceInfo::memory_bytes},
                                 LongField{"l2_bytes", &DeviceInfo::l2_bytes}};

constexpr std::string_view kClusters = "max_active_clusters";

bool is_known(std::string_view key) {
  const auto has_key = [key](const auto& field) { return field.key == key; };
  return key == "name" || key == "cc" || key == "fp64_ratio" || key == kClusters ||
         std::ranges::any_of(kIntFields, has_key) || std::ranges::any_of(kLongFields, has_key);
}

const toml::node& required(const fs::path& file, const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) fail(file, table.source(), fmt::format("[device] lacks '{}'", key));
  return *node;
}

std::int64_t whole(const fs::path& file, const toml::table& table, std::string_view key, std::int64_t most) {
  const toml::node& node = required(file, table, key);
  const std::int64_t value = node.is_integer() ? *node.value<std::int64_t>() : 0;
  if (value <= 0 || value > most) fail(file, node.source(), fmt::format("'{}' must be a whole number above 0", key));
  return value;
}

/// Of sizes 1, 2, 4, 8, 16; without the key as if SMs could be combined at will.
void read_clusters(const fs::path& file, const toml::table& table, DeviceInfo& info) {
  info.assume_clusters();
  const toml::node* node = table.get(kClusters);
  if (node == nullptr) return;
  const auto wrong = [&] {
    fail(file, node->source(),
         fmt::format("'{}' must be {} whole numbers, of clusters of 1, 2, 4, 8 and 16 blocks, none of which have more "
                     "blocks than there are SMs",
                     kClusters, kClusterSizes.size()));
  };
  const toml::array* list = node->as_array();
  if (list == nullptr || list->size() != kClusterSizes.size()) wrong();
  for (std::size_t i = 0; i < kClusterSizes.size(); ++i) {
    const std::int64_t clusters = (*list)[i].is_integer() ? *(*list)[i].value<std::int64_t>() : -1;
    if (clusters < 0 || clusters > info.sms / kClusterSizes[i]) wrong();
    info.max_active_clusters[i] = static_cast<int>(clusters);
  }
}

std::string text(const fs::path& file, const toml::table& table, std::string_view key) {
  const toml::node& node = required(file, table, key);
  if (!node.is_string()) fail(file, node.source(), fmt::format("'{}' must be a string", key));
  return *node.value<std::string>();
}

DeviceInfo read_device(const fs::path& file, const toml::table& table) {
  for (const auto& [key, node] : table)
    if (!is_known(key.str())) fail(file, key.source(), fmt::format("[device] has no '{}'", key.str()));
  DeviceInfo info;
  info.id = "emu:" + file.stem().string();
  info.set_kind(DeviceKind::emulated);
  info.uuid = "emu-" + file.stem().string();
  info.name = text(file, table, "name");
  const std::string cc = text(file, table, "cc");
  if (std::sscanf(cc.c_str(), "%2d.%1d", &info.cc_major, &info.cc_minor) != 2)
    fail(file, table.get("cc")->source(), "'cc' must look like \"9.0\"");
  for (const IntField& field : kIntFields)
    info.*field.member = static_cast<int>(whole(file, table, field.key, 1 << 30));
  for (const LongField& field : kLongFields) info.*field.member = whole(file, table, field.key, std::int64_t{1} << 50);
  read_clusters(file, table, info);
  const toml::node& ratio = required(file, table, "fp64_ratio");
  info.fp64_ratio = ratio.value<double>().value_or(0);
  if (!(info.fp64_ratio > 0)) fail(file, ratio.source(), "'fp64_ratio' must be a number above 0");
  return info;
}

/// Empty when the profile has no [device] table.
std::optional<DeviceInfo> read_file(const fs::path& file) {
  toml::table table;
  try {
    const std::string text = read_text(file);
    guard_toml(text, file.string());
    table = toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    fail(file, error.source(), error.description());
  }
  const toml::node* device = table.get("device");
  if (device == nullptr) return std::nullopt;
  if (!device->is_table()) fail(file, device->source(), "'device' must be a table");
  return read_device(file, *device->as_table());
}

std::string names(const std::vector<DeviceInfo>& devices) {
  std::string joined;
  for (const DeviceInfo& device : devices) joined += (joined.empty() ? "" : ", ") + device.id;
  return joined.empty() ? "none" : joined;
}

}  // namespace

fs::path profile_folder() {
  return share_folder() / "configs" / "devices";
}

std::vector<DeviceInfo> list_emulated_devices(const fs::path& folder) {
  std::vector<DeviceInfo> devices;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() != ".toml") continue;
    if (auto device = read_file(entry.path())) devices.push_back(std::move(*device));
  }
  std::ranges::sort(devices, {}, &DeviceInfo::id);
  return devices;
}

DeviceInfo read_emulated_device(const fs::path& folder, std::string_view name) {
  const fs::path file = folder / (std::string(name) + ".toml");
  const bool plain = name.find('/') == std::string_view::npos;
  if (name.empty() || !plain || !fs::is_regular_file(file))
    throw UsageError(fmt::format("--device emu:{}: no such profile in {}; there is {}", name, folder.string(),
                                 names(list_emulated_devices(folder))));
  const std::optional<DeviceInfo> device = read_file(file);
  if (!device)
    throw Error(fmt::format("--device emu:{}: {} is a profile for rooflines only (no [device] table): nothing can be "
                            "run on it. To emulate there is {}",
                            name, file.string(), names(list_emulated_devices(folder))),
                ExitCode::inconclusive);
  return *device;
}

}  // namespace kerlab::emu
