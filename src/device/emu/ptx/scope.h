#pragma once
// The names that can be seen at one point of a module: nested { } hide outer ones.

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/modules.h"

namespace kerlab::ptx {

enum class NameKind : std::uint8_t { register_, register_range, symbol, module_variable };

struct NameEntry {
  NameKind kind = NameKind::symbol;
  std::int32_t index = -1;
};

class Scopes {
 public:
  void open();
  void close();
  [[nodiscard]] std::size_t depth() const { return opened_.size(); }
  /// False if the innermost scope has the name already.
  bool declare(std::string_view name, NameEntry entry);
  [[nodiscard]] const NameEntry* find(std::string_view name) const;

 private:
  struct Hidden {
    std::string_view name;
    std::optional<NameEntry> before;
    std::size_t depth_before;
  };
  struct Visible {
    NameEntry entry;
    std::size_t depth = 0;
  };
  std::unordered_map<std::string_view, Visible> visible_;
  std::vector<Hidden> declared_;
  std::vector<std::size_t> opened_;  ///< size of declared_ when the scope was opened
};

}  // namespace kerlab::ptx
