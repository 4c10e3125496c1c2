#include "plan/tensor_map.h"

#include "catch.h"

using namespace kerlab;

namespace {
TensorMapSpec legal() {
  TensorMapSpec spec;
  spec.tensor = "A";
  spec.dims = {4096, 4096};
  spec.stride_bytes = {8192};
  spec.box = {64, 128};
  spec.swizzle = Swizzle::b128;
  return spec;
}
}  // namespace

TEST_CASE("tensor map: the driver's rules", "[plan]") {
  CHECK(tensor_map_error(legal(), 256).empty());
  CHECK(tensor_map_error(legal(), 8) == "base address is not 16-byte aligned");
  auto spec = legal();
  spec.stride_bytes = {8190};
  CHECK(tensor_map_error(spec, 0) == "stride[0] = 8190 is not a multiple of 16 bytes");
  spec = legal();
  spec.box = {128, 128};
  CHECK(tensor_map_error(spec, 0) == "box[0] is 256 bytes, more than the swizzle span of 128");
  spec = legal();
  spec.box = {64, 257};
  CHECK(tensor_map_error(spec, 0) == "box[1] = 257 is outside 1..256");
  spec = legal();
  spec.swizzle = Swizzle::none;
  spec.box = {256, 256};
  CHECK(tensor_map_error(spec, 0).empty());
  spec.dtype = DType::fp32;
  CHECK(tensor_map_error(spec, 0) == "the box is 262144 bytes, more than an SM's 233472 of shared memory");
  spec = legal();
  spec.nan_fill = true;
  CHECK(tensor_map_error(spec, 0).empty());
  spec.dtype = DType::e4m3;
  CHECK(tensor_map_error(spec, 0) == "out-of-bounds NaN needs a floating type of 16 bits or more, not e4m3");
  spec = legal();
  spec.dims = {4096};
  CHECK_FALSE(tensor_map_error(spec, 0).empty());
}
