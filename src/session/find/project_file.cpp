#include "session/find/project_file.h"

#include <fmt/format.h>

#include "base/file.h"
#include "spec/toml/source_path.h"
#include "spec/toml/spec_table.h"

namespace kerlab::session {

namespace {

namespace fs = std::filesystem;

const std::vector<std::string_view> kKeys = {"device", "kernels", "db", "suites", "margins"};

class ProjectReader {
 public:
  ProjectReader(const TomlValue& value, fs::path folder)
      : table_(value, "kerlab.toml", kKeys), folder_(std::move(folder)) {}

  /// "script:FILE" holds a path as well.
  [[nodiscard]] std::optional<ProjectValue> device() const {
    if (!table_.has("device")) return {};
    const std::string text = table_.text("device"), script = "script:";
    if (text.empty()) table_.fail("device", "expected a device, as in \"auto\", \"cuda:0\" or \"emu:h200\"");
    return ProjectValue{text.starts_with(script)
                            ? script + resolved("device", table_.where("device"), text.substr(script.size()))
                            : text,
                        table_.where("device").text()};
  }
  [[nodiscard]] std::optional<ProjectValue> database() const {
    if (!table_.has("db")) return {};
    const SourceLocation where = table_.where("db");
    return ProjectValue{resolved("db", where, table_.text("db")), where.text()};
  }
  /// One folder, or a list of them.
  [[nodiscard]] std::vector<ProjectValue> folders(std::string_view key) const {
    std::vector<ProjectValue> values;
    const TomlValue* value = table_.find(key);
    if (value != nullptr && value->kind == TomlValue::Kind::string) {
      values.push_back(folder(key, value->where, value->text));
    } else {
      for (const auto& [text, where] : table_.located_texts(key)) values.push_back(folder(key, where, text));
    }
    return values;
  }
  void read_margins(ProjectFile& project) const {
    const TomlValue* margins = table_.find("margins");
    if (margins == nullptr) return;
    project.margins.read(*margins);
    project.margins_from = margins->where.text();
  }

 private:
  [[nodiscard]] std::string resolved(std::string_view key, SourceLocation where, const std::string& text) const {
    where.context = fmt::format("'{}' of kerlab.toml", key);
    if (text.empty() || text.find('\0') != std::string::npos) throw SpecError(where, "expected a path");
    return (folder_ / text).lexically_normal().string();
  }
  [[nodiscard]] ProjectValue folder(std::string_view key, SourceLocation where, const std::string& text) const {
    const std::string path = resolved(key, where, text);
    std::error_code error;
    where.context = fmt::format("'{}' of kerlab.toml", key);
    if (!fs::is_directory(path, error)) throw SpecError(where, fmt::format("there is no folder {}", shown_path(path)));
    return {path, where.text()};
  }

  SpecTable table_;
  fs::path folder_;
};

}  // namespace

fs::path find_project_file(const fs::path& folder) {
  std::error_code error;
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    if (fs::is_regular_file(at / "kerlab.toml", error)) return at / "kerlab.toml";
    if (at == at.parent_path()) break;
  }
  return {};
}

ProjectFile read_project_file(const fs::path& file) {
  const TomlValue value = parse_toml(read_text(file), shown_path(file));
  const ProjectReader reader(value, file.parent_path());
  ProjectFile project;
  project.path = file;
  project.device = reader.device();
  project.db = reader.database();
  project.kernels = reader.folders("kernels");
  project.suites = reader.folders("suites");
  reader.read_margins(project);
  return project;
}

}  // namespace kerlab::session
