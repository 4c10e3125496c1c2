// Boxes of tensors against a plain element-by-element model: all ranks, swizzles, fills, ragged and negative places.

#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "catch.h"
#include "device/emu/machine/cta.h"
#include "device/emu/memory.h"
#include "device/emu/ptx/ir.h"
#include "device/emu/tma/tensor_copy.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

constexpr std::uint32_t kShared = 48 * 1024;

/// One lane that issues copies.
struct CopyLab {
  CopyLab() {
    launch.memory = &memory;
    launch.record_writes = true;
    launch.parameters = parameters.data();
    launch.parameter_bytes = static_cast<std::int64_t>(parameters.size());
    cta.launch = &launch;
    cta.shared = shared.data();
    cta.shared_bytes = kShared;
    warp.cta = &cta;
    op.instruction = &instruction;
    instruction.text = "cp.async.bulk.tensor";
    instruction.opcode = ptx::Opcode::cp_async_bulk_tensor;
    instruction.modifiers.dimensions = 2;
  }

  GlobalMemory memory{1 << 28};
  LaunchState launch;
  Cta cta;
  Warp warp;
  ptx::Instruction instruction;
  Op op;
  std::vector<std::byte> shared = std::vector<std::byte>(kShared, std::byte{0xee});
  std::vector<std::byte> parameters = std::vector<std::byte>(256);
  Issuer who{&warp, &op, 0};
};

/// A tensor in memory of its own, with every byte different from its neighbours.
struct Tensor {
  Tensor(CopyLab& lab, const TensorMapSpec& spec) {
    std::size_t bytes = spec.dims[0] * static_cast<std::size_t>(info(spec.dtype).bytes);
    for (std::size_t d = 1; d < spec.dims.size(); ++d) bytes += (spec.dims[d] - 1) * spec.stride_bytes[d - 1];
    base = lab.memory.allocate(bytes);
    data = std::span(reinterpret_cast<std::byte*>(base), bytes);
    std::mt19937 random(7);
    for (std::byte& b : data) b = static_cast<std::byte>(random());
    REQUIRE(tensor_map_error(spec, base).empty());
    const TensorMap encoded = encode_tensor_map(spec, base);
    std::memcpy(&map, encoded.words, sizeof map);
  }
  DevicePtr base = 0;
  std::span<std::byte> data;
  EncodedTensorMap map;
};

std::uint32_t swizzle_model(Swizzle swizzle, std::uint32_t address) {
  const std::uint32_t bits = swizzle == Swizzle::b128  ? 7
                             : swizzle == Swizzle::b64 ? 3
                             : swizzle == Swizzle::b32 ? 1
                                                       : 0;
  return address ^ (((address >> 7) & bits) << 4);
}

/// Calls f(shared address, offset in the tensor or -1) for each byte of the box. `edge`: where rows of the tensor end,
/// in elements.
template <class F>
void each_byte(const TensorMapSpec& spec, const std::int32_t* coordinate, std::uint32_t offset, std::uint64_t edge,
               F f) {
  const auto size = static_cast<std::uint32_t>(info(spec.dtype).bytes);
  const std::uint32_t row = spec.box[0] * size;
  const std::uint32_t pitch = spec.swizzle == Swizzle::none ? row : 16u << static_cast<int>(spec.swizzle);
  std::uint32_t elements = 1;
  for (const std::uint32_t box : spec.box) elements *= box;
  for (std::uint32_t e = 0; e < elements; ++e) {
    std::int64_t at = 0;
    bool inside = true;
    std::uint32_t rest = e;
    for (std::size_t d = 0; d < spec.box.size(); ++d) {
      const std::int64_t c = std::int64_t{coordinate[d]} + rest % spec.box[d];
      rest /= spec.box[d];
      inside = inside && c >= 0 && c < static_cast<std::int64_t>(d == 0 ? edge : spec.dims[d]);
      at += c * static_cast<std::int64_t>(d == 0 ? size : spec.stride_bytes[d - 1]);
    }
    for (std::uint32_t b = 0; b < size; ++b) {
      const std::uint32_t in_row = e % spec.box[0] * size + b;
      f(swizzle_model(spec.swizzle, offset + e / spec.box[0] * pitch + in_row), inside ? at + b : -1, b);
    }
  }
}

struct Draw {
  TensorMapSpec spec;
  std::int32_t coordinate[5] = {};
  std::uint32_t offset = 0;
};

Draw draw(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  constexpr DType kTypes[] = {DType::uint8, DType::fp16, DType::bf16, DType::fp32, DType::int32, DType::fp64};
  Draw result;
  TensorMapSpec& spec = result.spec;
  spec.dtype = kTypes[below(6)];
  spec.swizzle = static_cast<Swizzle>(below(4));
  spec.nan_fill = info(spec.dtype).is_float && below(2) == 0;
  const std::uint32_t bytes = static_cast<std::uint32_t>(info(spec.dtype).bytes), rank = 1 + below(5);
  const std::uint32_t span = spec.swizzle == Swizzle::none ? 256 : 16u << static_cast<int>(spec.swizzle);
  for (std::uint32_t d = 0; d < rank; ++d) {
    spec.dims.push_back(1 + below(d == 0 ? 64 : 6));
    spec.box.push_back(d == 0 ? (16 + 16 * below(span / 16)) / bytes : 1 + below(d == 1 ? 5 : 3));
    if (spec.box[d] > 256) spec.box[d] = 256;
    result.coordinate[d] = static_cast<std::int32_t>(below(d == 0 ? 80 : 10)) - (d == 0 ? 20 : 3);
  }
  std::uint64_t stride = (spec.dims[0] * bytes + 15) / 16 * 16;
  for (std::uint32_t d = 1; d < rank; ++d) {
    stride += 16 * below(3);
    spec.stride_bytes.push_back(stride);
    stride *= spec.dims[d];
  }
  result.offset = kBoxAlign * below(16);
  return result;
}

/// Coordinates of stores: whole 16 bytes, nothing negative.
Draw writable(Draw draw) {
  const int step = 16 / info(draw.spec.dtype).bytes;
  for (std::int32_t& c : draw.coordinate) c = std::abs(c);
  draw.coordinate[0] = draw.coordinate[0] / step * step;
  return draw;
}

bool fill_byte_is(const TensorMapSpec& spec, std::uint32_t byte, std::byte given) {
  return given == (spec.nan_fill ? std::byte(byte % 2 == 0 ? 0xf7 : 0x7f) : std::byte{0});
}

}  // namespace

TEST_CASE("tensor copy: loads put every element where the model does", "[emu][tma]") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    CopyLab lab;
    const Draw d = draw(random);
    const Tensor tensor(lab, d.spec);
    load_box(lab.who, tensor.map, d.coordinate, lab.shared.data(), d.offset);
    std::vector<bool> written(kShared);
    int wrong = 0;
    each_byte(d.spec, d.coordinate, d.offset, d.spec.dims[0],
              [&](std::uint32_t at, std::int64_t from, std::uint32_t byte) {
                written[at] = true;
                const bool good = from >= 0 ? lab.shared[at] == tensor.data[static_cast<std::size_t>(from)]
                                            : fill_byte_is(d.spec, byte, lab.shared[at]);
                wrong += good ? 0 : 1;
              });
    for (std::uint32_t i = 0; i < kShared; ++i) wrong += !written[i] && lab.shared[i] != std::byte{0xee};
    REQUIRE(wrong == 0);
  }
}

TEST_CASE("tensor copy: stores write what is inside the tensor to its last 16 bytes, and say so", "[emu][tma]") {
  std::mt19937 random(2);
  for (int trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    CopyLab lab;
    const Draw d = writable(draw(random));
    const auto bytes = static_cast<std::uint64_t>(info(d.spec.dtype).bytes);
    const std::uint64_t edge = (d.spec.dims[0] * bytes + 15) / 16 * 16 / bytes;
    const Tensor tensor(lab, d.spec);
    for (std::byte& b : lab.shared) b = static_cast<std::byte>(random());
    std::vector<std::byte> expected(tensor.data.begin(), tensor.data.end());
    std::vector<bool> touched(expected.size()), told(expected.size());
    each_byte(d.spec, d.coordinate, d.offset, edge, [&](std::uint32_t at, std::int64_t to, std::uint32_t) {
      if (to < 0 || to >= static_cast<std::int64_t>(expected.size())) return;
      expected[static_cast<std::size_t>(to)] = lab.shared[at];
      touched[static_cast<std::size_t>(to)] = true;
    });
    store_box(lab.who, tensor.map, d.coordinate, lab.shared.data(), d.offset);
    REQUIRE(std::equal(expected.begin(), expected.end(), tensor.data.begin()));
    for (const AddressRange& range : lab.cta.written) {
      for (std::uint64_t a = range.begin; a < range.end; ++a) told.at(a - tensor.base) = true;
    }
    REQUIRE(told == touched);
  }
}

TEST_CASE("tensor copy: reductions are of the map's type and stay inside", "[emu][tma]") {
  CopyLab lab;
  TensorMapSpec spec;
  spec.dtype = DType::int32;
  spec.dims = {20, 3};
  spec.stride_bytes = {96};
  spec.box = {8, 2};
  spec.swizzle = Swizzle::b32;
  const Tensor tensor(lab, spec);
  const auto value = [&](int x, int y) {
    std::int32_t v;
    std::memcpy(&v, tensor.data.data() + y * 96 + x * 4, 4);
    return v;
  };
  std::memset(tensor.data.data(), 0, tensor.data.size());
  for (int i = 0; i < 16; ++i) {
    const std::int32_t v = i + 1;
    std::memcpy(lab.shared.data() + swizzle_model(Swizzle::b32, static_cast<std::uint32_t>(128 + i * 4)), &v, 4);
  }
  const std::int32_t corner[5] = {16, 2};
  reduce_box(lab.who, ptx::Atomic::add, tensor.map, corner, lab.shared.data(), 128);
  reduce_box(lab.who, ptx::Atomic::add, tensor.map, corner, lab.shared.data(), 128);
  CHECK(value(16, 2) == 2);
  CHECK(value(19, 2) == 8);
  CHECK(value(15, 2) == 0);
  const std::int32_t before[5] = {-4, -1};
  reduce_box(lab.who, ptx::Atomic::max, tensor.map, before, lab.shared.data(), 128);
  CHECK(value(0, 0) == 13);
  CHECK(value(3, 0) == 16);
  CHECK(value(4, 0) == 0);
}

TEST_CASE("tensor copy: what a copy counts", "[emu][tma]") {
  CopyLab lab;
  TensorMapSpec spec;
  spec.dtype = DType::bf16;
  spec.dims = {64, 100};
  spec.stride_bytes = {256};
  spec.box = {64, 8};
  spec.swizzle = Swizzle::b128;
  const Tensor tensor(lab, spec);
  CHECK(box_bytes(tensor.map) == 1024);
  Counts counts;
  const std::int32_t whole[5] = {0, 0}, ragged[5] = {8, 97};
  count_box(counts, tensor.map, whole, 2);
  CHECK(counts.global_load_bytes == 1024);
  CHECK(counts.global_sectors == 32);
  CHECK(counts.global_requests == 1);
  CHECK(counts.shared_store_bytes == 2048);
  CHECK(counts.shared_wavefronts == 16);
  Counts stored;
  count_box(stored, tensor.map, ragged, 0);
  CHECK(stored.global_store_bytes == 3 * 112);
  CHECK(stored.global_sectors == 3 * 4);
  CHECK(stored.shared_load_bytes == 1024);
  // Rows of half a sector: two share one.
  spec.dims = {8, 100};
  spec.stride_bytes = {16};
  spec.box = {8, 8};
  const Tensor thin(lab, spec);
  Counts shared_sectors;
  count_box(shared_sectors, thin.map, whole, 1);
  CHECK(shared_sectors.global_sectors == 4);
}

TEST_CASE("tensor copy: faults name what is wrong", "[emu][tma]") {
  CopyLab lab;
  TensorMapSpec spec;
  spec.dtype = DType::fp32;
  spec.dims = {32, 32};
  spec.stride_bytes = {128};
  spec.box = {32, 8};
  Tensor tensor(lab, spec);
  const DevicePtr stored = lab.memory.allocate(512);
  std::memcpy(reinterpret_cast<void*>(stored), &tensor.map, sizeof tensor.map);
  CHECK(read_tensor_map(lab.who, stored).base == tensor.base);
  std::memcpy(lab.parameters.data() + 64, &tensor.map, sizeof tensor.map);
  CHECK(read_tensor_map(lab.who, kParameterWindow + 64).base == tensor.base);
  CHECK_THROWS_WITH(read_tensor_map(lab.who, stored + 32), Catch::Contains("no multiple of 64"));
  CHECK_THROWS_WITH(read_tensor_map(lab.who, stored + 128), Catch::Contains("no tensor map"));
  CHECK_THROWS_WITH(read_tensor_map(lab.who, kParameterWindow + 192), Catch::Contains("outside every allocation"));
  const std::int32_t zero[5] = {};
  check_box(lab.who, tensor.map, zero);
  lab.instruction.modifiers.dimensions = 3;
  CHECK_THROWS_WITH(check_box(lab.who, tensor.map, zero),
                    Catch::Contains("3-dimensional boxes, its tensor map has rank 2"));
  lab.instruction.modifiers.dimensions = 2;
  lab.instruction.opcode = ptx::Opcode::cp_reduce_async_bulk_tensor;
  lab.instruction.modifiers.atomic = ptx::Atomic::xor_;
  CHECK_THROWS_WITH(check_box(lab.who, tensor.map, zero), Catch::Contains("no such reduction of fp32"));
  lab.instruction.modifiers.atomic = ptx::Atomic::add;
  check_box(lab.who, tensor.map, zero);
  const std::int32_t unaligned[5] = {2, 0}, negative[5] = {0, -1};
  CHECK_THROWS_WITH(check_box(lab.who, tensor.map, unaligned), Catch::Contains("8 bytes: no multiple of 16"));
  check_box(lab.who, tensor.map, negative);
  lab.instruction.modifiers.space = ptx::Space::global;
  CHECK_THROWS_WITH(check_box(lab.who, tensor.map, negative), Catch::Contains("begins at -1 in dimension 1"));

  const std::int32_t origin[5] = {};
  CHECK_THROWS_WITH(load_box(lab.who, tensor.map, origin, lab.shared.data(), kShared - 512),
                    Catch::Contains("of the block's 49152 of shared memory"));
  tensor.map.dims[1] = 1 << 20;
  const std::int32_t beyond[5] = {0, 32};
  CHECK_THROWS_WITH(load_box(lab.who, tensor.map, beyond, lab.shared.data(), 0),
                    Catch::Contains("outside every allocation"));
}

TEST_CASE("tensor copy: rows shorter than the swizzle are padded", "[emu][tma]") {
  CopyLab lab;
  TensorMapSpec spec;
  spec.dtype = DType::bf16;
  spec.dims = {64, 64};
  spec.stride_bytes = {128};
  spec.box = {32, 4};
  spec.swizzle = Swizzle::b128;
  const Tensor tensor(lab, spec);
  CHECK(box_bytes(tensor.map) == 256);
  CHECK(box_footprint(tensor.map) == 512);
  const std::int32_t origin[5] = {};
  load_box(lab.who, tensor.map, origin, lab.shared.data(), 0);
  CHECK(std::memcmp(lab.shared.data() + 128 + 16, tensor.data.data() + 128, 16) == 0);
  CHECK(lab.shared[64] == std::byte{0xee});  // between the rows nothing is written
}

TEST_CASE("tensor copy: loads of tf32 round to 10 bits of mantissa", "[emu][tma]") {
  CopyLab lab;
  TensorMapSpec spec;
  spec.dtype = DType::tf32;
  spec.dims = {8};
  spec.box = {8};
  const Tensor tensor(lab, spec);
  const std::uint32_t given[8] = {0x3f800fff, 0x3f801000, 0x3f803000, 0xbf801001,
                                  0x00001000, 0x7f800000, 0x3fffffff, 0xff812345};
  const std::uint32_t wanted[8] = {0x3f800000, 0x3f800000, 0x3f804000, 0xbf802000,
                                   0x00000000, 0x7f800000, 0x40000000, 0x7fffe000};
  std::memcpy(tensor.data.data(), given, sizeof given);
  const std::int32_t origin[5] = {};
  load_box(lab.who, tensor.map, origin, lab.shared.data(), 0);
  for (int i = 0; i < 8; ++i) {
    std::uint32_t got = 0;
    std::memcpy(&got, lab.shared.data() + 4 * i, 4);
    CHECK(got == wanted[i]);
  }
}

TEST_CASE("tensor copy: tensormap.replace edits a map", "[emu][tma]") {
  CopyLab lab;
  TensorMapSpec spec;
  spec.dtype = DType::bf16;
  spec.dims = {64, 64};
  spec.stride_bytes = {128};
  spec.box = {64, 8};
  const Tensor tensor(lab, spec), other(lab, spec);
  std::byte* const at = lab.shared.data();
  std::memcpy(at, &tensor.map, sizeof tensor.map);
  const auto replace = [&](ptx::MapField field, int ordinal, std::uint64_t value) {
    replace_field(lab.who, field, ordinal, value, at);
  };
  replace(ptx::MapField::global_address, 0, other.base);
  replace(ptx::MapField::global_dim, 1, 4);
  replace(ptx::MapField::box_dim, 1, 6);
  replace(ptx::MapField::global_stride, 0, 256);
  replace(ptx::MapField::swizzle_mode, 0, 3);
  replace(ptx::MapField::fill_mode, 0, 1);
  replace(ptx::MapField::element_stride, 1, 2);
  replace(ptx::MapField::elemtype, 0, 6);
  const EncodedTensorMap map = read_tensor_map(lab.who, kSharedWindow);
  CHECK(map.base == other.base);
  CHECK(map.dims[1] == 4);
  CHECK(map.stride_bytes[0] == 256);
  CHECK((map.swizzle == Swizzle::b128 && map.nan_fill && map.dtype == DType::fp16));
  CHECK(box_bytes(map) == 3 * 128);
  const std::int32_t origin[5] = {};
  check_box(lab.who, map, origin);
  load_box(lab.who, map, origin, lab.shared.data(), 1024);
  CHECK(std::memcmp(lab.shared.data() + 1024, other.data.data(), 16) == 0);
  CHECK(std::memcmp(lab.shared.data() + 1024 + 128, other.data.data() + 512 + 16, 16) == 0);  // row 2, swizzled
  CHECK(lab.shared[1024 + 256] == std::byte{0xf7});                                           // row 4 is outside

  replace(ptx::MapField::box_dim, 0, 128);
  CHECK_THROWS_WITH(check_box(lab.who, read_tensor_map(lab.who, kSharedWindow), origin),
                    Catch::Contains("replaced wrongly: box[0] is 256 bytes, more than the swizzle span of 128"));
  CHECK_THROWS_WITH(replace(ptx::MapField::interleave_layout, 0, 1), Catch::Contains("interleaved"));
  CHECK_THROWS_WITH(replace(ptx::MapField::elemtype, 0, 8), Catch::Contains(".f32.ftz"));
  at[0] = std::byte{0};
  CHECK_THROWS_WITH(replace(ptx::MapField::rank, 0, 1), Catch::Contains("no tensor map"));
}
