#include "session/find/user_file.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/file.h"
#include "spec/toml/source_path.h"
#include "spec/toml/spec_table.h"

namespace kerlab::session {

namespace {

namespace fs = std::filesystem;

/// Empty: unset.
std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

/// "~/x" and "$NAME/x" as a shell reads them; another path as it is.
std::string expanded(const std::string& text, const SourceLocation& where) {
  if (text.empty() || (text[0] != '~' && text[0] != '$')) return text;
  const std::size_t slash = std::min(text.find('/'), text.size());
  if (text[0] == '~' && slash > 1) throw SpecError(where, fmt::format("'{}': of ~ only ~/... is known", text));
  const std::string name = text[0] == '~' ? "HOME" : text.substr(1, slash - 1);
  const std::string value = variable(name);
  if (value.empty()) throw SpecError(where, fmt::format("'{}': the variable {} is not set", text, name));
  return value + text.substr(slash);
}

ProjectValue folder_of(const std::string& text, SourceLocation where) {
  where.context = "'include' of the user's kerlab.toml";
  if (text.find('\0') != std::string::npos) throw SpecError(where, "expected a path");
  const fs::path path = expanded(text, where);
  std::error_code error;
  if (!path.is_absolute())
    throw SpecError(where, fmt::format("'{}': a path from the root on, or one that begins with ~ or $NAME", text));
  if (!fs::is_directory(path, error)) throw SpecError(where, fmt::format("there is no folder {}", shown_path(path)));
  return {path.string(), where.text()};
}

}  // namespace

fs::path user_file_path() {
  const fs::path config = variable("XDG_CONFIG_HOME");
  if (config.is_absolute()) return config / "kerlab" / "kerlab.toml";
  const fs::path home = variable("HOME");
  return home.is_absolute() ? home / ".config" / "kerlab" / "kerlab.toml" : fs::path();
}

std::vector<ProjectValue> read_user_includes(const fs::path& file) {
  std::error_code error;
  std::vector<ProjectValue> folders;
  if (file.empty() || !fs::is_regular_file(file, error)) return folders;
  const TomlValue value = parse_toml(read_text(file), shown_path(file));
  const SpecTable table(value, "the user's kerlab.toml", {"include"});
  const TomlValue* const include = table.find("include");
  if (include != nullptr && include->kind == TomlValue::Kind::string)
    folders.push_back(folder_of(include->text, include->where));
  else
    for (const auto& [text, where] : table.located_texts("include")) folders.push_back(folder_of(text, where));
  return folders;
}

}  // namespace kerlab::session
