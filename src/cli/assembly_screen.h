#pragma once
// What `kerlab ptx` and `kerlab sass` print.

#include <string>

#include "report/json.h"
#include "session/assembly.h"

namespace kerlab {

/// A line for each source line that made code: how many instructions, which of the tensor pipe, which copy.
std::string assembly_overview(const Assembly& assembly, bool color, int width);
/// Source lines with their instructions below, those of the tensor pipe and copies marked. `line`: only of this line of
/// the variant's source; 0: everything. Throws UsageError that names lines with code near it.
std::string assembly_text(const Assembly& assembly, int line, bool color, int width);
JsonValue::Object assembly_value(const Assembly& assembly);

}  // namespace kerlab
