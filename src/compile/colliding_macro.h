#pragma once
// Parameters are macros. Where a source that does not know kerlab declares something of the same name, the compiler
// complains of what the name has become, and not of the name.

#include <string>

#include "compile/compiler.h"

namespace kerlab::compile {

/// Of a source that does not compile: a declaration of something that an option -DNAME=... replaces, with its line and
/// what to write. Empty: none is seen.
std::string collision_hint(const CompileRequest& request);

}  // namespace kerlab::compile
