#pragma once
// Two kernels' sources side by side.

#include <string>

#include "compile/compiler.h"

namespace kerlab::session {

/// What the sources are called in a diff; `before_mark` follows the names of the old headers.
struct SourceNames {
  std::string before, after, before_mark;
};

/// A unified diff of the kernels' own files, then of headers that both include or one does; empty: they are the same.
std::string source_difference(const SourceBundle& before, const SourceBundle& after, const SourceNames& names);

/// Of a header that a source includes; empty: it does not.
std::string header_text(const SourceBundle& source, const std::string& name);

}  // namespace kerlab::session
