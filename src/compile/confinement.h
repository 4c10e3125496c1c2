#pragma once
// The compiler process compiles what may come from strangers. Whatever a source makes it open (a macro as the name of
// an include, a trick that the include scanner does not know), it finds the toolkit's files and no others.

#include <filesystem>
#include <vector>

#include "base/modules.h"

namespace kerlab::compile {

/// From here on this process can open for reading only what lies below `folders` (by Landlock, Linux 5.13 or newer).
/// False: the kernel has none, and nothing has changed.
bool read_only_below(const std::vector<std::filesystem::path>& folders) noexcept;

}  // namespace kerlab::compile
