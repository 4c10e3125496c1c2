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
#include "compile/project_folder.h"

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

/// Collects headers. NVRTC looks a header up by its name exactly as written, in one flat list, wherever the #include
/// stands; so a name can mean only one file, and a file known by several names is given once, the others forwarding to
/// it (#pragma once tells files apart by name).
class Collector {
 public:
  Collector(const std::vector<fs::path>& include_folders, const std::vector<fs::path>& header_folders, fs::path project)
      : include_folders_(include_folders), header_folders_(header_folders), project_(std::move(project)) {}

  /// `reached`: whether everything on the way to this file stands outside of any #if.
  void follow(const fs::path& file, const std::string& text, bool reached) {
    for (const IncludeLine& include : scan_includes(text)) {
      require_plain(include, file);
      const std::optional<fs::path> found = find(file.parent_path(), include);
      if (found)
        add(*found, include, file, reached);
      else if (include.form == IncludeLine::Form::quoted && reached && !include.conditional &&
               !is_left_to_compiler(include.name))
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
    for (const auto* folders : {&include_folders_, &header_folders_})
      for (const fs::path& folder : *folders) list += fmt::format(", in {}", folder.string());
    return list;
  }

  [[nodiscard]] std::optional<fs::path> find(const fs::path& beside, const IncludeLine& include) const {
    std::error_code ignored;
    if (include.form == IncludeLine::Form::computed) return {};
    std::vector<fs::path> folders = header_folders_;
    if (include.form == IncludeLine::Form::quoted) {
      folders.insert(folders.begin(), include_folders_.begin(), include_folders_.end());
      folders.insert(folders.begin(), beside);
    }
    for (const fs::path& folder : folders)
      if (const fs::path candidate = folder / include.name; fs::is_regular_file(candidate, ignored)) return candidate;
    return {};
  }

  [[noreturn]] static void fail_outside(const IncludeLine& include, const fs::path& from) {
    throw Error(
        fmt::format("{}:{}: #include of \"{}\" leads out of this kernel's project: a header lies beside its "
                    "source, in its repository, in a folder of families or in one that --include names",
                    from.string(), include.line, include.name));
  }

  /// No header of a toolkit is asked for from the root on or by way of a folder above, and a kernel names what it
  /// reads: a macro could name any file. The user's headers may use macros; the compiler process can open no others
  /// than the toolkit's (compile/confinement.h).
  void require_plain(const IncludeLine& include, const fs::path& from) const {
    if (include.form == IncludeLine::Form::angled &&
        (include.name.starts_with('/') || include.name.find("..") != std::string::npos))
      fail_outside(include, from);
    if (include.form == IncludeLine::Form::computed && !is_users(from))
      throw Error(fmt::format("{}:{}: #include {}: a macro names the file; write its name, in quotes or brackets",
                              from.string(), include.line, include.name));
  }

  [[nodiscard]] bool is_users(const fs::path& file) const {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(fs::absolute(file), error);
    return std::ranges::any_of(header_folders_, [&](const fs::path& folder) { return is_below(whole, folder); });
  }

  /// A link may lead anywhere.
  [[nodiscard]] bool may_be_read(const fs::path& file) const {
    return is_below(file, project_) || is_users(file) ||
           std::ranges::any_of(include_folders_, [&](const fs::path& folder) { return is_below(file, folder); });
  }

  void add(const fs::path& path, const IncludeLine& include, const fs::path& from, bool reached) {
    const fs::path file = fs::canonical(path);
    if (!may_be_read(file)) fail_outside(include, from);
    if (const auto known = by_name_.find(include.name); known != by_name_.end()) {
      if (known->second.file == file) return;
      if (is_users(from) && first_name_.contains(fs::canonical(from))) return rename(file, include, from, reached);
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
    follow(path, text, reached && !include.conditional);
  }

  /// In the user's headers, which nobody edits: "detail.h" of a second folder is called "folder/detail.h" where it is
  /// included.
  void rename(const fs::path& file, IncludeLine include, const fs::path& from, bool reached) {
    Entry& including = by_name_.at(first_name_.at(fs::canonical(from)));
    const std::string written = include.name;
    include.name = (fs::path("..") / file.parent_path().filename() / file.filename()).string();
    for (int more = 2; by_name_.contains(include.name) && by_name_.at(include.name).file != file; ++more)
      include.name = fmt::format("../{}/{}/{}", more, file.parent_path().filename().string(), file.filename().string());
    std::size_t line = 0;
    for (int i = 1; i < include.line; ++i) line = including.text.find('\n', line) + 1;
    const std::size_t at = including.text.find(written, line);
    including.text.replace(at, written.size(), include.name);
    add(file, include, from, reached);
  }

  const std::vector<fs::path>& include_folders_;
  const std::vector<fs::path>& header_folders_;
  fs::path project_;
  std::map<std::string, Entry> by_name_;
  std::map<fs::path, std::string> first_name_;
};

}  // namespace

SourceBundle read_source(const fs::path& file, const std::vector<fs::path>& include_folders,
                         const std::vector<fs::path>& header_folders) {
  if (file.extension() == ".ptx") return read_images(file);
  require_inside(file);
  SourceBundle bundle;
  bundle.path = file.string();
  bundle.text = read_text(file);
  Collector collector(include_folders, header_folders, project_of(file));
  collector.follow(file, bundle.text, true);
  bundle.headers = collector.headers();
  FieldHasher hasher;
  hasher.field("text", bundle.text);
  for (const Header& header : bundle.headers) hasher.field("header", header.name).field("text", header.text);
  bundle.hash = hasher.hex();
  return bundle;
}

}  // namespace kerlab::compile
