#pragma once
// Tensor copies that a GPU recorded and the emulated device repeats: the cases and their data, the same on both sides.
// No dependencies, so that the recorder can be compiled alone on a machine with a GPU.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tensor_cases {

/// Numbers as CUtensorMapDataType, CUtensorMapSwizzle have them.
enum Type { u8 = 0, u32 = 2, s32 = 3, s64 = 5, f16 = 6, f32 = 7, f64 = 8, bf16 = 9, tf32 = 11 };
inline int bytes_of(int type) {
  return type == u8 ? 1 : type == f16 || type == bf16 ? 2 : type == s64 || type == f64 ? 8 : 4;
}

struct Map {
  int type = f32, rank = 2, swizzle = 0, nan_fill = 0;
  std::uint64_t dims[5] = {1, 1, 1, 1, 1}, strides[4] = {};  ///< strides of dimensions 1.. in bytes
  std::uint32_t box[5] = {1, 1, 1, 1, 1}, step[5] = {1, 1, 1, 1, 1};
  std::uint64_t base_offset = 0;  ///< from an address that is a multiple of 256
};

/// kernel: "load_2d", "store_3d", "add_2d", ...; see tensor.ptx.
struct Case {
  std::string kernel;
  Map map;
  std::int32_t at[5] = {};     ///< coordinates, innermost first
  std::uint32_t offset = 0;    ///< of the box in the window of shared memory
  std::uint32_t argument = 0;  ///< multicast: the mask
  int blocks = 1;
};

inline constexpr std::uint32_t kWindow = 16384;  ///< bytes of shared memory that a kernel shows

/// splitmix64 (Steele, Lea, Flood 2014).
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t x = state += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
};

inline std::uint32_t box_bytes(const Map& map) {
  std::uint32_t bytes = static_cast<std::uint32_t>(bytes_of(map.type)) * map.box[0];
  for (int d = 1; d < map.rank; ++d) bytes *= (map.box[d] + map.step[d] - 1) / map.step[d];
  return bytes;
}
inline std::size_t tensor_bytes(const Map& map) {
  std::size_t bytes = map.dims[0] * static_cast<std::size_t>(bytes_of(map.type));
  for (int d = 1; d < map.rank; ++d) bytes += (map.dims[d] - 1) * map.strides[d - 1];
  return map.base_offset + bytes;
}

/// A value of the type: mostly near one, now and then anything.
inline std::uint64_t value(int type, Random& random) {
  const std::uint64_t bits = random.next();
  if (type == tf32 && random.below(2) == 0) {
    // What rounding to 10 bits of mantissa can meet: ties, what is next to them, carries, the ends of the range.
    static constexpr std::uint32_t kTails[] = {0x1000, 0x0fff, 0x1001, 0x3000, 0x1fff, 0x0001, 0x2000, 0x7ff000};
    static constexpr std::uint32_t kExponents[] = {0, 1, 126, 127, 254, 255};
    return static_cast<std::uint32_t>(bits >> 63 << 31) | kExponents[random.below(6)] << 23 |
           (static_cast<std::uint32_t>(bits) & 0x7fc000) | kTails[random.below(8)];
  }
  if (type < f16 || random.below(8) == 0) return bits;
  const int mantissa = type == f16 ? 10 : type == bf16 ? 7 : type == f64 ? 52 : 23;
  const std::uint64_t bias = type == f16   ? 15
                             : type == f64 ? 1023
                                           : 127,
                      width = static_cast<std::uint64_t>(bytes_of(type)) * 8;
  const std::uint64_t exponent = random.below(16) == 0 ? 0 : bias - 3 + static_cast<std::uint64_t>(random.below(6));
  return (bits >> 63) << (width - 1) | exponent << mantissa | (bits & ((1ull << mantissa) - 1));
}

/// Elements one after the other from the beginning, whatever the strides.
inline std::vector<unsigned char> data(int type, std::size_t bytes, std::uint64_t seed) {
  std::vector<unsigned char> result(bytes + 8);
  Random random{seed};
  const auto size = static_cast<std::size_t>(bytes_of(type));
  for (std::size_t i = 0; i < bytes; i += size) {
    const std::uint64_t v = value(type, random);
    std::memcpy(result.data() + i, &v, size);
  }
  result.resize(bytes);
  return result;
}
inline std::vector<unsigned char> tensor_data(const Case& c, std::size_t number) {
  return data(c.map.type, tensor_bytes(c.map), 2 * number + 1);
}
inline std::vector<unsigned char> window_data(const Case& c, std::size_t number) {
  return data(c.map.type, kWindow, 2 * number + 2);
}

/// What of a case is recorded: of stores and reductions the tensor, else these bytes of each block's window.
inline bool writes_tensor(const Case& c) {
  return c.kernel.rfind("load", 0) != 0 && c.kernel.rfind("multicast", 0) != 0 && c.kernel.rfind("replaced", 0) != 0;
}
struct Shown {
  std::uint32_t begin, end;
};
/// What a box takes in shared memory: a swizzle pads its rows.
inline std::uint32_t footprint(const Map& map) {
  const std::uint32_t row = map.box[0] * static_cast<std::uint32_t>(bytes_of(map.type));
  return box_bytes(map) / row * (map.swizzle == 0 ? row : 16u << map.swizzle);
}
inline Shown shown(const Case& c) {
  const std::uint32_t begin = c.offset >= 128 ? c.offset - 128 : 0;
  return {begin, (c.offset + footprint(c.map) + 127) / 128 * 128 + 128};
}
/// Of each block its window's part, then whether its mbarrier completed (32 bits).
inline std::size_t recorded_bytes(const Case& c) {
  const Shown part = shown(c);
  return writes_tensor(c) ? tensor_bytes(c.map) : (part.end - part.begin + 4) * static_cast<std::size_t>(c.blocks);
}
/// `data` of the kernels: the windows, 128 bytes for the map that replaced_2d edits, 32 bits a block: completed.
inline std::size_t data_bytes(const Case& c) {
  return kWindow * static_cast<std::size_t>(c.blocks) + 256;
}

/// Copies alone: a map at random that the driver takes, a place that is mostly ragged.
inline Case random_case(Random& random, const char* kind, bool plain) {
  static constexpr int kTypes[] = {u8, f16, bf16, f32, s32, f64, tf32, s64, u32};
  Case c;
  Map& m = c.map;
  m.type = kTypes[random.below(9)];
  m.rank = 1 + random.below(5);
  m.swizzle = plain ? 0 : random.below(4);
  const int size = bytes_of(m.type);
  m.nan_fill = m.type >= f16 ? random.below(2) : 0;
  const int span = m.swizzle == 0 ? 128 : 16 << m.swizzle;
  for (int d = 0; d < m.rank; ++d) {
    m.dims[d] = static_cast<std::uint64_t>(1 + random.below(d == 0 ? 200 / size : 5));
    m.box[d] = static_cast<std::uint32_t>(d == 0 ? 16 * (1 + random.below(span / 16)) / size
                                                 : 1 + random.below(m.rank > 3 ? 2 : 4));
    // The engine wants whole 16 bytes in the innermost dimension, and of stores nothing negative.
    const bool load = kind[0] == 'l';
    c.at[d] = d == 0 ? (random.below(12) - (load ? 4 : 0)) * 16 / size : random.below(6) - (load ? 2 : 0);
  }
  std::uint64_t stride = (m.dims[0] * static_cast<std::uint64_t>(size) + 15) / 16 * 16;
  for (int d = 1; d < m.rank; ++d) {
    stride += 16 * static_cast<std::uint64_t>(random.below(3));
    m.strides[d - 1] = stride;
    stride *= m.dims[d];
  }
  m.base_offset = 16 * static_cast<std::uint64_t>(random.below(4));
  c.offset = 128 * static_cast<std::uint32_t>(random.below(12));
  c.kernel = std::string(kind) + "_" + std::to_string(m.rank) + "d";
  return c;
}

inline Case reduction(const char* operation, int type, int swizzle, int x, int y) {
  Case c;
  c.kernel = std::string(operation) + "_2d";
  c.map.type = type;
  c.map.swizzle = swizzle;
  c.map.dims[0] = static_cast<std::uint64_t>(96 / bytes_of(type) + 1);
  c.map.dims[1] = 6;
  c.map.strides[0] = 112;
  c.map.box[0] = static_cast<std::uint32_t>(32 / bytes_of(type));
  c.map.box[1] = 4;
  c.at[0] = x;
  c.at[1] = y;
  c.offset = 256;
  return c;
}

inline Case multicast(std::uint32_t mask, int swizzle) {
  Case c;
  c.kernel = "multicast_2d";
  c.map.type = bf16;
  c.map.swizzle = swizzle;
  c.map.dims[0] = 40;
  c.map.dims[1] = 9;
  c.map.strides[0] = 96;
  c.map.box[0] = 32;
  c.map.box[1] = 8;
  c.at[0] = 16;
  c.at[1] = 4;
  c.offset = 1024;
  c.argument = mask;
  c.blocks = 2;
  return c;
}

inline std::vector<Case> all() {
  std::vector<Case> cases;
  Random random{42};
  for (int i = 0; i < 160; ++i) cases.push_back(random_case(random, "load", false));
  for (int i = 0; i < 60; ++i) cases.push_back(random_case(random, "store", false));
  // Steps between elements, of all but the innermost dimension.
  for (int i = 0; i < 24; ++i) {
    Case c = random_case(random, i < 16 ? "load" : "store", false);
    for (int d = 1; d < c.map.rank; ++d) c.map.step[d] = static_cast<std::uint32_t>(1 + random.below(3));
    cases.push_back(c);
  }
  static constexpr int kReduced[] = {u32, s32, s64, f16, bf16, f32, f64};
  for (const int type : kReduced) {
    const bool whole = type < f16;
    for (const char* operation : {"add", "min", "max", "inc", "dec", "and", "or", "xor"}) {
      const std::string name = operation;
      if (name == "inc" || name == "dec"                   ? type != u32
          : name == "and" || name == "or" || name == "xor" ? !whole
                                                           : false)
        continue;
      if ((name == "min" || name == "max") && (type == f32 || type == f64)) continue;
      for (int i = 0; i < (name == "add" && !whole ? 12 : 2); ++i) {
        cases.push_back(reduction(operation, type, i % 2, 16 * (5 * i % 7) / bytes_of(type), i % 5));
      }
    }
  }
  for (std::uint32_t mask = 1; mask < 4; ++mask)
    for (int swizzle = 0; swizzle < 4; swizzle += 3) cases.push_back(multicast(mask, swizzle));
  Case replaced = multicast(0, 0);
  replaced.kernel = "replaced_2d";
  replaced.blocks = 1;
  cases.push_back(replaced);
  return cases;
}

/// Reductions that may have no meaning on the hardware: recorded one by one, a fault is an answer.
inline std::vector<Case> doubtful() {
  std::vector<Case> cases;
  for (const auto& [operation, type] : std::vector<std::pair<const char*, int>>{
           {"min", f32}, {"max", f32}, {"min", f64}, {"max", f64}, {"inc", s32},  {"dec", s32},  {"inc", s64},
           {"dec", f32}, {"and", f16}, {"and", f32}, {"xor", f32}, {"or", bf16},  {"and", f64},  {"inc", f16},
           {"add", u8},  {"min", u8},  {"and", u8},  {"xor", u8},  {"add", tf32}, {"min", tf32}, {"xor", tf32}})
    cases.push_back(reduction(operation, type, 0, 0, 1));
  // Swizzles of boxes that do not begin at a multiple of their pattern's period, and end inside a line of 128 bytes.
  for (int swizzle = 1; swizzle < 4; ++swizzle) {
    Case c = reduction("load", u8, swizzle, 0, 0);
    c.map.box[0] = 16;
    c.map.box[1] = 3;
    c.map.dims[0] = 96;
    c.offset = 384;
    cases.push_back(c);
  }
  // Places: x, y in elements of 4 bytes, offset in shared memory.
  struct Place {
    const char* kernel;
    int x, y;
    std::uint32_t offset;
  };
  for (const Place& p :
       {Place{"load", 1, 0, 256}, {"load", 2, 0, 256},   {"load", -4, 0, 256},     {"load", -4, -2, 256},
        {"load", 100, 0, 256},    {"load", 0, 50, 256},  {"load", -100, -50, 256}, {"load", 0, 0, 64},
        {"load", 0, 0, 16},       {"store", 1, 0, 256},  {"store", -4, 0, 256},    {"store", 0, -1, 256},
        {"store", 100, 0, 256},   {"store", 0, 50, 256}, {"store", 0, 0, 64},      {"store", 0, 0, 16},
        {"add", 1, 0, 256},       {"add", -4, 0, 256},   {"add", 0, -1, 256},      {"add", 100, 50, 256}}) {
    Case c = reduction(p.kernel, u32, 0, p.x, p.y);
    c.offset = p.offset;
    cases.push_back(c);
  }
  return cases;
}

/// Maps that the driver takes, and such that it may not: what it says is recorded.
inline std::vector<Map> maps() {
  std::vector<Map> result;
  const auto add = [&](auto change) {
    Map m;
    m.type = bf16;
    m.dims[0] = 4096;
    m.dims[1] = 4096;
    m.strides[0] = 8192;
    m.box[0] = 64;
    m.box[1] = 64;
    change(m);
    result.push_back(m);
  };
  add([](Map&) {});
  for (const int type : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    for (int nan = 0; nan < 2; ++nan)
      add([&](Map& m) { m.type = type, m.nan_fill = nan, m.box[0] = 16, m.strides[0] = 32768; });
  for (const std::uint32_t box : {0u, 1u, 4u, 8u, 12u, 24u, 32u, 128u, 256u, 257u, 264u})
    for (int swizzle = 0; swizzle < 4; ++swizzle) add([&](Map& m) { m.box[0] = box, m.swizzle = swizzle; });
  for (const std::uint32_t box : {0u, 1u, 3u, 256u, 257u, 512u}) add([&](Map& m) { m.box[1] = box; });
  add([](Map& m) { m.box[0] = 256, m.box[1] = 256; });         // 128 KiB of shared memory
  for (const std::uint32_t z : {1u, 4u, 6u, 7u, 8u, 9u, 16u})  // 32 KiB each
    add([&](Map& m) { m.rank = 3, m.dims[2] = 256, m.strides[1] = 1 << 26, m.box[1] = 256, m.box[2] = z; });
  for (const std::uint32_t y : {225u, 226u, 227u, 228u, 229u, 232u, 240u, 255u, 256u})  // 1 KiB each
    add([&](Map& m) { m.type = f32, m.strides[0] = 16384, m.box[0] = 256, m.box[1] = y; });
  for (const std::uint32_t y : {112u, 113u, 114u, 116u, 127u, 128u, 129u})  // 2 KiB each
    add([&](Map& m) { m.type = f64, m.strides[0] = 32768, m.box[0] = 256, m.box[1] = y; });
  // Rows that a swizzle pads: 16 bytes of 128.
  for (const std::uint32_t z : {4u, 7u, 8u, 16u, 64u}) {
    add([&](Map& m) {
      m.rank = 3, m.dims[2] = 256, m.strides[1] = 1 << 26, m.box[0] = 8, m.box[1] = 256, m.box[2] = z, m.swizzle = 3;
    });
  }
  add([](Map& m) { m.type = f64, m.box[0] = 256, m.box[1] = 256, m.strides[0] = 32768; });  // 512 KiB
  for (const std::uint64_t base : {1, 8, 16, 32, 48}) add([&](Map& m) { m.base_offset = base; });
  for (const std::uint64_t stride :
       {0ull, 16ull, 32ull, 24ull, 8ull, 4096ull, 8176ull, 8200ull, (1ull << 40) - 16, 1ull << 40})
    add([&](Map& m) { m.strides[0] = stride; });
  for (const std::uint64_t dim : {0ull, 1ull, 7ull, 1ull << 31, (1ull << 32) - 1, 1ull << 32, (1ull << 32) + 1})
    for (int d = 0; d < 2; ++d) add([&](Map& m) { m.dims[d] = dim, m.strides[0] = 1ull << 36; });
  for (const std::uint32_t step : {0u, 1u, 2u, 8u, 9u})
    for (int d = 0; d < 2; ++d) add([&](Map& m) { m.step[d] = step; });
  for (int rank = 0; rank < 7; ++rank) {
    add([&](Map& m) {
      m.rank = rank;
      for (int d = 2; d < 5; ++d) m.dims[d] = 4, m.box[d] = 2, m.strides[d - 1] = 8192 << d;
    });
  }
  // A stride that is no multiple of the one before, or smaller.
  add([](Map& m) { m.rank = 3, m.dims[2] = 4, m.strides[1] = 8208; });
  add([](Map& m) { m.rank = 3, m.dims[2] = 4, m.strides[1] = 16; });
  return result;
}

}  // namespace tensor_cases
