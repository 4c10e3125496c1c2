#include "session/history/kernel_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include "base/file.h"
#include "session/run/rig.h"

namespace kerlab::session {

namespace {

namespace fs = std::filesystem;

/// Files by their absolute path.
class FileCollection {
 public:
  void add(const fs::path& file, const std::string& text) { texts_[fs::weakly_canonical(file)] = text; }
  void add(const SourceBundle& source) {
    add(source.path, source.text);
    for (const Header& header : source.headers)
      if (!header.file.empty()) add_header(header);
  }
  [[nodiscard]] KernelFiles below(const fs::path& folder) const {
    KernelFiles files;
    files.folder = fs::weakly_canonical(folder);
    for (const auto& [path, text] : texts_) {
      files.watched.push_back(path);
      const fs::path name = path.lexically_relative(files.folder);
      if (!name.empty() && *name.begin() != "..") files.own.push_back({name.string(), text});
    }
    return files;
  }

 private:
  /// One file may have several names, all but the first of which only lead to it.
  void add_header(const Header& header) {
    if (!texts_.contains(header.file) || texts_[header.file].size() < header.text.size())
      texts_[header.file] = header.text;
  }

  std::map<fs::path, std::string> texts_;
};

std::string text_if_there(const fs::path& file) {
  try {
    return read_text(file);
  } catch (const Error&) {
    return "";  // removed since it was read
  }
}

std::size_t indentation(const std::string& line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

/// The line of a source or of one of its headers, with its indentation; empty: not known.
std::string whole_line(const SourceBundle& source, const std::string& file, int number) {
  const std::string* text = file == source.path ? &source.text : nullptr;
  for (const Header& header : source.headers)
    if (file == header.name || file.ends_with("/" + header.name)) text = &header.text;
  if (text == nullptr) return "";
  std::istringstream lines(*text);
  std::string line;
  for (int i = 0; i < number; ++i)
    if (!std::getline(lines, line)) return "";
  return line;
}

/// Of the caret under the line that the compiler shows; it indents that line as it likes. 0: unknown.
std::size_t column_of(const std::vector<std::string>& shown, const std::string& line) {
  if (shown.size() < 3 || line.empty()) return 0;
  const std::size_t caret = shown[2].find('^');
  if (caret == std::string::npos || shown[2].find_first_not_of(' ') != caret) return 0;
  const std::size_t begin = indentation(shown[1]);
  return caret < begin ? 0 : caret - begin + indentation(line) + 1;
}

}  // namespace

KernelFiles kernel_files(const Family& family, const Variant& variant, const SourceBundle& source,
                         const SourceBundle& reference) {
  FileCollection files;
  files.add(source);
  if (!reference.path.empty()) files.add(reference);
  const fs::path spec = family.folder / "family.toml";
  for (const fs::path& file : {spec, variant.file}) files.add(file, text_if_there(file));
  KernelFiles found = files.below(family.folder);
  for (const Recording& recording : family.recordings)
    for (const Recording::Output& output : recording.outputs)
      found.watched.push_back(fs::weakly_canonical(output.files.value));
  return found;
}

fs::path folder_of_family(const KernelPlaces& kernels, const std::string& name) {
  std::error_code error;
  if (name.empty()) return {};
  const Catalogue catalogue = open_catalogue(kernels);
  if (name.find('/') == std::string::npos)
    for (const fs::path& root : catalogue.roots())
      if (fs::is_regular_file(root / name / "family.toml", error)) return root / name;
  return fs::is_directory(name, error) ? fs::path(name) : fs::path();
}

std::string error_in_place(const std::string& message, const SourceBundle& source) {
  std::vector<std::string> shown;
  std::istringstream stream(message);
  for (std::string line; std::getline(stream, line);) shown.push_back(line);
  if (shown.empty()) return message;
  const std::string& first = shown.front();
  const std::size_t close = first.find("): "), open = first.rfind('(', close);
  int number = 0;
  if (close == std::string::npos || open == std::string::npos) return first;
  const auto [end, error] = std::from_chars(first.data() + open + 1, first.data() + close, number);
  if (error != std::errc{} || end != first.data() + close) return first;
  const std::string file = first.substr(0, open);
  const std::size_t column = column_of(shown, whole_line(source, file, number));
  const std::string name = file == source.path ? fs::path(file).filename().string() : file;
  return fmt::format("{}:{}:{}{}", name, number, column > 0 ? fmt::format("{}:", column) : "", first.substr(close + 2));
}

}  // namespace kerlab::session
