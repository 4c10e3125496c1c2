#pragma once
// JSON that others wrote, read with places: every mistake names the file and where in it.

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kerlab {

/// A value of a file. It keeps the whole file alive.
class JsonNode {
 public:
  /// Throws Error with `file` and the line for text that is no JSON.
  static JsonNode parse(const std::string& text, const std::string& file);

  [[nodiscard]] bool is_object() const { return value_->is_object(); }
  [[nodiscard]] bool is_array() const { return value_->is_array(); }
  [[nodiscard]] bool is_text() const { return value_->is_string(); }
  [[nodiscard]] bool is_number() const { return value_->is_number(); }
  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  /// A number without a fraction that 64 bits hold, or true (1) and false (0).
  [[nodiscard]] std::optional<std::int64_t> whole() const;

  /// A member; none: it is not there, or null.
  [[nodiscard]] std::optional<JsonNode> find(const std::string& name) const;
  [[nodiscard]] JsonNode at(const std::string& name) const;
  [[nodiscard]] std::vector<JsonNode> elements() const;
  [[nodiscard]] std::vector<std::pair<std::string, JsonNode>> members() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] double number() const;
  /// Text as it is, everything else as JSON.
  [[nodiscard]] std::string shown() const;

  /// Throws Error: "FILE: at /cache/16,1/time: WHAT".
  [[noreturn]] void fail(const std::string& what) const;
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  JsonNode(std::shared_ptr<const nlohmann::json> root, const nlohmann::json& value, std::string file, std::string place)
      : root_(std::move(root)), value_(&value), file_(std::move(file)), place_(std::move(place)) {}
  [[nodiscard]] JsonNode below(const nlohmann::json& value, const std::string& step) const;

  std::shared_ptr<const nlohmann::json> root_;
  const nlohmann::json* value_;
  std::string file_, place_;
};

}  // namespace kerlab
