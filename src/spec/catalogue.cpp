#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>

#include "base/file.h"
#include "spec/name_lists.h"
#include "spec/readers.h"
#include "spec/spec.h"
#include "spec/toml/source_path.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {
namespace {

namespace fs = std::filesystem;

bool is_family_folder(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "family.toml", error);
}

/// Entries of a folder that satisfy `keep`, sorted; none when it cannot be read.
std::vector<fs::path> entries(const fs::path& folder, bool (*keep)(const fs::path&)) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (keep(entry->path())) result.push_back(entry->path());
  std::sort(result.begin(), result.end());
  return result;
}

bool is_variant_file(const fs::path& path) {
  return path.extension() == ".toml" && path.filename() != "family.toml" && path.filename().string()[0] != '.';
}

/// A spec's file with nothing but this key.
TomlValue only(const fs::path& file, std::string_view key) {
  TomlValue root = parse_toml(read_text(file), shown_path(file));
  TomlValue result = root;
  result.items.clear();
  result.keys.clear();
  result.key_where.clear();
  for (std::size_t i = 0; i < root.keys.size(); ++i)
    if (root.keys[i] == key) {
      result.items.push_back(root.items[i]);
      result.keys.push_back(root.keys[i]);
      result.key_where.push_back(root.key_where[i]);
    }
  return result;
}

}  // namespace

std::vector<std::string> former_names(const Variant& variant) {
  const TomlValue value = only(variant.file, "formerly");
  return SpecTable(value, "variant", {"formerly"}).texts("formerly");
}

std::vector<fs::path> variant_folders(const fs::path& family_file) {
  const TomlValue value = only(family_file, "folders");
  std::vector<fs::path> folders;
  for (const auto& [text, where] : SpecTable(value, "family", {"folders"}).located_texts("folders")) {
    if (!is_identifier(text)) throw SpecError(where, fmt::format("'{}' is no name of a folder beside this file", text));
    folders.push_back(family_file.parent_path() / text);
    std::error_code error;
    if (!fs::is_directory(folders.back(), error))
      throw SpecError(where, fmt::format("there is no folder {}", shown_path(folders.back())));
  }
  return folders;
}

std::vector<fs::path> variant_files(const fs::path& folder) {
  std::vector<fs::path> result = entries(folder, is_variant_file);
  for (const fs::path& more : variant_folders(folder / "family.toml"))
    for (fs::path& file : entries(more, is_variant_file)) result.push_back(std::move(file));
  return result;
}

namespace {

/// Under its name, or one that it had.
bool has_variant(const KernelFolder& folder, const std::string& name) {
  return std::ranges::any_of(folder.variants, [&](const Variant& variant) {
    if (variant.name == name) return true;
    const std::vector<std::string> former = former_names(variant);
    return std::ranges::find(former, name) != former.end();
  });
}

}  // namespace

KernelFolder load_folder(const fs::path& folder, const std::vector<std::string>& named) {
  if (!is_family_folder(folder))
    throw SpecError({shown_path(folder / "family.toml"), 1, 1, {}},
                    "no such file; 'kerlab new' writes a folder to start from");
  KernelFolder result{read_family(folder / "family.toml"), {}};
  const bool every = named.empty() || std::ranges::find(named, "all") != named.end();
  std::exception_ptr broken;  // the first that cannot be read, and that nobody may have asked for
  for (const fs::path& file : variant_files(folder)) {
    Variant variant;
    try {
      variant = read_variant(file, result.family);
    } catch (const SpecError&) {
      if (every) throw;
      if (!broken) broken = std::current_exception();
      continue;
    }
    for (const Variant& other : result.variants)
      if (other.name == variant.name)
        throw SpecError({shown_path(file), 1, 1, {}},
                        fmt::format("variant '{}' is also in {}", variant.name, shown_path(other.file)));
    result.variants.push_back(std::move(variant));
  }
  const auto is_there = [&](const std::string& name) { return has_variant(result, name); };
  if (broken && !std::ranges::all_of(named, is_there)) std::rethrow_exception(broken);
  std::stable_sort(result.variants.begin(), result.variants.end(),
                   [](const Variant& a, const Variant& b) { return a.rung < b.rung; });
  return result;
}

Catalogue::Catalogue(std::vector<fs::path> roots, std::vector<fs::path> headers)
    : roots_(std::move(roots)), headers_(std::move(headers)) {}

KernelFolder Catalogue::find(const std::string& name_or_path, const std::vector<std::string>& named) const {
  KernelFolder folder = load_folder(locate(name_or_path), named);
  folder.family.headers = headers_;
  for (Variant& variant : folder.variants) variant.headers = headers_;
  return folder;
}

fs::path Catalogue::locate(const std::string& name_or_path) const {
  if (is_identifier(name_or_path))
    for (const fs::path& root : roots_)
      if (is_family_folder(root / name_or_path)) return root / name_or_path;
  if (!name_or_path.empty() && is_family_folder(name_or_path)) return name_or_path;
  std::error_code error;
  if (!name_or_path.empty() && fs::is_directory(name_or_path, error))
    throw UsageError(fmt::format("{} has no family.toml; 'kerlab new' writes a folder to start from", name_or_path));
  if (const std::size_t slash = name_or_path.find('/'); slash != std::string::npos && slash > 0) {
    const std::string family = name_or_path.substr(0, slash);
    for (const fs::path& root : roots_)
      if (is_identifier(family) && is_family_folder(root / family))
        throw UsageError(fmt::format("there is no folder {}; to name a variant of {}: {} --variant {}", name_or_path,
                                     family, family, name_or_path.substr(slash + 1)));
  }
  if (name_or_path.find('/') != std::string::npos)
    throw UsageError(
        fmt::format("there is no folder {}; 'kerlab new {}' writes one to start from", name_or_path, name_or_path));
  const std::vector<std::string> known = names();
  throw UsageError(fmt::format("unknown kernel '{}'{} (known: {}; or a path to a folder; --kernels DIR adds more)",
                               name_or_path, suggestion(name_or_path, known), fmt::join(known, ", ")));
}

std::vector<std::string> Catalogue::names() const {
  std::set<std::string> result;
  for (const fs::path& root : roots_)
    for (const fs::path& folder : entries(root, is_family_folder)) result.insert(folder.filename().string());
  return {result.begin(), result.end()};
}

}  // namespace kerlab::spec
