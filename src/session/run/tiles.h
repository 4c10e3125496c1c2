#pragma once
// Kernels whose blocks stay: how many pieces of work they share.

#include "spec/spec.h"

namespace kerlab::session {

/// Of every launch of the plan the pieces that its blocks take by turns. 0: they do not stay; -1: they do, and how many
/// pieces there are is not known. Found by asking for the grid on a device with far more SMs: one that is no larger
/// there holds all the work in blocks, one that stops growing has a block for every piece.
std::vector<std::int64_t> tiles_of(const Family& family, const Variant& variant, const Problem& problem,
                                   const Configuration& configuration, const DeviceInfo& device);

}  // namespace kerlab::session
