#include <bit>
#include <functional>
#include <thread>

#include "catch.h"
#include "device/emu/memory_lab.h"

namespace kerlab::emu {
namespace {

using ptx::Atomic;
using ptx::Opcode;
using ptx::Space;
using ptx::Type;

ptx::Instruction atomic(Opcode opcode, Space space, Atomic operation, Type type, int vector = 1) {
  ptx::Instruction instruction = access(opcode, space, type, vector);
  instruction.modifiers.atomic = operation;
  instruction.text = opcode == Opcode::atom ? "atom" : "red";
  return instruction;
}

constexpr std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// All active lanes on one word that holds `initial`; lane l brings b(l) and c(l). Checks the word and every result
/// against `next` applied in lane order.
template <class T>
void check_chain(MemoryLab& lab, Space space, Atomic operation, Type type, T initial, const std::function<T(int)>& b,
                 const std::function<T(int)>& c, const std::function<T(T, T, T)>& next, std::uint32_t mask) {
  const DevicePtr global = lab.memory.allocate(64);
  std::byte* word = space == Space::global ? lab.memory.at(global + 16, 8) : lab.shared.data() + 16;
  const std::uint64_t at = space == Space::global ? global + 16 : space == Space::shared ? 16 : kSharedWindow + 16;
  constexpr bool kLong = sizeof(T) == 8;
  for (const Opcode opcode : {Opcode::atom, Opcode::red}) {
    if (opcode == Opcode::red && (operation == Atomic::exch || operation == Atomic::cas)) continue;
    std::memcpy(word, &initial, sizeof initial);
    lab.slots.fill(0xabababab);
    const Place address = lab.address([&](int) { return at - 8; });
    for (int lane = 0; lane < kLanes; ++lane) {
      if (kLong) {
        lab.set64(10, lane, b(lane));
        lab.set64(12, lane, c(lane));
      } else {
        lab.r32(10, lane) = static_cast<std::uint32_t>(b(lane));
        lab.r32(12, lane) = static_cast<std::uint32_t>(c(lane));
      }
    }
    // The result lies where the first operand lay: reading comes first.
    const int width = 8 * static_cast<int>(sizeof(T));
    std::vector<Place> operands = {address, {{10}, width}};
    if (opcode == Opcode::atom) operands.insert(operands.begin(), {{10}, width});
    if (operation == Atomic::cas) operands.push_back({{12}, width});
    const auto instruction = atomic(opcode, space, operation, type);
    lab.run(instruction, operands, mask, 8);
    T value = initial;
    for (int lane = 0; lane < kLanes; ++lane) {
      const T seen = kLong ? static_cast<T>(lab.r64(10, lane)) : static_cast<T>(lab.r32(10, lane));
      const bool active = (mask >> lane & 1) != 0;
      if (opcode == Opcode::atom) CHECK(seen == (active ? value : b(lane)));
      if (active) value = next(value, b(lane), c(lane));
    }
    T left;
    std::memcpy(&left, word, sizeof left);
    CHECK(left == value);
  }
}

template <class T>
void check_all(MemoryLab& lab, Space space, Atomic operation, Type type, const std::function<T(T, T, T)>& next) {
  const auto mixed = [](int lane) {
    return static_cast<T>(0x9e3779b97f4a7c15ull * static_cast<unsigned>(lane + 3) >> 5);
  };
  const auto small = [](int lane) { return static_cast<T>(lane % 5); };
  for (const std::uint32_t mask : {~0u, 0x80000001u, 0x00ffff00u}) {
    check_chain<T>(lab, space, operation, type, static_cast<T>(0x123456789abcdefull), mixed, small, next, mask);
    check_chain<T>(lab, space, operation, type, T{2}, small, mixed, next, mask);
  }
}

TEST_CASE("Integer atomics: lanes one after the other", "[emu][atomic]") {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  using s32 = std::int32_t;
  using s64 = std::int64_t;
  const bool v3 = GENERATE(false, true), parallel = GENERATE(false, true);
  const Space space = GENERATE(Space::global, Space::shared, Space::generic);
  MemoryLab lab(v3);
  lab.launch.parallel = parallel;
  check_all<u32>(lab, space, Atomic::add, Type::u32, [](u32 a, u32 b, u32) { return a + b; });
  check_all<u32>(lab, space, Atomic::add, Type::s32, [](u32 a, u32 b, u32) { return a + b; });
  check_all<u64>(lab, space, Atomic::add, Type::u64, [](u64 a, u64 b, u64) { return a + b; });
  check_all<u32>(lab, space, Atomic::min, Type::u32, [](u32 a, u32 b, u32) { return std::min(a, b); });
  check_all<u32>(lab, space, Atomic::max, Type::u32, [](u32 a, u32 b, u32) { return std::max(a, b); });
  check_all<u64>(lab, space, Atomic::min, Type::u64, [](u64 a, u64 b, u64) { return std::min(a, b); });
  check_all<u64>(lab, space, Atomic::max, Type::u64, [](u64 a, u64 b, u64) { return std::max(a, b); });
  check_all<u32>(lab, space, Atomic::min, Type::s32,
                 [](u32 a, u32 b, u32) { return u32(std::min(static_cast<s32>(a), static_cast<s32>(b))); });
  check_all<u32>(lab, space, Atomic::max, Type::s32,
                 [](u32 a, u32 b, u32) { return u32(std::max(static_cast<s32>(a), static_cast<s32>(b))); });
  check_all<u64>(lab, space, Atomic::min, Type::s64,
                 [](u64 a, u64 b, u64) { return u64(std::min(static_cast<s64>(a), static_cast<s64>(b))); });
  check_all<u64>(lab, space, Atomic::max, Type::s64,
                 [](u64 a, u64 b, u64) { return u64(std::max(static_cast<s64>(a), static_cast<s64>(b))); });
  check_all<u32>(lab, space, Atomic::and_, Type::b32, [](u32 a, u32 b, u32) { return a & b; });
  check_all<u64>(lab, space, Atomic::or_, Type::b64, [](u64 a, u64 b, u64) { return a | b; });
  check_all<u32>(lab, space, Atomic::xor_, Type::b32, [](u32 a, u32 b, u32) { return a ^ b; });
  check_all<u32>(lab, space, Atomic::exch, Type::b32, [](u32, u32 b, u32) { return b; });
  check_all<u64>(lab, space, Atomic::exch, Type::b64, [](u64, u64 b, u64) { return b; });
  check_all<std::uint16_t>(lab, space, Atomic::cas, Type::b16,
                           [](std::uint16_t a, std::uint16_t b, std::uint16_t c) { return a == b ? c : a; });
  check_all<u32>(lab, space, Atomic::cas, Type::b32, [](u32 a, u32 b, u32 c) { return a == b ? c : a; });
  check_all<u64>(lab, space, Atomic::cas, Type::b64, [](u64 a, u64 b, u64 c) { return a == b ? c : a; });
  check_all<u32>(lab, space, Atomic::inc, Type::u32, [](u32 a, u32 b, u32) { return a >= b ? 0 : a + 1; });
  check_all<u32>(lab, space, Atomic::dec, Type::u32, [](u32 a, u32 b, u32) { return a == 0 || a > b ? b : a - 1; });
}

TEST_CASE("Floating-point atomics add in lane order", "[emu][atomic]") {
  const bool v3 = GENERATE(false, true), parallel = GENERATE(false, true);
  const Space space = GENERATE(Space::global, Space::shared);
  MemoryLab lab(v3);
  lab.launch.parallel = parallel;
  check_chain<std::uint32_t>(
      lab, space, Atomic::add, Type::f32, bits(0.1f),
      [](int lane) { return bits(1.0f / static_cast<float>(lane + 1)); }, [](int) { return 0u; },
      [](std::uint32_t a, std::uint32_t b, std::uint32_t) {
        return bits(std::bit_cast<float>(a) + std::bit_cast<float>(b));
      },
      ~0u);
  check_chain<std::uint64_t>(
      lab, space, Atomic::add, Type::f64, std::bit_cast<std::uint64_t>(0.1),
      [](int lane) { return std::bit_cast<std::uint64_t>(1.0 / (lane + 1)); }, [](int) { return std::uint64_t{0}; },
      [](std::uint64_t a, std::uint64_t b, std::uint64_t) {
        return std::bit_cast<std::uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
      },
      0xfffffff0u);
}

/// What one lane makes of two values.
std::uint64_t add_once(MemoryLab& lab, Space space, Type type, std::uint64_t old, std::uint64_t b) {
  const DevicePtr global = lab.memory.allocate(8);
  const int width = type == Type::f64 ? 64 : 32;
  std::byte* word = space == Space::global ? lab.memory.at(global, 8) : lab.shared.data();
  std::memcpy(word, &old, 8);
  const Place address = lab.address([&](int) { return space == Space::global ? global : 0; });
  if (width == 64)
    lab.set64(10, 0, b);
  else
    lab.r32(10, 0) = static_cast<std::uint32_t>(b);
  const auto instruction = atomic(Opcode::red, space, Atomic::add, type);
  lab.run(instruction, {address, {{10}, width}}, 1);
  std::uint64_t left;
  std::memcpy(&left, word, 8);
  return left;
}

TEST_CASE("Floating-point atomics: subnormals, NaN, halves", "[emu][atomic]") {
  MemoryLab lab(GENERATE(false, true));
  // add.f32 flushes subnormals in global memory and not in shared memory (PTX ISA, atom).
  CHECK(add_once(lab, Space::shared, Type::f32, 0x00000001, 0x00000002) == 3);
  CHECK(add_once(lab, Space::global, Type::f32, 0x00000001, 0x00000002) == 0);
  CHECK(add_once(lab, Space::global, Type::f32, 0x80000001, 0x80000002) == 0x80000000);
  CHECK(add_once(lab, Space::global, Type::f32, 0x00800001, 0x80800000) == 0);
  CHECK(add_once(lab, Space::shared, Type::f32, 0x00800001, 0x80800000) == 1);
  CHECK(add_once(lab, Space::shared, Type::f32, 0xffc01234, 0) == 0x7fffffff);
  CHECK(add_once(lab, Space::global, Type::f32, 0x7f800000, 0xff800000) == 0x7fffffff);
  // f16: 1 + 2^-11 is a tie, to even; 1 + 3 2^-11 another; subnormals stay; the largest overflows.
  CHECK(add_once(lab, Space::shared, Type::f16, 0x3c00, 0x1000) == 0x3c00);
  CHECK(add_once(lab, Space::shared, Type::f16, 0x3c01, 0x1000) == 0x3c02);
  CHECK(add_once(lab, Space::global, Type::f16, 0x0001, 0x0002) == 3);
  CHECK(add_once(lab, Space::global, Type::f16, 0x7bff, 0x7bff) == 0x7c00);
  CHECK(add_once(lab, Space::global, Type::f16, 0x7c00, 0xfc00) == 0x7fff);
  CHECK(add_once(lab, Space::global, Type::f16, 0xabcd3c00, 0x3c00) == 0xabcd4000);  // the neighbour stays
  CHECK(add_once(lab, Space::global, Type::bf16, 0x3f80, 0x3b80) == 0x3f80);
  CHECK(add_once(lab, Space::global, Type::bf16, 0x3f81, 0x3b80) == 0x3f82);
  CHECK(add_once(lab, Space::global, Type::f16x2, 0x3c003c01, 0x3c001000) == 0x40003c02);
  CHECK(add_once(lab, Space::global, Type::bf16x2, 0x3f803f81, 0x3f803b80) == 0x40003f82);
  // f64, as recorded on an H200.
  constexpr std::uint64_t one = 0x3ff0000000000000, infinite = 0x7ff0000000000000, first = 0x7ff0000000000001,
                          second = 0xfff0000000000002, quiet = 0x0008000000000000;
  CHECK(add_once(lab, Space::global, Type::f64, first, second) == second);
  CHECK(add_once(lab, Space::global, Type::f64, first, one) == first);
  CHECK(add_once(lab, Space::shared, Type::f64, first, second) == (first | quiet));
  CHECK(add_once(lab, Space::shared, Type::f64, one, second) == (second | quiet));
  CHECK(add_once(lab, Space::shared, Type::f64, infinite, infinite | 1ull << 63) == 0xfff8000000000000);
  CHECK(add_once(lab, Space::global, Type::f64, 1, 2) == 3);
}

TEST_CASE("Vector atomics of f32", "[emu][atomic]") {
  MemoryLab lab(GENERATE(false, true));
  const DevicePtr global = lab.memory.allocate(256);
  const Place address = lab.address([&](int lane) { return global + 16u * static_cast<unsigned>(lane % 4); });
  for (int j = 0; j < 4; ++j)
    for (int lane = 0; lane < kLanes; ++lane) lab.r32(10 + j, lane) = bits(static_cast<float>(j + 1));
  const auto instruction = atomic(Opcode::atom, Space::global, Atomic::add, Type::f32, 4);
  lab.run(instruction, {{{10, 11, 12, 13}, 32}, address, {{10, 11, 12, 13}, 32}});
  float left[16];
  std::memcpy(left, lab.memory.at(global, 64), 64);
  for (int i = 0; i < 16; ++i) CHECK(left[i] == 8.0f * static_cast<float>(i % 4 + 1));
  CHECK(std::bit_cast<float>(lab.r32(12, 31)) == 21.0f);
}

TEST_CASE("Atomics fault and count like accesses", "[emu][atomic]") {
  MemoryLab lab(GENERATE(false, true));
  const DevicePtr global = lab.memory.allocate(256);
  const auto instruction = atomic(Opcode::atom, Space::global, Atomic::add, Type::u32);
  Place address =
      lab.address([&](int lane) { return global + 4u * static_cast<unsigned>(lane) + (lane == 9 ? 300 : 0); });
  CHECK_THROWS_WITH(lab.run(instruction, {{{10}, 32}, address, {{11}, 32}}),
                    Catch::Contains("updates outside every allocation") && Catch::Contains("lane 9 "));
  address = lab.address([&](int lane) { return global + 8u * static_cast<unsigned>(lane % 16) + (lane == 4 ? 2 : 0); });
  CHECK_THROWS_WITH(lab.run(instruction, {{{10}, 32}, address, {{11}, 32}}),
                    Catch::Contains("updates at an address that is no multiple of 4") && Catch::Contains("lane 4 "));
  lab.launch.count = true;
  lab.launch.record_writes = true;
  address = lab.address([&](int lane) { return global + 8u * static_cast<unsigned>(lane % 16); });
  lab.run(instruction, {{{10}, 32}, address, {{11}, 32}}, 0x00ffffff);
  CHECK(lab.cta.counts.atomics == 24);
  CHECK(lab.cta.counts.global_load_bytes == 96);
  CHECK(lab.cta.counts.global_store_bytes == 96);
  CHECK(lab.cta.counts.global_requests == 1);
  CHECK(lab.cta.counts.global_sectors == 4);
  CHECK(lab.cta.written.size() == 24);
  const auto reduction = atomic(Opcode::red, Space::shared, Atomic::add, Type::u32);
  address = lab.address([](int) { return 64; });
  lab.run(reduction, {address, {{11}, 32}});
  CHECK(lab.cta.counts.atomics == 56);
  CHECK(lab.cta.counts.shared_load_bytes == 0);
  CHECK(lab.cta.counts.shared_store_bytes == 128);
  CHECK(lab.cta.counts.shared_wavefronts == 1);
}

TEST_CASE("Blocks on two threads add up", "[emu][atomic]") {
  const bool v3 = GENERATE(false, true);
  MemoryLab first(v3), second(v3);
  second.launch.memory = &first.memory;
  const DevicePtr global = first.memory.allocate(16);
  const auto integer = atomic(Opcode::red, Space::global, Atomic::add, Type::u32);
  const auto real = atomic(Opcode::atom, Space::global, Atomic::add, Type::f64);
  constexpr int kTimes = 3000;
  const auto work = [&](MemoryLab& lab) {
    lab.launch.parallel = true;
    for (int i = 0; i < kTimes; ++i) {
      for (int lane = 0; lane < kLanes; ++lane) lab.r32(10, lane) = 1;
      lab.run(integer, {lab.address([&](int) { return global; }), {{10}, 32}});
      for (int lane = 0; lane < kLanes; ++lane) lab.set64(10, lane, std::bit_cast<std::uint64_t>(2.0));
      lab.run(real, {{{12}, 64}, lab.address([&](int) { return global + 8; }), {{10}, 64}});
    }
  };
  std::thread other([&] { work(second); });
  work(first);
  other.join();
  std::uint32_t sum = 0;
  double total = 0;
  std::memcpy(&sum, first.memory.at(global, 4), 4);
  std::memcpy(&total, first.memory.at(global + 8, 8), 8);
  CHECK(sum == 2 * kTimes * 32);
  CHECK(total == 2.0 * 2 * kTimes * 32);
}

TEST_CASE("Atomics that PTX does not have have no handler", "[emu][atomic]") {
  CHECK(portable::select_atomic(atomic(Opcode::atom, Space::global, Atomic::inc, Type::s32)) == nullptr);
  CHECK(portable::select_atomic(atomic(Opcode::atom, Space::global, Atomic::min, Type::f32)) == nullptr);
  CHECK(portable::select_atomic(atomic(Opcode::atom, Space::global, Atomic::exch, Type::b128)) == nullptr);
  CHECK(portable::select_atomic(atomic(Opcode::atom, Space::local, Atomic::add, Type::u32)) == nullptr);
  CHECK(portable::select_atomic(atomic(Opcode::atom, Space::global, Atomic::add, Type::u32, 2)) == nullptr);
}

}  // namespace
}  // namespace kerlab::emu
