#include <algorithm>
#include <filesystem>

#include "cli/help/completion.h"

namespace kerlab::cli {

namespace {

namespace fs = std::filesystem;

/// Those that begin with what was typed.
Completions matching(const std::string& word, Completions all) {
  std::erase_if(all, [&](const Completion& completion) { return !completion.text.starts_with(word); });
  return all;
}

Completions matching(const std::string& word, const std::vector<DeclaredName>& names, const std::string& before = "") {
  Completions all;
  for (const DeclaredName& name : names) all.push_back({before + name.name, name.doc, true});
  return matching(word, std::move(all));
}

/// What stands before the last part of a list, with its separator: "naive," of "naive,mm".
std::string list_head(const std::string& word, std::string_view separators = ",") {
  const std::size_t at = word.find_last_of(separators);
  return at == std::string::npos ? "" : word.substr(0, at + 1);
}

fs::path expanded(const std::string& path) {
  const char* home = std::getenv("HOME");
  return path.starts_with("~/") && home != nullptr ? fs::path(home) / path.substr(2) : fs::path(path);
}

bool is_family_folder(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "family.toml", error);
}

struct Entry {
  std::string name;
  bool folder = false;
};

/// What a folder holds, sorted; what cannot be read holds nothing.
std::vector<Entry> entries_of(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code error, ignored;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error))
    entries.push_back({entry->path().filename().string(), entry->is_directory(ignored)});
  std::ranges::sort(entries, {}, &Entry::name);
  return entries;
}

bool looks_like_path(const std::string& word) {
  return word.starts_with('.') || word.starts_with('~') || word.find('/') != std::string::npos;
}

/// Folders on the way to a family's, and families' folders; `after` follows the name of these.
Completions complete_family_folder(const std::string& word, const std::string& after) {
  Completions completions;
  for (Completion& folder : complete_path(word, true)) {
    const std::string name = folder.text.substr(0, folder.text.size() - 1);
    if (is_family_folder(expanded(name))) folder = {name + after, "family in this folder", after.empty()};
    completions.push_back(std::move(folder));
  }
  return completions;
}

/// Families with `after` behind their names, those in folders here as ./NAME.
Completions complete_families(const KernelRoots& kernels, const std::string& word, const std::string& after) {
  if (looks_like_path(word)) return complete_family_folder(word, after);
  Completions all;
  for (const DeclaredName& family : family_words(kernels))
    all.push_back({family.name + after, family.doc, after.empty()});
  for (const Completion& folder : word.empty() ? complete_family_folder("./", after) : Completions{})
    if (folder.doc == "family in this folder") all.push_back(folder);
  return matching(word, std::move(all));
}

/// Parameters that no part of `taken` names, with '='; or the values of the one that `part` names. `head` comes before.
Completions complete_assignment(const std::vector<DeclaredName>& parameters, const std::string& head,
                                const std::string& part, const std::vector<std::string>& taken) {
  const std::size_t equals = part.find('=');
  Completions all;
  for (const DeclaredName& parameter : parameters) {
    const std::string begin = parameter.name + "=";
    if (equals == std::string::npos) {
      if (std::ranges::none_of(taken, [&](const std::string& other) { return other.starts_with(begin); }))
        all.push_back({head + begin, parameter.doc, false});
    } else if (part.starts_with(begin)) {
      for (const std::string& value : parameter.values) all.push_back({head + begin + value, "", true});
    }
  }
  return matching(head + part, std::move(all));
}

std::string variant_part(const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.find(':'));
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos || is_family_folder(expanded(name)) ? "" : name.substr(slash + 1);
}

std::vector<DeclaredName> parameters_of(const KernelRoots& kernels, const std::string& kernel) {
  const std::string family = family_part(kernel), variant = variant_part(kernel);
  if (!variant.empty()) return parameter_words(kernels, family, variant);
  const std::vector<DeclaredName> variants = variant_words(kernels, family);
  return variants.size() == 1 ? parameter_words(kernels, family, variants.front().name) : std::vector<DeclaredName>{};
}

/// What stands before each comma.
std::vector<std::string> commas(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', from)) {
    parts.push_back(text.substr(from, at - from));
    from = at + 1;
  }
  return parts;
}

}  // namespace

std::string family_part(const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.find(':'));
  if (is_family_folder(expanded(name))) return expanded(name).string();
  const std::size_t slash = name.rfind('/');
  return expanded(slash == std::string::npos ? name : name.substr(0, slash)).string();
}

Completions complete_kernel(const KernelRoots& kernels, const std::string& word) {
  const std::size_t colon = word.find(':'), slash = word.rfind('/');
  if (colon != std::string::npos) {
    const std::string head = list_head(word, ":,");
    return complete_assignment(parameters_of(kernels, word), head, word.substr(head.size()),
                               commas(word.substr(colon + 1)));
  }
  if (slash == std::string::npos) return complete_families(kernels, word, "/");
  const std::string family = expanded(word.substr(0, slash)).string();
  const Completions variants = matching(word, variant_words(kernels, family), word.substr(0, slash + 1));
  return variants.empty() ? complete_family_folder(word, "/") : variants;
}

Completions complete_family(const KernelRoots& kernels, const std::string& word) {
  return complete_families(kernels, word, "");
}

Completions complete_variant(const KernelRoots& kernels, const std::string& family, const std::string& word) {
  std::vector<DeclaredName> variants = variant_words(kernels, family);
  for (const std::string& taken : commas(word)) std::erase_if(variants, [&](const auto& v) { return v.name == taken; });
  return matching(word, variants, list_head(word));
}

Completions complete_parameter(const KernelRoots& kernels, const std::string& kernel, const std::string& word,
                               const std::vector<std::string>& taken) {
  const std::string head = list_head(word);
  std::vector<std::string> all = commas(word);
  all.insert(all.end(), taken.begin(), taken.end());
  return complete_assignment(parameters_of(kernels, kernel), head, word.substr(head.size()), all);
}

Completions complete_value(const KernelRoots& kernels, const std::string& kernel, const std::string& parameter,
                           const std::string& word) {
  Completions all;
  for (const DeclaredName& known : parameters_of(kernels, kernel))
    for (const std::string& value : known.name == parameter ? known.values : std::vector<std::string>{})
      all.push_back({value, "", true});
  return matching(word, std::move(all));
}

Completions complete_flag(const KernelRoots& kernels, const std::string& family, const std::string& flag,
                          const std::string& word) {
  Completions all;
  for (const DeclaredName& known : problem_words(kernels, family_part(family)))
    for (const std::string& value : known.name == flag ? known.values : std::vector<std::string>{})
      all.push_back({list_head(word) + value, "", true});
  return matching(word, std::move(all));
}

Completions complete_problem(const KernelRoots& kernels, const std::string& family, const std::string& word) {
  return matching(word, problem_words(kernels, family_part(family)));
}

Completions complete_dtype(const KernelRoots& kernels, const std::string& family, const std::string& word) {
  Completions all;
  const std::vector<std::string> taken = commas(word);
  for (const std::string& dtype : dtype_words(kernels, family.empty() ? "" : family_part(family)))
    if (std::ranges::find(taken, dtype) == taken.end()) all.push_back({list_head(word) + dtype, "", true});
  return matching(word, std::move(all));
}

Completions complete_device(const std::string& word) {
  const std::string script = "script:";
  if (word.starts_with(script)) {
    Completions files = complete_path(word.substr(script.size()), false);
    for (Completion& file : files) file.text = script + file.text;
    return files;
  }
  Completions all = matching(word, emulated_device_words());
  for (Completion& other : matching(word, {{"cuda:", "a GPU by its number: cuda:0", false},
                                           {"cuda:all", "every GPU, for a tune", true},
                                           {"script:", "a device that does what a file says", false}}))
    all.push_back(std::move(other));
  return all;
}

Completions complete_suite(const std::vector<std::filesystem::path>& folders, const std::string& word) {
  Completions all = looks_like_path(word) ? Completions{} : matching(word, suite_words(folders));
  for (Completion& file : complete_path(word, false))
    if (file.whole ? file.text.ends_with(".toml") : looks_like_path(word)) all.push_back(std::move(file));
  return all;
}

Completions complete_path(const std::string& word, bool folders) {
  const std::string head = list_head(word, "/");
  Completions all;
  for (const Entry& entry : entries_of(expanded(head))) {
    const bool hidden = entry.name.starts_with('.') && !word.substr(head.size()).starts_with('.');
    if (hidden || (folders && !entry.folder)) continue;
    all.push_back({head + entry.name + (entry.folder ? "/" : ""), "", !entry.folder});
  }
  return matching(word, std::move(all));
}

}  // namespace kerlab::cli
