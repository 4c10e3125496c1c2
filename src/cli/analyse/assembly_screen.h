#pragma once
// What `kerlab ptx` and `kerlab sass` print.

#include <string>

#include "report/form/json.h"
#include "session/analyse/assembly.h"

namespace kerlab::cli {

/// A line for each source line that made code: how many instructions, which of the tensor pipe, which copy.
std::string assembly_overview(const Assembly& assembly, bool color, int width);
/// A line of the variant's own source, where `file` is empty, or of a file by its name.
struct SourcePlace {
  std::string file;
  int line = 0;
};
/// "131", "epilogue.cuh:62". Throws UsageError.
SourcePlace parse_place(const std::string& text);
/// Source lines with their instructions below, those of the tensor pipe and copies marked. `only`: of this line alone;
/// none: everything. Throws UsageError that names lines with code near it.
std::string assembly_text(const Assembly& assembly, const std::optional<SourcePlace>& only, bool color, int width);
JsonValue::Object assembly_value(const Assembly& assembly);

}  // namespace kerlab::cli
