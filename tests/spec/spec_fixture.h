#pragma once
// Small specs for tests: written into a temporary folder, loaded, or the message of what is wrong with them.

#include <string>

#include "base/temporary_folder.h"
#include "modules.h"
#include "spec/spec.h"

namespace kerlab::testing {

/// A legal family: D[M][N] from A[M][K], flag layout, scalar alpha.
extern const std::string kFamily;
/// A legal variant of it with parameters BM, BN and constraint 'square'.
extern const std::string kVariant;

/// Loads family.toml = `family`, tile.toml = `variant` (with empty sources beside them).
KernelFolder load_specs(const std::string& family, const std::string& variant);
/// What load_specs throws, from the file's name on ("family.toml:3:8: ..."); "no error" otherwise.
std::string load_error(const std::string& family, const std::string& variant);
/// `text` with `from` replaced, which must be there exactly once.
std::string replaced(const std::string& text, const std::string& from, const std::string& to);
/// An H200-like device.
DeviceInfo h200();

}  // namespace kerlab::testing
