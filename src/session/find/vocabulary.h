#pragma once
// What may be typed about kernels, as the specs declare it: for completions. Nothing here throws: what cannot be read
// has no words.

#include <filesystem>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace kerlab::session {

/// A name, what it is for, and the values that its spec lists (none: any).
struct DeclaredName {
  std::string name, doc;
  std::vector<std::string> values;
};

using KernelRoots = KernelPlaces;

/// Families of the catalogue, with their docs.
std::vector<DeclaredName> family_words(const KernelRoots& kernels);
/// Variants of a family, the ladder's order, with their docs. `family`: a name or a folder.
std::vector<DeclaredName> variant_words(const KernelRoots& kernels, const std::string& family);
/// Parameters of a variant in the order of its file; their values in the order of the file.
std::vector<DeclaredName> parameter_words(const KernelRoots& kernels, const std::string& family,
                                          const std::string& variant);
/// Dimensions ("default 4096" among the docs), flags with their values, scalars.
std::vector<DeclaredName> problem_words(const KernelRoots& kernels, const std::string& family);
/// Of a family, its default first; of every family where `family` is empty or cannot be read.
std::vector<std::string> dtype_words(const KernelRoots& kernels, const std::string& family);

/// Suites of these folders and the shipped ones, with their docs.
std::vector<DeclaredName> suite_words(std::vector<std::filesystem::path> folders = {});
/// "emu:h200" and the like, with the names of the GPUs.
std::vector<DeclaredName> emulated_device_words();

}  // namespace kerlab::session
