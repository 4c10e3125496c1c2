#include "device/emu/image.h"

#include <cstring>

#include "base/error.h"
#include "catch.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {
std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
}  // namespace

TEST_CASE("image: what the compiler told of each kernel comes back, and the PTX as it was", "[emu][image]") {
  KernelResources a, b;
  a.kernel = "gemm";
  a.registers = 168, a.spill_bytes = 24, a.local_bytes = 16, a.static_shared = 8320;
  b.kernel = "reduce";
  b.registers = 32;
  const std::string ptx = "// Generated\n.version 9.0\n";
  const EmulatedImage image = read_emulated_image(emulated_image(ptx + '\0', std::vector{a, b}));
  CHECK(image.ptx == ptx);
  CHECK(image.kernels == std::vector{a, b});
}

TEST_CASE("image: PTX without a header, with a newer one, with a broken one, and no PTX", "[emu][image]") {
  CHECK(read_emulated_image(bytes_of(".version 9.0\n")).kernels.empty());
  CHECK(read_emulated_image({}).ptx.empty());
  const EmulatedImage newer = read_emulated_image(bytes_of("// kerlab kernel k warps 4 registers 40\n.version 9.0\n"));
  REQUIRE(newer.kernels.size() == 1);
  CHECK(newer.kernels[0].registers == 40);
  for (const char* broken : {"// kerlab kernel ", "// kerlab kernel k registers\n", "// kerlab kernel k registers x\n",
                             "// kerlab kernel k registers -1\n"}) {
    INFO(broken);
    CHECK_THROWS_AS(read_emulated_image(bytes_of(broken)), Error);
  }
  CHECK_THROWS_AS(read_emulated_image(bytes_of(std::string("\x7f"
                                                           "ELF\0\0\1",
                                                           7))),
                  Error);
}
