#include "model/profile.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/toml_guard.h"

namespace kerlab::model {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& file, const toml::source_region& where, std::string_view what) {
  throw Error(fmt::format("{}:{}:{}: {}", file.string(), where.begin.line, where.begin.column, what));
}

double positive(const fs::path& file, const toml::node& node, std::string_view key) {
  const std::optional<double> value = node.value<double>();
  if (!value || !std::isfinite(*value) || *value <= 0)
    fail(file, node.source(), fmt::format("'{}' must be a number above 0", key));
  return *value;
}

std::map<std::string, double, std::less<>> rates(const fs::path& file, const toml::table& profile,
                                                 std::string_view key) {
  std::map<std::string, double, std::less<>> found;
  const toml::node* node = profile.get(key);
  if (node == nullptr) return found;
  if (!node->is_table()) fail(file, node->source(), fmt::format("'{}' must be a table of dtype = FLOP/s", key));
  for (const auto& [dtype, rate] : *node->as_table()) found.emplace(dtype.str(), positive(file, rate, dtype.str()));
  return found;
}

/// Length of the longest `match` string that is part of the name; 0: none.
std::size_t match_length(const fs::path& file, const toml::table& profile, std::string_view device_name) {
  const toml::array* match = profile["match"].as_array();
  if (match == nullptr) fail(file, profile.source(), "'match' must list parts of device names");
  std::size_t longest = 0;
  for (const toml::node& node : *match) {
    const std::optional<std::string> part = node.value<std::string>();
    if (!part || part->empty()) fail(file, node.source(), "'match' must list parts of device names");
    if (device_name.find(*part) != std::string_view::npos) longest = std::max(longest, part->size());
  }
  return longest;
}

toml::table parse(const fs::path& file) {
  try {
    const std::string text = read_text(file);
    guard_toml(text, file.string());
    return toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    fail(file, error.source(), error.description());
  }
}

DeviceProfile read_profile(const fs::path& file, const toml::table& table) {
  const toml::node* bandwidth = table.get("bandwidth");
  if (bandwidth == nullptr) fail(file, table.source(), "'bandwidth' (bytes/s) is missing");
  return {positive(file, *bandwidth, "bandwidth"), rates(file, table, "flops"), rates(file, table, "tensor_flops")};
}

std::vector<fs::path> profile_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::optional<DeviceProfile> find_profile(const fs::path& folder, std::string_view device_name) {
  std::optional<DeviceProfile> best;
  std::size_t best_length = 0;
  for (const fs::path& file : profile_files(folder)) {
    const toml::table table = parse(file);
    const std::size_t length = match_length(file, table, device_name);
    if (length <= best_length) continue;
    best = read_profile(file, table);
    best_length = length;
  }
  return best;
}

}  // namespace kerlab::model
