#include "verify/binding.h"

#include <cstring>

#include "base/error.h"
#include "catch.h"
#include "device/scripted.h"

using namespace kerlab;

namespace {

std::uint64_t word(const std::vector<std::byte>& bytes) {
  std::uint64_t value = 0;
  REQUIRE(bytes.size() == 8);
  std::memcpy(&value, bytes.data(), 8);
  return value;
}

}  // namespace

TEST_CASE("arguments are bound to addresses, bytes and maps", "[verify]") {
  test::Scripted device("");
  const Allocation memory(*device, 1 << 20);
  TensorMapSpec map{"A", 0, DType::fp16, {64, 64}, {128}, {64, 64}, Swizzle::b128, L2Promotion::none, false};
  Launch launch{"gemm", {2, 3, 4}, {128, 1, 1}, {2, 1, 1}, 512, {}};
  launch.arguments = {ScalarArgument{{std::byte{1}, std::byte{2}}, "x"},
                      TensorArgument{"A", 16},
                      WorkspaceArgument{"ws", 8},
                      TensorMapArgument{map},
                      ReferenceSlot::index,
                      ReferenceSlot::count,
                      ReferenceSlot::value,
                      ReferenceSlot::scale};
  const Addresses addresses{{"A", memory.pointer()}, {"ws", 0x1000}};
  const BoundLaunch bound = bind_launch(*device, 7, launch, addresses, {0, 99, 0x2000, 0x3000});
  CHECK(bound.module == 7);
  CHECK(bound.kernel == "gemm");
  CHECK(bound.grid == launch.grid);
  CHECK(bound.cluster == launch.cluster);
  CHECK(bound.dynamic_shared == 512);
  REQUIRE(bound.arguments.size() == 8);
  CHECK(bound.arguments[0].size() == 2);
  CHECK(word(bound.arguments[1]) == memory.pointer() + 16);
  CHECK(word(bound.arguments[2]) == 0x1008);
  CHECK(bound.arguments[3].size() == 128);
  CHECK(word(bound.arguments[4]) == 0);
  CHECK(word(bound.arguments[5]) == 99);
  CHECK(word(bound.arguments[6]) == 0x2000);
  CHECK(word(bound.arguments[7]) == 0x3000);

  map.box = {64, 512};
  launch.arguments = {TensorMapArgument{map}};
  CHECK_THROWS_AS(bind_launch(*device, 7, launch, addresses), Error);
  launch.arguments = {TensorArgument{"Z", 0}};
  CHECK_THROWS_WITH(bind_launch(*device, 7, launch, addresses), Catch::Contains("'Z'"));
}
