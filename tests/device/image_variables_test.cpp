// Names of variables in what NVRTC makes of a source; nothing is run.
#include "device/cuda/image_variables.h"

#include <algorithm>

#include "catch.h"
#include "verify/lab_image.h"

using namespace kerlab;

TEST_CASE("the variables of a cubin are found, those of functions and of no name in PTX included", "[device]") {
  const Bytes cubin = test::compile_text(R"(
__device__ unsigned launches;
__device__ float table[4] = {1, 2, 3, 4};
__constant__ float fixed[4];
static __device__ double hidden;
extern "C" __global__ void kernel(float* out) {
  static __device__ int inner;
  __shared__ float own[32];
  own[threadIdx.x] = table[threadIdx.x & 3] + fixed[threadIdx.x & 3];
  hidden += own[0];
  out[threadIdx.x] = ++launches + ++inner + own[threadIdx.x];
})",
                                         "sm_90a")
                          .cubin;
  const std::vector<ImageVariable> found = image_variables(cubin);
  const auto bytes = [&](const std::string& part) -> std::uint64_t {
    const auto at = std::find_if(found.begin(), found.end(),
                                 [&](const ImageVariable& v) { return v.name.find(part) != std::string::npos; });
    return at == found.end() ? 0 : at->bytes;
  };
  CHECK(found.size() == 5);
  CHECK(bytes("fixed") == 16);
  for (const ImageVariable& variable : found)
    CHECK(variable.constant == (variable.name.find("fixed") != std::string::npos));
  CHECK(bytes("launches") == 4);
  CHECK(bytes("table") == 16);
  CHECK(bytes("hidden") == 8);
  CHECK(bytes("inner") == 4);
}

TEST_CASE("what is no cubin has no variables, nor has a damaged one", "[device]") {
  Bytes cubin = test::compile_text("__device__ int x; extern \"C\" __global__ void k() { ++x; }", "sm_90a").cubin;
  CHECK(image_variables(cubin).size() == 1);
  CHECK(image_variables({}).empty());
  CHECK(image_variables(Bytes(100, std::byte{1})).empty());
  for (std::size_t length = 0; length < cubin.size(); length += 7)
    CHECK(image_variables(std::span(cubin).first(length)).size() <= 1);
  for (std::size_t at = 16; at < 64; ++at) {
    Bytes damaged = cubin;
    damaged[at] = std::byte{0xff};
    CHECK(image_variables(damaged).size() <= 1);
  }
}
