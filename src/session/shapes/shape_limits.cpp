#include "session/shapes/shape_limits.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kShapesOfWinner = 20;
constexpr double kUsualFlopsOfWinner = 4e6;

}  // namespace

ShapeLimits limits_for(const DeviceInfo& device) {
  ShapeLimits limits;
  limits.bytes = device.is_slow ? 4 << 20 : 64 << 20;
  limits.flops = device.is_slow ? 4e7 : 4e9;
  // More keep one warp of an emulated device busy for a second; of a GPU's the reference, which is in fp64: all pairs
  // of 65,541; rows of 264.
  limits.long_bytes = device.is_slow ? limits.bytes : 4 * limits.bytes;
  limits.long_flops = device.is_slow ? limits.flops : 1e11;
  limits.block_flops = device.is_slow ? 1e6 : 1e10;
  return limits;
}

ShapeLimits limits_for_winner(const DeviceInfo& device) {
  ShapeLimits limits = limits_for(device);
  limits.shapes = kShapesOfWinner;
  limits.with_flags = 0;  // other flags are other problems, with winners of their own
  // Emulated, every recipe of a larger one would make a tune of attention minutes longer.
  if (device.is_slow) limits.usual_flops = kUsualFlopsOfWinner;
  return limits;
}

}  // namespace kerlab::session
