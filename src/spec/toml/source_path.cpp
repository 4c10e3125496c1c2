#include "spec/toml/source_path.h"

#include <fmt/format.h>

namespace kerlab::spec {

std::filesystem::path read_source_path(const SpecTable& table, std::string_view key, const std::string& fallback,
                                       const std::filesystem::path& folder) {
  const std::string text = table.text(key, fallback);
  const std::filesystem::path relative = std::filesystem::path(text).lexically_normal();
  if (text.find('\0') != std::string::npos || relative.empty() || relative.is_absolute() || *relative.begin() == "..")
    table.fail(key, "a source lies in the folder of its spec");
  std::error_code error;
  if (!std::filesystem::is_regular_file(folder / relative, error))
    table.fail(key, fmt::format("'{}' is not a file in {}", text, shown_path(folder)));
  return folder / relative;
}

std::string shown_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path current = std::filesystem::current_path(error);
  const std::filesystem::path relative = error ? path : path.lexically_proximate(current);
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

}  // namespace kerlab::spec
