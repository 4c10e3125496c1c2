#include "spec/toml/toml_reader.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "base/toml_guard.h"

namespace kerlab::spec {
namespace {

constexpr int kMaximumNesting = 16;

class Converter {
 public:
  Converter(std::string_view text, const std::string& file) : file_(file) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines_.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  SourceLocation location(const toml::source_position& position) const {
    return {file_, static_cast<int>(position.line), static_cast<int>(position.column), {}};
  }

  TomlValue convert(const toml::node& node, int depth) const {
    TomlValue value;
    value.where = location(node.source().begin);
    if (depth > kMaximumNesting) throw SpecError(value.where, "nested too deeply");
    if (const auto* table = node.as_table()) return convert_table(*table, std::move(value), depth);
    if (const auto* array = node.as_array()) {
      value.kind = TomlValue::Kind::array;
      for (const toml::node& item : *array) value.items.push_back(convert(item, depth + 1));
    } else if (const auto* string = node.as_string()) {
      value.kind = TomlValue::Kind::string;
      value.text = string->get();
      value.text_where = inside_quotes(value.where);
    } else if (const auto* integer = node.as_integer()) {
      value.kind = TomlValue::Kind::integer;
      value.integer = integer->get();
    } else if (const auto* floating = node.as_floating_point()) {
      value.kind = TomlValue::Kind::floating;
      value.floating = floating->get();
    } else if (const auto* boolean = node.as_boolean()) {
      value.kind = TomlValue::Kind::boolean;
      value.boolean = boolean->get();
    } else {
      value.kind = TomlValue::Kind::date;
    }
    return value;
  }

 private:
  TomlValue convert_table(const toml::table& table, TomlValue value, int depth) const {
    for (auto&& [key, item] : table) {
      value.keys.emplace_back(key.str());
      value.key_where.push_back(location(key.source().begin));
      value.items.push_back(convert(item, depth + 1));
    }
    return value;
  }

  /// Expressions report columns inside their string, so skip its opening quotes.
  SourceLocation inside_quotes(SourceLocation where) const {
    std::string_view rest;
    if (where.line >= 1 && static_cast<std::size_t>(where.line) <= lines_.size()) {
      rest = lines_[static_cast<std::size_t>(where.line) - 1];
      rest.remove_prefix(std::min(rest.size(), byte_of_column(rest, where.column)));
    }
    const bool multi_line = rest.starts_with("\"\"\"") || rest.starts_with("'''");
    where.column += multi_line ? 3 : 1;
    if (multi_line && rest.substr(3).find_first_not_of('\r') == std::string_view::npos) {
      ++where.line;
      where.column = 1;
    }
    return where;
  }

  /// Columns count code points.
  static std::size_t byte_of_column(std::string_view line, int column) {
    std::size_t byte = 0;
    for (int seen = 1; byte < line.size(); ++byte) {
      if ((static_cast<unsigned char>(line[byte]) & 0xC0u) == 0x80u) continue;
      if (seen++ == column) break;
    }
    return byte;
  }

  std::string file_;
  std::vector<std::string_view> lines_;
};

}  // namespace

TomlValue parse_toml(std::string_view text, const std::string& file) {
  if (const auto refusal = refused_toml(text))
    throw SpecError({file, refusal->line, refusal->column, {}}, refusal->what);
  const Converter converter(text, file);
  try {
    const toml::table root = toml::parse(text, file);
    TomlValue value = converter.convert(root, 0);
    value.where = {file, 1, 1, {}};
    return value;
  } catch (const toml::parse_error& error) {
    throw SpecError(converter.location(error.source().begin), std::string(error.description()));
  }
}

}  // namespace kerlab::spec
