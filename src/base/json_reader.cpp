#include "base/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace kerlab {
namespace {

using Json = nlohmann::json;

/// What the library says, without its own number: "syntax error while parsing value - ...".
std::string reason_of(const Json::parse_error& error) {
  std::string text = error.what();
  if (const std::size_t at = text.find(": "); at != std::string::npos) text = text.substr(at + 2);
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, 160);
}

constexpr std::size_t kMostShown = 40;

std::string shortened(std::string text) {
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "...";
  return text;
}

}  // namespace

JsonNode JsonNode::parse(const std::string& text, const std::string& file) {
  try {
    auto root = std::make_shared<const Json>(Json::parse(text));
    return {root, *root, file, ""};
  } catch (const Json::parse_error& error) {
    const std::size_t end = std::min(error.byte, text.size());
    const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw Error(fmt::format("{}:{}: no JSON: {}", file, lines + 1, reason_of(error)));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{}: no JSON: {}", file, error.what()));
  }
}

JsonNode JsonNode::below(const Json& value, const std::string& step) const {
  return {root_, value, file_, place_ + "/" + step};
}

std::optional<std::int64_t> JsonNode::whole() const {
  if (value_->is_boolean()) return value_->get<bool>() ? 1 : 0;
  if (!value_->is_number_integer()) return {};
  if (value_->is_number_unsigned() &&
      value_->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return {};
  return value_->get<std::int64_t>();
}

std::optional<JsonNode> JsonNode::find(const std::string& name) const {
  if (!value_->is_object()) fail("is no object {...}");
  const auto found = value_->find(name);
  if (found == value_->end() || found->is_null()) return {};
  return below(*found, name);
}

JsonNode JsonNode::at(const std::string& name) const {
  if (auto found = find(name)) return *found;
  fail(fmt::format("has no \"{}\"", name));
}

std::vector<JsonNode> JsonNode::elements() const {
  if (!value_->is_array()) fail("is no list [...]");
  std::vector<JsonNode> nodes;
  for (const Json& one : *value_) nodes.push_back(below(one, std::to_string(nodes.size())));
  return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  if (!value_->is_object()) fail("is no object {...}");
  std::vector<std::pair<std::string, JsonNode>> nodes;
  for (const auto& [name, one] : value_->items()) nodes.emplace_back(name, below(one, name));
  return nodes;
}

std::string JsonNode::text() const {
  if (!value_->is_string()) fail(fmt::format("'{}' is no text", shortened(shown())));
  return value_->get<std::string>();
}

double JsonNode::number() const {
  if (!value_->is_number()) fail(fmt::format("'{}' is no number", shortened(shown())));
  return value_->get<double>();
}

std::string JsonNode::shown() const {
  return value_->is_string() ? value_->get<std::string>()
                             : value_->dump(-1, ' ', false, Json::error_handler_t::replace);
}

void JsonNode::fail(const std::string& what) const {
  throw Error(fmt::format("{}: {}{}", file_, place_.empty() ? "" : "at " + place_ + ": ", what));
}

}  // namespace kerlab
