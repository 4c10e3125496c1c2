#pragma once
// What is launched for a problem: grids, blocks, shared memory and arguments, still without addresses.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "report/dispatch/checked.h"

namespace kerlab_dispatch_2 {

/// A problem: values in the order of the library's names.
struct Request {
  std::vector<std::int64_t> dimensions;
  std::string dtype;
  std::vector<std::string> flags;
  std::vector<double> scalars;
  bool operator==(const Request& other) const {
    return dimensions == other.dimensions && dtype == other.dtype && flags == other.flags && scalars == other.scalars;
  }
};

struct Extent {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
};

/// As cuTensorMapEncodeTiled takes it; `type`, `swizzle` and `promotion` are the driver's enumerators.
struct TensorMap {
  bool of_workspace = false;
  int buffer = 0;  ///< which tensor or workspace
  int type = 0;
  std::int64_t element_bytes = 1;
  std::vector<std::uint64_t> dims, strides;  ///< innermost first: elements, bytes
  std::vector<std::uint32_t> box;
  int swizzle = 0, promotion = 0;
  bool nan_fill = false;
};

struct Argument {
  enum class Kind : unsigned char { scalar, tensor, workspace, tensor_map };
  Kind kind = Kind::scalar;
  int index = 0;            ///< of the tensor, workspace or map
  std::int64_t offset = 0;  ///< bytes
  unsigned char bytes[8] = {};
  std::size_t size = 8;  ///< of a scalar
};

struct Launch {
  const char* kernel = "";  ///< name in the image
  Extent grid, block, cluster;
  std::uint32_t shared = 0;   ///< dynamic, bytes
  bool cooperative = false;   ///< all its blocks run at once
  bool programmatic = false;  ///< it may begin before the launch before it has ended
  int carveout = -1;          ///< preferred shared memory, percent; -1: as the driver likes
  bool prepares = false;      ///< of [[prepare]]: runs where inputs are new, before the others
  std::vector<Argument> arguments;
};

/// zero: before every run. poison: 0xFF before every run. zero_once: when allocated; every run leaves zeros.
enum class Initial : unsigned char { none, zero, poison, zero_once };

struct Workspace {
  const char* name = "";
  std::int64_t bytes = 0;
  Initial initial = Initial::none;
};

/// A __constant__ or __device__ variable that holds a tensor.
struct Symbol {
  const char* name = "";  ///< in the image
  int tensor = 0;
  std::int64_t bytes = 0;
};

struct Plan {
  std::vector<Workspace> workspaces;
  std::vector<Symbol> symbols;
  std::vector<TensorMap> maps;
  std::vector<Launch> launches;
};

/// Writes a plan, and finds out on the way whether the kernel is valid for the problem at all.
class Planner : public Checked {
 public:
  Plan plan;

  void workspace(const char* name, Int bytes, Initial initial) {
    plan.workspaces.push_back({name, within(bytes, 0, Int{1} << 62, "a workspace is too large"), initial});
  }
  void symbol(const char* name, int tensor, Int bytes) {
    plan.symbols.push_back({name, tensor, within(bytes, 0, Int{1} << 62, "a tensor is too large")});
  }
  /// False: the grid is empty, and nothing is launched.
  bool launch(const char* kernel, Int x, Int y, Int z) {
    Launch next;
    next.kernel = kernel;
    next.grid = extent(x, y, z);
    if (!ok() || next.grid.volume() == 0) return false;
    hold(next.grid.x <= 0x7fffffffU && next.grid.y <= 65535 && next.grid.z <= 65535, "the grid is too large");
    plan.launches.push_back(next);
    return ok();
  }
  void block(Int x, Int y, Int z) {
    plan.launches.back().block = extent(x, y, z);
    const std::uint64_t threads = plan.launches.back().block.volume();
    hold(threads > 0 && threads <= 1024, "the block is empty or larger than 1024 threads");
  }
  void cluster(Int x, Int y, Int z) {
    Launch& last = plan.launches.back();
    last.cluster = extent(x, y, z);
    hold(last.cluster.volume() > 0, "the cluster is empty");
    if (!ok()) return;
    hold(last.grid.x % last.cluster.x == 0 && last.grid.y % last.cluster.y == 0 && last.grid.z % last.cluster.z == 0,
         "the grid is no multiple of the cluster");
  }
  void prepares() { plan.launches.back().prepares = true; }
  void cooperative() { plan.launches.back().cooperative = true; }
  void programmatic() {
    plan.launches.back().programmatic = true;
    const std::size_t count = plan.launches.size();
    hold(count > 1 && !plan.launches[count - 2].prepares, "the first launch cannot be programmatic");
  }
  void carveout(Int percent) {
    plan.launches.back().carveout = static_cast<int>(within(percent, -1, 100, "a carve-out is outside -1..100"));
  }
  void shared(Int bytes) {
    plan.launches.back().shared = static_cast<std::uint32_t>(within(bytes, 0, 0x7fffffff, "too much shared memory"));
  }
  void int32(Int value) {
    within(value, -0x7fffffff - 1, 0x7fffffff, "an argument does not fit 32 bits");
    scalar(static_cast<std::int32_t>(ok() ? value : 0));
  }
  void int64(Int value) { scalar(value); }
  void fp32(double value) { scalar(static_cast<float>(value)); }
  void fp64(double value) { scalar(value); }
  /// `bytes`: of the tensor; -1 where nothing is added to its address.
  void tensor(int index, Int offset = 0, Int bytes = -1) { pointer(Argument::Kind::tensor, index, offset, bytes); }
  void buffer(int index, Int offset = 0, Int bytes = -1) { pointer(Argument::Kind::workspace, index, offset, bytes); }
  void map(const TensorMap& map) {
    check(map);
    Argument argument;
    argument.kind = Argument::Kind::tensor_map;
    argument.index = static_cast<int>(plan.maps.size());
    plan.maps.push_back(map);
    plan.launches.back().arguments.push_back(argument);
  }
  std::uint64_t map_extent(Int value) {
    return static_cast<std::uint64_t>(within(value, 1, Int{1} << 32, "a tensor map's extent is outside 1..2^32"));
  }
  std::uint64_t map_stride(Int value) {
    within(value, 0, (Int{1} << 40) - 1, "a tensor map's stride is not below 2^40 bytes");
    hold(value % 16 == 0, "a tensor map's stride is no multiple of 16 bytes");
    return static_cast<std::uint64_t>(ok() ? value : 16);
  }
  std::uint32_t map_box(Int value) {
    return static_cast<std::uint32_t>(within(value, 1, 256, "a tensor map's box is outside 1..256"));
  }
  /// The enumerator of a swizzle (0, 32, 64, 128) or promotion (0, 64, 128, 256) of so many bytes.
  int enumerator(Int value, Int first, const char* why) {
    if (value == 0) return 0;
    for (int i = 0; i < 3; ++i)
      if (value == first << i) return i + 1;
    fail(why);
    return 0;
  }

 private:
  Extent extent(Int x, Int y, Int z) {
    const auto one = [this](Int value) {
      return static_cast<std::uint32_t>(within(value, 0, 0xffffffffLL, "an extent is outside 0..2^32-1"));
    };
    return {one(x), one(y), one(z)};
  }
  template <typename Value>
  void scalar(Value value) {
    Argument argument;
    argument.size = sizeof value;
    std::memcpy(argument.bytes, &value, sizeof value);
    plan.launches.back().arguments.push_back(argument);
  }
  void pointer(Argument::Kind kind, int index, Int offset, Int bytes) {
    Argument argument;
    argument.kind = kind;
    argument.index = index;
    argument.offset = bytes < 0 ? 0 : within(offset, 0, bytes, "an address is beyond its buffer");
    plan.launches.back().arguments.push_back(argument);
  }
  void check(const TensorMap& map) {
    if (map.box.empty()) return fail("a tensor map has no dimensions");
    const Int inner = Int{map.box[0]} * map.element_bytes;
    hold(inner % 16 == 0, "a tensor map's innermost box is no multiple of 16 bytes");
    hold(map.swizzle == 0 || inner <= Int{16} << map.swizzle, "a tensor map's box is wider than its swizzle");
    Int bytes = inner;
    for (std::size_t i = 1; i < map.box.size(); ++i) bytes = multiply(bytes, map.box[i]);
    hold(bytes <= 228 * 1024, "a tensor map's box is larger than shared memory");
  }
};

}  // namespace kerlab_dispatch_2
