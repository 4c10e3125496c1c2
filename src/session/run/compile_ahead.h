#pragma once
// Compilations that will be asked for one after the other, done side by side before: they end in the cache.

#include <functional>
#include <vector>

#include "session/run/rig.h"

namespace kerlab::session {

/// Returns when all of them are compiled, or have failed; `progress` is told how many are left. Not to be used
/// without a cache (RigOptions::use_cache).
void compile_ahead(Rig& rig, std::vector<CompileRequest> requests, const std::function<void(std::size_t)>& progress);

}  // namespace kerlab::session
