#include "session/find/vocabulary.h"

#include <algorithm>

#include "base/file.h"
#include "device/emu/emu_device_profile.h"
#include "session/find/suite.h"
#include "session/run/rig.h"
#include "spec/readers.h"
#include "spec/toml/toml_reader.h"

namespace kerlab::session {

namespace {

/// What `read` gives, or nothing where it cannot be read: a kernel's author may be in the middle of a word.
template <typename Read>
auto readable(Read read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<Family> readable_family(const KernelRoots& kernels, const std::string& name) {
  return readable([&] { return read_family(open_catalogue(kernels).locate(name) / "family.toml"); });
}

/// Those that can be read.
std::vector<Variant> readable_variants(const Family& family) {
  std::vector<Variant> variants;
  for (const std::filesystem::path& file : variant_files(family.folder))
    if (auto variant = readable([&] { return read_variant(file, family); })) variants.push_back(std::move(*variant));
  std::ranges::stable_sort(variants, {}, &Variant::rung);
  return variants;
}

/// The file of that name first: one file is read instead of all.
std::optional<Variant> readable_variant(const Family& family, const std::string& name) {
  auto variant = readable([&] { return read_variant(family.folder / (name + ".toml"), family); });
  if (variant && variant->name == name) return variant;
  for (Variant& other : readable_variants(family))
    if (other.name == name) return std::move(other);
  return std::nullopt;
}

std::vector<std::string> dtype_names(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(name(dtype));
  return names;
}

std::string with_default(const std::string& doc, const std::string& value) {
  return doc.empty() ? fmt::format("default {}", value) : fmt::format("{} (default {})", doc, value);
}

/// `doc` of a TOML file's top.
std::string doc_of(const std::filesystem::path& file) {
  const auto value = readable([&] { return parse_toml(read_text(file), file.string()); });
  for (std::size_t i = 0; value && i < value->keys.size(); ++i)
    if (value->keys[i] == "doc") return value->items[i].text;
  return {};
}

}  // namespace

std::vector<DeclaredName> family_words(const KernelRoots& kernels) {
  std::vector<DeclaredName> words;
  const Catalogue catalogue = open_catalogue(kernels);
  for (const std::string& name : catalogue.names()) {
    const auto folder = readable([&] { return catalogue.locate(name); });
    words.push_back({name, folder ? doc_of(*folder / "family.toml") : "", {}});
  }
  return words;
}

std::vector<DeclaredName> variant_words(const KernelRoots& kernels, const std::string& family) {
  std::vector<DeclaredName> words;
  if (const auto read = readable_family(kernels, family))
    for (const Variant& variant : readable_variants(*read)) words.push_back({variant.name, variant.doc, {}});
  return words;
}

std::vector<DeclaredName> parameter_words(const KernelRoots& kernels, const std::string& family,
                                          const std::string& variant) {
  const auto read = readable_family(kernels, family);
  const auto found = read ? readable_variant(*read, variant) : std::nullopt;
  std::vector<DeclaredName> words;
  if (!found) return words;
  for (const Parameter& parameter : found->parameters) {
    DeclaredName word{parameter.name, with_default(parameter.doc, value_text(parameter, parameter.default_value)), {}};
    for (const std::int64_t value : parameter.values) word.values.push_back(value_text(parameter, value));
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<DeclaredName> problem_words(const KernelRoots& kernels, const std::string& family) {
  const auto read = readable_family(kernels, family);
  std::vector<DeclaredName> words;
  if (!read) return words;
  for (const Dimension& dimension : read->dimensions)
    words.push_back({dimension.name, with_default(dimension.doc, dimension.default_value.text()), {}});
  for (const Flag& flag : read->flags)
    words.push_back({flag.name, with_default(flag.doc, flag.default_value), flag.values});
  for (const ScalarDecl& scalar : read->scalars)
    words.push_back({scalar.name, with_default(scalar.doc, fmt::format("{}", scalar.default_value)), {}});
  return words;
}

std::vector<std::string> dtype_words(const KernelRoots& kernels, const std::string& family) {
  if (!family.empty())
    if (const auto read = readable_family(kernels, family)) return dtype_names(read->dtypes);
  std::vector<std::string> words;
  for (const std::string& name : open_catalogue(kernels).names()) {
    const auto read = readable_family(kernels, name);
    for (const std::string& dtype : read ? dtype_names(read->dtypes) : std::vector<std::string>{})
      if (std::ranges::find(words, dtype) == words.end()) words.push_back(dtype);
  }
  return words;
}

std::vector<DeclaredName> suite_words(std::vector<std::filesystem::path> folders) {
  folders.push_back(shipped_suites());
  std::vector<DeclaredName> words;
  for (const std::filesystem::path& folder : folders)
    for (const std::string& name : suite_names(folder)) words.push_back({name, doc_of(folder / (name + ".toml")), {}});
  return words;
}

std::vector<DeclaredName> emulated_device_words() {
  std::vector<DeclaredName> words;
  const auto devices = readable([] { return emu::list_emulated_devices(emu::profile_folder()); });
  for (const DeviceInfo& device : devices.value_or(std::vector<DeviceInfo>{}))
    words.push_back({device.id, device.name, {}});
  return words;
}

}  // namespace kerlab::session
