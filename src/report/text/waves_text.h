#pragma once
// The waves of a launch in two sentences; waves_picture draws them.

#include "model/waves.h"

namespace kerlab::report {

/// "512 blocks on 264 places (2 an SM x 132 SMs), 2 waves; of the SMs 116 have 4, 16 have 3"
std::string waves_sentence(const LaunchWaves& waves, int blocks_per_sm, int sms);
/// How full the waves are, and what the last one costs; `us`: of the launch.
std::string tail_sentence(const LaunchWaves& waves, double us);

}  // namespace kerlab::report
