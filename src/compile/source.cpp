// Reads a source with everything it includes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "compile/compiler.h"
#include "compile/host_headers.h"
#include "compile/image_files.h"
#include "compile/include_scan.h"

namespace kerlab::compile {
namespace {

namespace fs = std::filesystem;

/// Quoted out of habit: standard headers, and those of the CUDA Toolkit.
bool is_left_to_compiler(const std::string& name) {
  constexpr std::array<std::string_view, 9> kToolkit = {"cuda",  "cub/",    "cooperative_groups", "curand", "device_",
                                                        "mma.h", "vector_", "math_constants.h",   "crt/"};
  return std::ranges::any_of(host_headers(), [&](const HostHeader& header) { return name == header.name; }) ||
         std::ranges::any_of(kToolkit, [&](std::string_view begin) { return name.starts_with(begin); });
}

/// Below which folder everything that a source includes may lie besides the folders that are named: what it is kept in,
/// a repository, or else the folder above its own.
fs::path project_of(const fs::path& source) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(source), error).parent_path();
  for (fs::path above = folder; above.has_relative_path(); above = above.parent_path())
    if (fs::exists(above / ".git", error)) return above;
  return folder.parent_path().has_relative_path() ? folder.parent_path() : folder;
}

bool is_below(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  // An empty name is the current folder, which fs::absolute does not know.
  const fs::path whole = fs::weakly_canonical(fs::absolute(folder.empty() ? "." : folder), error);
  return std::mismatch(whole.begin(), whole.end(), file.begin(), file.end()).first == whole.end();
}

/// Collects headers. NVRTC looks a header up by its name exactly as written, in one flat list, wherever the #include
/// stands; so a name can mean only one file, and a file known by several names is given once, the others forwarding to
/// it (#pragma once tells files apart by name).
class Collector {
 public:
  Collector(const std::vector<fs::path>& include_folders, fs::path project)
      : include_folders_(include_folders), project_(std::move(project)) {}

  void follow(const fs::path& file, const std::string& text) {
    for (const IncludeLine& include : scan_includes(text)) {
      if (include.angled) fail_outside(include, file);
      const std::optional<fs::path> found = find(file.parent_path(), include.name);
      if (found)
        add(*found, include, file);
      else if (!include.conditional && !is_left_to_compiler(include.name))
        throw Error(
            fmt::format("{}:{}: cannot find #include \"{}\" beside this file{} (a header of the CUDA Toolkit is "
                        "written <{}>)",
                        file.string(), include.line, include.name, searched(), include.name));
    }
  }

  [[nodiscard]] std::vector<Header> headers() const {
    std::vector<Header> result;
    for (const auto& [name, entry] : by_name_) result.push_back({name, entry.text, entry.file});
    return result;
  }

 private:
  struct Entry {
    fs::path file;
    std::string text;
  };

  [[nodiscard]] std::string searched() const {
    std::string list;
    for (const fs::path& folder : include_folders_) list += fmt::format(", in {}", folder.string());
    return list;
  }

  [[nodiscard]] std::optional<fs::path> find(const fs::path& beside, const std::string& name) const {
    std::error_code ignored;
    if (const fs::path candidate = beside / name; fs::is_regular_file(candidate, ignored)) return candidate;
    for (const fs::path& folder : include_folders_)
      if (const fs::path candidate = folder / name; fs::is_regular_file(candidate, ignored)) return candidate;
    return {};
  }

  [[noreturn]] static void fail_outside(const IncludeLine& include, const fs::path& from) {
    throw Error(
        fmt::format("{}:{}: #include of \"{}\" leads out of this kernel's project: a header lies beside its "
                    "source, in its repository or in a folder of families",
                    from.string(), include.line, include.name));
  }

  /// A link may lead anywhere.
  [[nodiscard]] bool may_be_read(const fs::path& file) const {
    return is_below(file, project_) ||
           std::ranges::any_of(include_folders_, [&](const fs::path& folder) { return is_below(file, folder); });
  }

  void add(const fs::path& path, const IncludeLine& include, const fs::path& from) {
    const fs::path file = fs::canonical(path);
    if (!may_be_read(file)) fail_outside(include, from);
    if (const auto known = by_name_.find(include.name); known != by_name_.end()) {
      if (known->second.file == file) return;
      throw Error(fmt::format("{}:{}: #include \"{}\" means {} here and {} elsewhere; rename one, or write its folder",
                              from.string(), include.line, include.name, file.string(), known->second.file.string()));
    }
    if (const auto known = first_name_.find(file); known != first_name_.end()) {
      by_name_[include.name] = {file, fmt::format("#include \"{}\"\n", known->second)};
      return;
    }
    first_name_[file] = include.name;
    const std::string text = read_text(file);
    by_name_[include.name] = {file, text};  // before following: a cycle ends here
    follow(path, text);
  }

  const std::vector<fs::path>& include_folders_;
  fs::path project_;
  std::map<std::string, Entry> by_name_;
  std::map<fs::path, std::string> first_name_;
};

}  // namespace

SourceBundle read_source(const fs::path& file, const std::vector<fs::path>& include_folders) {
  if (file.extension() == ".ptx") return read_images(file);
  SourceBundle bundle;
  bundle.path = file.string();
  bundle.text = read_text(file);
  Collector collector(include_folders, project_of(file));
  collector.follow(file, bundle.text);
  bundle.headers = collector.headers();
  FieldHasher hasher;
  hasher.field("text", bundle.text);
  for (const Header& header : bundle.headers) hasher.field("header", header.name).field("text", header.text);
  bundle.hash = hasher.hex();
  return bundle;
}

}  // namespace kerlab::compile
