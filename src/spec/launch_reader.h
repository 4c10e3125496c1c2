#pragma once
// Launches and their arguments as spec files write them: shared by variants and references.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spec/scope.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {

/// Whose launch it is: the arguments of a reference may be index, count, value and scale, of a checker index, count,
/// error and code; of what else a reference launches (before it, or to count the cost) only what those of a variant
/// may be.
enum class LaunchOf : std::uint8_t { variant, reference, checker, before_reference };

/// Reads kernel, grid, block, cluster, shared and arguments; `kernel` is the default of that key. Throws SpecError.
LaunchDecl read_launch(const SpecTable& table, const Scope& scope, LaunchOf whose);

/// The launches of a variant, [[launch]] or [[prepare]], in order. Throws SpecError.
std::vector<LaunchDecl> read_launches(const SpecTable& variant, const char* tables, const Scope& scope);

/// Reads [[derived]] of a family or variant, unchecked and unsorted.
std::vector<Derived> read_derived(const SpecTable& table);

/// One argument: see ArgumentDecl. Throws SpecError when it names nothing.
ArgumentDecl parse_argument(const std::string& text, const SourceLocation& where, const Scope& scope, LaunchOf whose);

}  // namespace kerlab::spec
