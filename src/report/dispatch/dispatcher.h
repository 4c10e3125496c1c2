#pragma once
// Chooses, loads and launches: one CUDA context, one stream at a time (a kernel's workspaces are its dispatcher's).

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/dispatch/driver.h"
#include "report/dispatch/library.h"

namespace kerlab_dispatch_2 {

struct Result {
  Status status = Status::ok;
  std::string message;
  explicit operator bool() const { return status == Status::ok; }
};

class Dispatcher {
 public:
  /// `folder`: of the cubins that are not embedded. The library must outlive the dispatcher.
  Dispatcher(const Library& library, const Driver& driver, std::string folder = "")
      : library_(library), driver_(driver), folder_(std::move(folder)) {}
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;
  ~Dispatcher() {
    for (const auto& buffer : buffers_) driver_.release(buffer.second.address);
    for (const auto& loaded : modules_) driver_.module_unload(loaded.second);
  }

  /// Chooses and loads, and allocates workspaces: what a launch would otherwise do the first time. Wants a current
  /// context. Needed before a launch is captured into a graph.
  Result prepare(const Request& request) {
    Prepared* prepared = nullptr;
    return prepare(request, prepared);
  }

  /// Queues the launches on `stream` (CUstream). `tensors`: device addresses in the order of the library's names, at
  /// multiples of 16; 0 where the problem does not use one. What a kernel wants of its inputs beforehand (variables
  /// that hold a tensor, launches of [[prepare]]) is queued before them the first time, and where the problem or an
  /// address is another one than last time.
  Result launch(const Request& request, const std::vector<DevicePointer>& tensors, void* stream = nullptr) {
    if (tensors.size() != static_cast<std::size_t>(library_.tensors))
      return {Status::bad_argument, "the library has " + std::to_string(library_.tensors) + " tensors"};
    for (const DevicePointer address : tensors)
      if (address % 16 != 0) return {Status::bad_argument, "a tensor does not begin at a multiple of 16 bytes"};
    Prepared* prepared = nullptr;
    if (Result result = prepare(request, prepared); !result) return result;
    const Plan& plan = prepared->choice.plan;
    for (std::size_t i = 0; i < plan.workspaces.size(); ++i) {
      const Workspace& workspace = plan.workspaces[i];
      if ((workspace.initial != Initial::zero && workspace.initial != Initial::poison) || workspace.bytes == 0)
        continue;
      const unsigned char value = workspace.initial == Initial::zero ? 0 : 0xFF;
      const int error = driver_.fill(buffer(*prepared, i), value, static_cast<std::size_t>(workspace.bytes), stream);
      if (error != 0) return failed("filling a workspace", error);
    }
    if (Result result = renew(*prepared, tensors, stream); !result) return result;
    for (std::size_t i = 0; i < plan.launches.size(); ++i)
      if (!plan.launches[i].prepares)
        if (Result result = enqueue(*prepared, i, tensors, stream); !result) return result;
    return {};
  }

  /// Tensors that kernels want beforehand hold something else at the same addresses: the next launch takes it in.
  void inputs_changed() { taken_.clear(); }

  /// What `request` gets; valid after it was prepared or launched. Null: it was not.
  const Choice* chosen(const Request& request) const {
    for (const Prepared& prepared : prepared_)
      if (prepared.request == request) return &prepared.choice;
    return nullptr;
  }

 private:
  static constexpr std::size_t kMostPrepared = 256;
  struct Prepared {
    Request request;
    Choice choice;
    std::vector<void*> functions;  ///< of each launch
  };
  struct Buffer {
    DevicePointer address = 0;
    std::int64_t bytes = 0;
  };
  /// Whose inputs an image's variables and its kernels' workspaces hold.
  struct Taken {
    Request request;
    std::vector<DevicePointer> tensors;
  };
  struct Function {
    void* handle = nullptr;
    std::uint32_t shared = 0;  ///< allowed so far
    int carveout = -1;         ///< preferred so far
  };

  Result failed(const std::string& what, int error) const {
    return {Status::driver_error, what + ": " + driver_.describe(error)};
  }

  Result prepare(const Request& request, Prepared*& result) {
    for (Prepared& prepared : prepared_)
      if (prepared.request == request) {
        result = &prepared;
        return {};
      }
    if (driver_.missing != nullptr) return {Status::no_driver, std::string("no CUDA driver: ") + driver_.missing};
    if (Result same = check_device(); !same) return same;
    Prepared prepared{request, choose(library_, request), {}};
    if (prepared.choice.status != Status::ok) return {prepared.choice.status, prepared.choice.message};
    for (const Launch& launch : prepared.choice.plan.launches)
      if (Result loaded = load(prepared, launch); !loaded) return loaded;
    for (std::size_t i = 0; i < prepared.choice.plan.workspaces.size(); ++i)
      if (Result there = allocate(prepared, i); !there) return there;
    if (prepared_.size() == kMostPrepared) prepared_.clear();
    prepared_.push_back(std::move(prepared));
    result = &prepared_.back();
    return {};
  }

  Result check_device() {
    if (checked_) return {};
    int device = 0;
    if (const int error = driver_.current_device(&device); error != 0) return failed("no current context", error);
    for (int i = 0; i < library_.fact_count; ++i) {
      const Fact& fact = library_.facts[i];
      const std::int64_t here = property(device, fact.attribute);
      if (here != fact.value)
        return {Status::other_device, std::string("exported for ") + library_.device_class + ": " + fact.name + " is " +
                                          std::to_string(here) + " here, not " + std::to_string(fact.value)};
    }
    checked_ = true;
    return {};
  }
  std::int64_t property(int device, int attribute) const {
    int value = 0;
    if (attribute == -1) {
      std::size_t bytes = 0;
      return driver_.device_memory(&bytes, device) == 0 ? static_cast<std::int64_t>(bytes) : -1;
    }
    if (attribute == -2) {
      int minor = 0;
      return driver_.device_attribute(&value, 75, device) == 0 && driver_.device_attribute(&minor, 76, device) == 0
                 ? 10 * value + minor
                 : -1;
    }
    return driver_.device_attribute(&value, attribute, device) == 0 ? value : -1;
  }

  Result load(Prepared& prepared, const Launch& launch) {
    const int image = library_.kernels[prepared.choice.kernel].image;
    void*& loaded = modules_.emplace(image, nullptr).first->second;
    if (loaded == nullptr) {
      std::vector<char> read;
      if (Result there = read_image(library_.images[image], read); !there) return there;
      const void* bytes = library_.images[image].bytes;
      const int error = driver_.module_load(&loaded, bytes != nullptr ? bytes : read.data());
      if (error != 0) {
        modules_.erase(image);
        return failed(std::string("loading ") + library_.images[image].file, error);
      }
    }
    Function& function = functions_[{image, launch.kernel}];
    if (function.handle == nullptr)
      if (const int error = driver_.module_function(&function.handle, loaded, launch.kernel); error != 0)
        return failed(std::string("looking for kernel ") + launch.kernel, error);
    prepared.functions.push_back(function.handle);
    return allow(function, launch);
  }
  Result allow(Function& function, const Launch& launch) const {
    constexpr int kDynamicShared = 8, kLargeClusters = 14;  // CU_FUNC_ATTRIBUTE_...
    if (launch.shared > function.shared) {
      if (const int error = driver_.set_attribute(function.handle, kDynamicShared, static_cast<int>(launch.shared));
          error != 0)
        return failed("allowing " + std::to_string(launch.shared) + " bytes of shared memory", error);
      function.shared = launch.shared;
    }
    if (launch.cluster.volume() > 8)
      if (const int error = driver_.set_attribute(function.handle, kLargeClusters, 1); error != 0)
        return failed("allowing a cluster of more than 8 blocks", error);
    return {};
  }
  /// Launches of one kernel may differ in what they prefer.
  Result prefer(const Prepared& prepared, const Launch& launch) {
    constexpr int kCarveout = 9;  // CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
    Function& function = functions_[{library_.kernels[prepared.choice.kernel].image, launch.kernel}];
    if (launch.carveout == function.carveout) return {};
    const int error = driver_.set_attribute(function.handle, kCarveout, launch.carveout);
    if (error != 0) return failed("preferring shared memory", error);
    function.carveout = launch.carveout;
    return {};
  }
  Result read_image(const Image& image, std::vector<char>& read) const {
    if (image.bytes != nullptr) return {};
    const std::string path = folder_.empty() ? image.file : folder_ + "/" + image.file;
    std::ifstream file(path, std::ios::binary);
    read.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    std::uint64_t fnv1a = 14695981039346656037ULL;
    for (const char byte : read) fnv1a = (fnv1a ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
    if (read.size() == image.size && fnv1a == image.fnv1a) return {};
    return {Status::bad_image, path + (file.is_open() ? " is not the cubin that was exported" : " cannot be read")};
  }

  DevicePointer buffer(const Prepared& prepared, std::size_t index) const {
    const auto found = buffers_.find({prepared.choice.kernel, index});
    return found == buffers_.end() ? 0 : found->second.address;
  }
  Result allocate(const Prepared& prepared, std::size_t index) {
    const Workspace& workspace = prepared.choice.plan.workspaces[index];
    if (workspace.bytes == 0) return {};
    Buffer& buffer = buffers_[{prepared.choice.kernel, index}];
    if (buffer.bytes >= workspace.bytes) return {};
    if (buffer.address != 0) driver_.release(buffer.address);
    taken_.erase(library_.kernels[prepared.choice.kernel].image);  // what was prepared is gone with it
    buffer = {};
    const auto bytes = static_cast<std::size_t>(workspace.bytes);
    int error = driver_.allocate(&buffer.address, bytes);
    if (error == 0 && workspace.initial == Initial::zero_once) {
      error = driver_.fill(buffer.address, 0, bytes, nullptr);
      if (error == 0) error = driver_.synchronize();  // launches may go to a stream that does not wait for this one
    }
    if (error != 0) return failed("a workspace of " + std::to_string(bytes) + " bytes", error);
    buffer.bytes = workspace.bytes;
    return {};
  }

  /// Sets the image's variables, and has the launches of [[prepare]] run, where that is not what was done last.
  Result renew(const Prepared& prepared, const std::vector<DevicePointer>& tensors, void* stream) {
    const Plan& plan = prepared.choice.plan;
    const auto prepares = [](const Launch& launch) { return launch.prepares; };
    if (plan.symbols.empty() && std::none_of(plan.launches.begin(), plan.launches.end(), prepares)) return {};
    const int image = library_.kernels[prepared.choice.kernel].image;
    const auto last = taken_.find(image);
    if (last != taken_.end() && last->second.request == prepared.request && last->second.tensors == tensors) return {};
    taken_.erase(image);
    for (const Symbol& symbol : plan.symbols)
      if (Result set = set_symbol(image, symbol, tensors, stream); !set) return set;
    for (std::size_t i = 0; i < plan.launches.size(); ++i)
      if (plan.launches[i].prepares)
        if (Result result = enqueue(prepared, i, tensors, stream); !result) return result;
    taken_[image] = {prepared.request, tensors};
    return {};
  }
  Result set_symbol(int image, const Symbol& symbol, const std::vector<DevicePointer>& tensors, void* stream) {
    const std::string what = std::string("variable ") + symbol.name;
    DevicePointer address = 0;
    std::size_t room = 0;
    if (const int error = driver_.module_global(&address, &room, modules_[image], symbol.name); error != 0)
      return failed("looking for " + what, error);
    const auto bytes = static_cast<std::size_t>(symbol.bytes);
    const DevicePointer from = tensors[static_cast<std::size_t>(symbol.tensor)];
    if (from == 0) return {Status::bad_argument, "the tensor that " + what + " holds has no address"};
    if (room < bytes)
      return {Status::bad_argument,
              what + " has room for " + std::to_string(room) + " bytes, its tensor has " + std::to_string(bytes)};
    const int error = driver_.copy(address, from, bytes, stream);
    return error == 0 ? Result{} : failed("filling " + what, error);
  }

  Result enqueue(const Prepared& prepared, std::size_t index, const std::vector<DevicePointer>& tensors, void* stream) {
    const Launch& launch = prepared.choice.plan.launches[index];
    struct alignas(64) Slot {
      unsigned char bytes[128];
    };
    std::vector<Slot> slots(launch.arguments.size());
    std::vector<void*> arguments;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      if (Result bound = bind(prepared, launch.arguments[i], tensors, slots[i].bytes); !bound) return bound;
      arguments.push_back(slots[i].bytes);
    }
    LaunchAttribute attributes[3];
    LaunchAttribute& cluster = attributes[0];
    LaunchConfig config;
    const Extent* const from[] = {&launch.grid, &launch.block, &launch.cluster};
    std::uint32_t* const to[] = {config.grid, config.block, cluster.value.cluster};
    for (int i = 0; i < 3; ++i) {
      to[i][0] = from[i]->x;
      to[i][1] = from[i]->y;
      to[i][2] = from[i]->z;
    }
    config.shared = launch.shared;
    config.stream = stream;
    config.attributes = attributes;
    config.attribute_count = launch.cluster.volume() > 1 ? 1 : 0;
    if (launch.cooperative) {
      LaunchAttribute& last = attributes[config.attribute_count++];
      last.id = 2;
      last.value.cooperative = 1;
    }
    if (launch.programmatic) {
      LaunchAttribute& last = attributes[config.attribute_count++];
      last.id = 6;
      last.value.programmatic = 1;
    }
    if (Result set = prefer(prepared, launch); !set) return set;
    const int error = driver_.launch(&config, prepared.functions[index], arguments.data(), nullptr);
    return error == 0 ? Result{} : failed(std::string("launching ") + launch.kernel, error);
  }

  Result bind(const Prepared& prepared, const Argument& argument, const std::vector<DevicePointer>& tensors,
              unsigned char* bytes) const {
    if (argument.kind == Argument::Kind::scalar) {
      std::memcpy(bytes, argument.bytes, argument.size);
      return {};
    }
    if (argument.kind == Argument::Kind::tensor_map)
      return encode(prepared, prepared.choice.plan.maps[static_cast<std::size_t>(argument.index)], tensors, bytes);
    const auto index = static_cast<std::size_t>(argument.index);
    const DevicePointer base = argument.kind == Argument::Kind::tensor ? tensors[index] : buffer(prepared, index);
    const DevicePointer address = base == 0 ? 0 : base + static_cast<DevicePointer>(argument.offset);
    std::memcpy(bytes, &address, sizeof address);
    return {};
  }
  Result encode(const Prepared& prepared, const TensorMap& map, const std::vector<DevicePointer>& tensors,
                unsigned char* bytes) const {
    const auto index = static_cast<std::size_t>(map.buffer);
    const DevicePointer address = map.of_workspace ? buffer(prepared, index) : tensors[index];
    if (address == 0) return {Status::bad_argument, "a tensor that is copied through a tensor map has no address"};
    const std::uint32_t unit[5] = {1, 1, 1, 1, 1};
    EncodedMap encoded;
    const int error = driver_.encode_tiled(&encoded, map.type, static_cast<std::uint32_t>(map.dims.size()),
                                           reinterpret_cast<void*>(address), map.dims.data(), map.strides.data(),
                                           map.box.data(), unit, 0, map.swizzle, map.promotion, map.nan_fill ? 1 : 0);
    if (error != 0) return failed("encoding a tensor map", error);
    std::memcpy(bytes, &encoded, sizeof encoded);
    return {};
  }

  const Library& library_;
  Driver driver_;
  std::string folder_;
  bool checked_ = false;
  std::vector<Prepared> prepared_;
  std::map<int, void*> modules_;                               ///< by image
  std::map<int, Taken> taken_;                                 ///< by image
  std::map<std::pair<int, std::string>, Function> functions_;  ///< by image and name
  std::map<std::pair<int, std::size_t>, Buffer> buffers_;      ///< by kernel and workspace
};

}  // namespace kerlab_dispatch_2
