#pragma once
// Launches and their arguments as spec files write them: shared by variants and references.

#include <string>
#include <string_view>
#include <vector>

#include "spec/scope.h"
#include "spec/spec_table.h"

namespace kerlab::spec {

/// Reads kernel, grid, block, cluster, shared and arguments; `kernel` is the default of that key. For a reference the
/// arguments may be reference slots and `count` is known. Throws SpecError.
LaunchDecl read_launch(const SpecTable& table, const Scope& scope, bool reference);

/// Reads [[derived]] of a family or variant, unchecked and unsorted.
std::vector<Derived> read_derived(const SpecTable& table);

/// One argument: see ArgumentDecl. Throws SpecError when it names nothing.
ArgumentDecl parse_argument(const std::string& text, const SourceLocation& where, const Scope& scope, bool reference);

}  // namespace kerlab::spec
