#pragma once
// Persistent kernels: how many work tiles their blocks share.

#include "spec/spec.h"

namespace kerlab::session {

/// Of every launch of the plan the work tiles that its blocks take one after another. 0: not persistent; -1: it is, and
/// how many tiles there are is not known. Found by asking for the grid on a device with far more SMs: one that is no
/// larger there holds all the work in blocks, one that stops growing has a block for every tile.
std::vector<std::int64_t> tiles_of(const Family& family, const Variant& variant, const Problem& problem,
                                   const Configuration& configuration, const DeviceInfo& device);

}  // namespace kerlab::session
