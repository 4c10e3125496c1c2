#include <bit>
#include <map>
#include <tuple>

#include "catch.h"
#include "device/emu/memory_lab.h"

namespace kerlab::emu {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

struct Form {
  Type type;
  int bytes;
  bool sign;
  int width;  ///< of the register
};
const std::vector<Form> kForms = {{Type::b8, 1, false, 16},  {Type::u8, 1, false, 32},  {Type::s8, 1, true, 16},
                                  {Type::s8, 1, true, 32},   {Type::u8, 1, false, 64},  {Type::s8, 1, true, 64},
                                  {Type::b16, 2, false, 16}, {Type::u16, 2, false, 32}, {Type::s16, 2, true, 32},
                                  {Type::s16, 2, true, 64},  {Type::f16, 2, false, 16}, {Type::bf16, 2, false, 16},
                                  {Type::b32, 4, false, 32}, {Type::f32, 4, false, 32}, {Type::s32, 4, true, 32},
                                  {Type::u32, 4, false, 64}, {Type::s32, 4, true, 64},  {Type::f16x2, 4, false, 32},
                                  {Type::b64, 8, false, 64}, {Type::s64, 8, true, 64},  {Type::f64, 8, false, 64}};

/// Elements' slots of a vector operand from slot `first` on.
Place vector_at(int first, int count, int width) {
  Place place{{}, width};
  for (int j = 0; j < count; ++j) place.slots.push_back(first + j * (width == 64 ? 2 : 1));
  return place;
}

std::uint64_t register_value(MemoryLab& lab, int slot, int lane, int width) {
  return width == 64 ? lab.r64(slot, lane) : lab.r32(slot, lane);
}

/// What an element in memory becomes in a register.
std::uint64_t extended(const std::byte* from, const Form& form) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, static_cast<std::size_t>(form.bytes));
  const int bits = 8 * form.bytes;
  if (form.sign && bits < 64 && (value >> (bits - 1) & 1) != 0) value |= ~0ull << bits;
  return form.width == 64 ? value : form.width == 32 ? value & 0xffffffff : value & 0xffff;
}

/// Offsets of the lanes within a region of 2048 bytes, in elements of `row` bytes.
const std::map<std::string, int (*)(int)> kPatterns = {
    {"consecutive", [](int lane) { return lane; }},
    {"uniform", [](int) { return 5; }},
    {"quarters", [](int lane) { return lane / 8; }},
    {"eighths", [](int lane) { return lane % 8; }},
    {"halves", [](int lane) { return lane % 16; }},
    {"half each", [](int lane) { return lane / 16; }},
    {"reversed", [](int lane) { return 31 - lane; }},
    {"scattered", [](int lane) { return (lane * 13 + 7) % 32; }},
    {"consecutive in eights", [](int lane) { return lane % 8 + (lane / 8 * 11) % 24; }}};

const std::vector<std::uint32_t> kMasks = {~0u, 1u, 0x80000000u, 0xffffu, 0xff00ff00u, 0x13579bdfu, 0xfffffffeu};

struct Space1 {
  Space space;
  std::uint64_t base;
  std::byte* host;
};

TEST_CASE("ld: all types, vectors, spaces, patterns and masks", "[emu][memory]") {
  const bool v3 = GENERATE(false, true), wide = GENERATE(false, true);
  MemoryLab lab(v3);
  lab.wide = wide;
  const DevicePtr global = lab.memory.allocate(2048);
  std::memcpy(lab.memory.at(global, 2048), lab.shared.data() + 99, 2048);
  auto* in_global = lab.memory.at(global, 2048);
  std::vector<Space1> spaces = {{Space::shared, 128, lab.shared.data() + 128}};
  if (wide) {
    spaces.push_back({Space::global, global, in_global});
    spaces.push_back({Space::constant, global, in_global});
    spaces.push_back({Space::generic, global, in_global});
    spaces.push_back({Space::generic, kSharedWindow + 1024, lab.shared.data() + 1024});
  }
  int run = 0;
  for (const Space1& space : spaces)
    for (const Form& form : kForms)
      for (const int count : {1, 2, 4, 8}) {
        if (form.bytes * count > 32 || (count == 8 && form.bytes != 4)) continue;
        for (const auto& [name, pattern] : kPatterns)
          for (const std::uint32_t mask : kMasks) {
            const int row = form.bytes * count;
            lab.slots.fill(0xabababab);
            // The results begin in the slot that held the addresses: reading comes before writing.
            const bool overlap = ++run % 3 == 0;
            const Place from =
                lab.address([&](int lane) { return space.base + 64u + static_cast<unsigned>(row * pattern(lane)); });
            const Place to = vector_at(overlap ? (wide && run % 2 == 0 ? 1 : 0) : 4, count, form.width);
            const auto before = lab.slots;
            const auto instruction = access(Opcode::ld, space.space, form.type, count);
            lab.run(instruction, {to, from}, mask, -64);
            bool good = true;
            for (int j = 0; j < count; ++j)
              for (int lane = 0; lane < kLanes; ++lane) {
                const int slot = to.slots[static_cast<std::size_t>(j)];
                std::uint64_t want = extended(space.host + row * pattern(lane) + j * form.bytes, form);
                if ((mask >> lane & 1) == 0) {
                  std::memcpy(&want,
                              reinterpret_cast<const std::byte*>(before.data()) + slot * 128 +
                                  lane * (form.width == 64 ? 8 : 4),
                              8);
                  if (form.width != 64) want &= 0xffffffff;
                }
                good = good && register_value(lab, slot, lane, form.width) == want;
              }
            if (good) continue;
            INFO(name << " mask " << mask << " type " << static_cast<int>(form.type) << " x" << count << " width "
                      << form.width << " space " << static_cast<int>(space.space) << " overlap " << overlap);
            FAIL("ld");
          }
      }
  CHECK(run > 3000);
}

TEST_CASE("st: all types, vectors, spaces, patterns and masks", "[emu][memory]") {
  const bool v3 = GENERATE(false, true), wide = GENERATE(false, true);
  MemoryLab lab(v3);
  lab.wide = wide;
  const DevicePtr global = lab.memory.allocate(2048);
  std::vector<Space1> spaces = {{Space::shared, 128, lab.shared.data() + 128}};
  if (wide) {
    spaces.push_back({Space::global, global, lab.memory.at(global, 2048)});
    spaces.push_back({Space::generic, global, lab.memory.at(global, 2048)});
    spaces.push_back({Space::generic, kSharedWindow + 1024, lab.shared.data() + 1024});
  }
  for (std::size_t i = 0; i < lab.slots.size(); ++i) lab.slots[i] = static_cast<std::uint32_t>(i * 2654435761u);
  for (const Space1& space : spaces)
    for (const Form& form : kForms)
      for (const int count : {1, 2, 4, 8}) {
        if (form.bytes * count > 32 || (count == 8 && form.bytes != 4)) continue;
        for (const auto& [name, pattern] : kPatterns)
          for (const std::uint32_t mask : kMasks) {
            const int row = form.bytes * count;
            const Place to =
                lab.address([&](int lane) { return space.base + static_cast<unsigned>(row * pattern(lane)) - 32u; });
            const Place from = vector_at(4, count, form.width);
            std::vector<std::byte> want(space.host, space.host + 1024);
            for (int lane = 0; lane < kLanes; ++lane)
              for (int j = 0; j < count && (mask >> lane & 1) != 0; ++j) {
                const std::uint64_t value =
                    register_value(lab, from.slots[static_cast<std::size_t>(j)], lane, form.width);
                std::memcpy(want.data() + row * pattern(lane) + j * form.bytes, &value,
                            static_cast<std::size_t>(form.bytes));
              }
            const auto instruction = access(Opcode::st, space.space, form.type, count);
            lab.run(instruction, {to, from}, mask, 32);
            if (std::memcmp(want.data(), space.host, want.size()) == 0) continue;
            INFO(name << " mask " << mask << " type " << static_cast<int>(form.type) << " x" << count << " width "
                      << form.width << " space " << static_cast<int>(space.space));
            FAIL("st");
          }
      }
}

}  // namespace
}  // namespace kerlab::emu
