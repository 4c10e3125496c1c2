// The emulated device against what a GPU did with tensor copies: every case of conformance/tensor, bit for bit.
// conformance/tensor/record made conformance/expected/tensor.

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "catch.h"
#include "device/emu/conformance/tensor/cases.h"
#include "device/emu/machine/machine.h"
#include "device/emu/memory.h"
#include "device/emu/ptx/ir.h"
#include "device/emu/tensor_map.h"
#include "locations.h"

namespace kerlab {
using namespace emu;
namespace {

using tensor_cases::Case;
using tensor_cases::Map;
using Bytes = std::vector<unsigned char>;

constexpr unsigned char kMissing = 0xcd;  // bytes of a case that was a fault (an illegal instruction) on the GPU

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path folder() {
  return tests_folder() / "device/emu/conformance";
}

std::optional<DType> dtype_of(int type) {
  constexpr std::optional<DType> kTypes[] = {DType::uint8,
                                             {},
                                             DType::uint32,
                                             DType::int32,
                                             {},
                                             DType::int64,
                                             DType::fp16,
                                             DType::fp32,
                                             DType::fp64,
                                             DType::bf16,
                                             {},
                                             DType::tf32,
                                             {}};
  return kTypes[type];
}

TensorMapSpec spec_of(const Map& map) {
  TensorMapSpec spec;
  spec.dtype = *dtype_of(map.type);
  spec.offset_bytes = static_cast<std::int64_t>(map.base_offset);
  for (int d = 0; d < map.rank; ++d) {
    spec.dims.push_back(map.dims[d]);
    spec.box.push_back(map.box[d]);
    if (d > 0) spec.stride_bytes.push_back(map.strides[d - 1]);
  }
  spec.swizzle = static_cast<Swizzle>(map.swizzle);
  spec.nan_fill = map.nan_fill != 0;
  return spec;
}

/// Parameters of the kernels of tensor.ptx.
struct Arguments {
  TensorMap map;
  std::uint64_t data = 0;
  std::uint32_t offset = 0, bytes = 0, argument = 0;
  std::int32_t at[5] = {};
};

class Machine {
 public:
  Bytes run(const ptx::Kernel& kernel, const Case& c, std::size_t number) {
    const DevicePtr tensor = place(tensor_cases::tensor_data(c, number));
    const Bytes window = tensor_cases::window_data(c, number);
    Bytes windows(tensor_cases::data_bytes(c));
    for (int b = 0; b < c.blocks; ++b)
      std::copy(window.begin(), window.end(), windows.begin() + b * tensor_cases::kWindow);
    Arguments arguments;
    arguments.map = encode(c.map, tensor);
    arguments.data = place(windows);
    arguments.offset = c.offset;
    arguments.bytes = tensor_cases::box_bytes(c.map);
    arguments.argument = c.argument;
    std::copy(c.at, c.at + 5, arguments.at);

    const emu::ProgramPtr program = emu::lower(kernel, 0, 0);
    emu::MachineLaunch launch;
    launch.program = program.get();
    launch.memory = &memory_;
    launch.grid = {static_cast<std::uint32_t>(c.blocks), 1, 1};
    launch.block = {128, 1, 1};
    launch.parameters = std::as_bytes(std::span(&arguments, 1));
    launch.instruction_budget = 1 << 24;
    emu::run(launch);
    return result(c, tensor, arguments.data);
  }

 private:
  static TensorMap encode(const Map& map, DevicePtr base) {
    TensorMap encoded = emu::encode_tensor_map(spec_of(map), base);
    emu::EncodedTensorMap inner;
    std::memcpy(&inner, encoded.words, sizeof inner);
    for (int d = 0; d < 5; ++d) inner.element_stride[d] = static_cast<std::uint8_t>(map.step[d]);
    std::memcpy(encoded.words, &inner, sizeof inner);
    return encoded;
  }

  DevicePtr place(const Bytes& bytes) {
    const DevicePtr at = memory_.allocate(bytes.size());
    std::memcpy(memory_.at(at, bytes.size()), bytes.data(), bytes.size());
    return at;
  }

  Bytes result(const Case& c, DevicePtr tensor, DevicePtr data) const {
    const auto* const stored = reinterpret_cast<const unsigned char*>(tensor);
    if (tensor_cases::writes_tensor(c)) return {stored, stored + tensor_cases::tensor_bytes(c.map)};
    Bytes all;
    const tensor_cases::Shown part = tensor_cases::shown(c);
    for (int b = 0; b < c.blocks; ++b) {
      const auto* const window = reinterpret_cast<const unsigned char*>(data) + std::size_t{tensor_cases::kWindow} * b;
      all.insert(all.end(), window + part.begin, window + part.end);
      const auto* const completed =
          reinterpret_cast<const unsigned char*>(data) + std::size_t{tensor_cases::kWindow} * c.blocks + 128 + 4 * b;
      all.insert(all.end(), completed, completed + 4);
    }
    return all;
  }

  emu::GlobalMemory memory_{std::int64_t{1} << 30};
};

std::string describe(const Case& c, std::size_t number) {
  const Map& m = c.map;
  std::string text = fmt::format("case {}: {}, type {}, swizzle {}, nan {}, offset {}, argument {}", number, c.kernel,
                                 m.type, m.swizzle, m.nan_fill, c.offset, c.argument);
  for (int d = 0; d < m.rank; ++d) {
    text += fmt::format("; dimension {}: {} of {}, box {} step {}", d, c.at[d], m.dims[d], m.box[d], m.step[d]);
  }
  return text;
}

/// What the GPU said of each recorded fault: an illegal instruction (a trap), but of a box that begins at no multiple
/// of 128 bytes in shared memory a misaligned address.
FaultKind fault_of(const Case& c) {
  return c.offset % 128 == 0 ? FaultKind::trap : FaultKind::misaligned_address;
}

/// Empty when the machine did what the GPU did.
std::string difference(const Bytes& expected, const Bytes& got) {
  if (expected == got) return {};
  int count = 0;
  std::string first;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    if (++count <= 16) first += fmt::format(" {}:{:02x}/{:02x}", i, expected[i], got[i]);
  }
  return fmt::format("{} of {} bytes differ, expected/got{}", count, expected.size(), first);
}

}  // namespace

TEST_CASE("Tensor copies do what a GPU does", "[emu][tma][conformance]") {
  const ptx::ParseResult parsed = ptx::parse(read(folder() / "tensor/tensor.ptx"));
  REQUIRE(parsed.failures.empty());
  const std::string expected = read(folder() / "expected/tensor/tensor.bin");
  Machine machine;
  std::size_t at = 0, number = 0;
  for (const Case& c : tensor_cases::all()) {
    const Bytes wanted(expected.begin() + static_cast<std::ptrdiff_t>(std::min(at, expected.size())),
                       expected.begin() + static_cast<std::ptrdiff_t>(
                                              std::min(at + tensor_cases::recorded_bytes(c), expected.size())));
    at += tensor_cases::recorded_bytes(c);
    INFO(describe(c, number));
    const ptx::Kernel* const kernel = parsed.module.find(c.kernel);
    REQUIRE(kernel != nullptr);
    const bool faulted = std::all_of(wanted.begin(), wanted.end(), [](unsigned char b) { return b == kMissing; });
    std::string wrong = faulted ? "no fault, the GPU had one" : "";
    try {
      const Bytes got = machine.run(*kernel, c, number);
      if (!faulted) wrong = difference(wanted, got);
    } catch (const emu::MachineFault& error) {
      wrong = faulted && error.kind() == fault_of(c) ? "" : error.what();
    }
    CHECK(wrong == "");
    ++number;
  }
  CHECK(at == expected.size());
}

TEST_CASE("Tensor copies that a GPU may refuse are faults exactly where it had one", "[emu][tma][conformance]") {
  const ptx::ParseResult parsed = ptx::parse(read(folder() / "tensor/tensor.ptx"));
  const std::string expected = read(folder() / "expected/tensor/doubtful.bin");
  Machine machine;
  std::size_t at = 0, number = 1000;
  for (const Case& c : tensor_cases::doubtful()) {
    const std::size_t bytes = tensor_cases::recorded_bytes(c);
    REQUIRE(at + 4 + bytes <= expected.size());
    int status = 0;
    std::memcpy(&status, expected.data() + at, 4);
    const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(at + 4);
    const Bytes wanted(begin, begin + static_cast<std::ptrdiff_t>(bytes));
    at += 4 + bytes;
    INFO(describe(c, number));
    std::string wrong = status == 0 ? "" : "no fault, the GPU had one";
    try {
      const Bytes got = machine.run(*parsed.module.find(c.kernel), c, number);
      if (status == 0) wrong = difference(wanted, got);
    } catch (const emu::MachineFault& error) {
      wrong = status != 0 && error.kind() == fault_of(c) ? "" : error.what();
    }
    CHECK(wrong == "");
    ++number;
  }
}

TEST_CASE("A tensor map is refused exactly when the driver refuses it", "[emu][tma][conformance]") {
  const std::string verdicts = read(folder() / "expected/tensor/maps.bin");
  const std::vector<Map> maps = tensor_cases::maps();
  REQUIRE(verdicts.size() == maps.size());
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const Map& m = maps[i];
    if (!dtype_of(m.type) || m.rank > 5) continue;
    bool stepped = false;  // TensorMapSpec has no steps
    for (int d = 0; d < 5; ++d) stepped = stepped || m.step[d] != 1;
    if (stepped) continue;
    CAPTURE(i, m.type, m.rank, m.swizzle, m.nan_fill, m.base_offset, m.dims[0], m.dims[1], m.strides[0], m.strides[1],
            m.box[0], m.box[1]);
    const std::string error = tensor_map_error(spec_of(m), 0);
    CAPTURE(error);
    CHECK(error.empty() == (verdicts[i] == 0));
  }
}

}  // namespace kerlab
