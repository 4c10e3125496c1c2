// Records what a real GPU does with the tensor copies of cases.h: ./record FIXTURE_FOLDER OUTPUT_FOLDER
// Writes OUTPUT_FOLDER/tensor.bin (the bytes of all cases one after the other), doubtful.bin (for each a 32-bit status,
// then its bytes, zero if it failed) and maps.bin (a byte for each map: 0 if the driver takes it). Needs the driver
// alone (dlopen); compile with g++ -O2 -std=c++17 record.cc -ldl.

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cases.h"

namespace {

using namespace tensor_cases;
using Handle = void*;
using Pointer = unsigned long long;
using Bytes = std::vector<unsigned char>;

void* library() {
  static void* lib = dlopen("libcuda.so.1", RTLD_NOW);
  if (lib == nullptr) std::fprintf(stderr, "record: no CUDA driver: %s\n", dlerror()), std::exit(1);
  return lib;
}

template <class... Args>
int call(const char* name, Args... args) {
  auto* function = reinterpret_cast<int (*)(Args...)>(dlsym(library(), name));
  if (function == nullptr) std::fprintf(stderr, "record: the driver lacks %s\n", name), std::exit(1);
  return function(args...);
}

void check(const char* what, int status) {
  if (status == 0) return;
  const char* text = nullptr;
  call("cuGetErrorString", status, &text);
  std::fprintf(stderr, "record: %s: error %d (%s)\n", what, status, text != nullptr ? text : "?");
  std::exit(1);
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr unsigned char kMissing = 0xcd;  // bytes of a case that the GPU did not do

struct alignas(64) Encoded {
  unsigned char bytes[128] = {};
};

/// What the driver says; 0: it takes the map.
int encode(const Map& map, Pointer base, Encoded& to) {
  std::uint64_t dims[8] = {}, strides[8] = {};
  std::uint32_t box[8] = {}, step[8] = {};
  for (int d = 0; d < 5; ++d) dims[d] = map.dims[d], box[d] = map.box[d], step[d] = map.step[d];
  for (int d = 0; d < 4; ++d) strides[d] = map.strides[d];
  return call("cuTensorMapEncodeTiled", static_cast<void*>(&to), map.type, static_cast<unsigned>(map.rank),
              reinterpret_cast<void*>(base + map.base_offset), static_cast<const std::uint64_t*>(dims),
              static_cast<const std::uint64_t*>(strides), static_cast<const std::uint32_t*>(box),
              static_cast<const std::uint32_t*>(step), 0, map.swizzle, 0, map.nan_fill);
}

Pointer place(const Bytes& bytes) {
  Pointer at = 0;
  check("allocate", call("cuMemAlloc_v2", &at, bytes.size()));
  check("copy in", call("cuMemcpyHtoD_v2", at, static_cast<const void*>(bytes.data()), bytes.size()));
  return at;
}

Bytes fetch(Pointer at, std::size_t bytes) {
  Bytes result(bytes);
  check("copy out", call("cuMemcpyDtoH_v2", static_cast<void*>(result.data()), at, bytes));
  check("free", call("cuMemFree_v2", at));
  return result;
}

Handle open(const std::string& ptx) {
  check("cuInit", call("cuInit", 0u));
  int device = 0;
  check("cuDeviceGet", call("cuDeviceGet", &device, 0));
  Handle context = nullptr, module = nullptr;
  check("context", call("cuDevicePrimaryCtxRetain", &context, device));
  check("context", call("cuCtxSetCurrent", context));
  std::vector<char> log(1 << 16);
  int options[] = {5, 6};  // CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  const int loaded = call("cuModuleLoadDataEx", &module, static_cast<const void*>(ptx.c_str()), 2u,
                          static_cast<int*>(options), static_cast<void**>(values));
  if (loaded != 0) std::fprintf(stderr, "%s\n", log.data());
  check("tensor.ptx", loaded);
  return module;
}

Bytes run(Handle module, const Case& c, std::size_t number) {
  Handle function = nullptr;
  check(c.kernel.c_str(), call("cuModuleGetFunction", &function, module, c.kernel.c_str()));
  const Pointer tensor = place(tensor_data(c, number));
  Bytes windows(data_bytes(c));
  const Bytes window = window_data(c, number);
  for (int b = 0; b < c.blocks; ++b) std::copy(window.begin(), window.end(), windows.begin() + b * kWindow);
  Pointer data = place(windows);
  Encoded map;
  if (const int refused = encode(c.map, tensor, map); refused != 0) {
    std::printf("case %zu, %s: the driver refuses its map (%d)\n", number, c.kernel.c_str(), refused);
    return Bytes(recorded_bytes(c), kMissing);
  }
  std::uint32_t offset = c.offset, bytes = box_bytes(c.map), argument = c.argument;
  std::int32_t at[5];
  for (int d = 0; d < 5; ++d) at[d] = c.at[d];
  void* arguments[] = {&map, &data, &offset, &bytes, &argument, at, at + 1, at + 2, at + 3, at + 4};
  check(c.kernel.c_str(), call("cuLaunchKernel", function, static_cast<unsigned>(c.blocks), 1u, 1u, 128u, 1u, 1u, 0u,
                               Handle{nullptr}, static_cast<void**>(arguments), static_cast<void**>(nullptr)));
  check(c.kernel.c_str(), call("cuCtxSynchronize"));
  const Bytes stored = fetch(tensor, tensor_bytes(c.map)), windows_after = fetch(data, windows.size());
  if (writes_tensor(c)) return stored;
  Bytes result;
  const Shown part = shown(c);
  for (int b = 0; b < c.blocks; ++b) {
    const auto from = windows_after.begin() + b * static_cast<long>(kWindow);
    result.insert(result.end(), from + part.begin, from + part.end);
    const auto completed = windows_after.begin() + c.blocks * static_cast<long>(kWindow) + 128 + 4 * b;
    result.insert(result.end(), completed, completed + 4);
  }
  return result;
}

void write(const std::string& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  std::printf("%s: %zu bytes\n", path.c_str(), bytes.size());
  std::fflush(stdout);
}

/// In a child: a fault ends a context.
template <class F>
int isolated(F f) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(f());
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

/// Each case is appended as soon as it is done; one that faults is skipped by the next child.
void record_all(const std::string& text, const std::string& path) {
  const std::vector<Case> cases = all();
  std::ofstream(path, std::ios::binary).flush();
  std::size_t done = 0;
  const auto append = [&](const Bytes& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  while (done < cases.size()) {
    isolated([&] {
      Handle module = open(text);
      for (std::size_t i = done; i < cases.size(); ++i) append(run(module, cases[i], i));
      return 0;
    });
    // How far it came is told by the length of the file.
    std::size_t length = read(path).size();
    done = 0;
    for (; done < cases.size() && length >= recorded_bytes(cases[done]); ++done) length -= recorded_bytes(cases[done]);
    if (done == cases.size()) break;
    std::printf("case %zu, %s: FAULT\n", done, cases[done].kernel.c_str());
    append(Bytes(recorded_bytes(cases[done]), kMissing));
    ++done;
  }
  std::printf("%s: %zu cases\n", path.c_str(), cases.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: %s FIXTURE_FOLDER OUTPUT_FOLDER\n", argv[0]), 64;
  const std::string text = read(std::string(argv[1]) + "/tensor.ptx"), out = argv[2];
  record_all(text, out + "/tensor.bin");
  const int failed = isolated([&] {
    open(text);
    Pointer base = place(Bytes(1 << 20));
    Bytes verdicts;
    for (const Map& map : maps()) {
      Encoded encoded;
      verdicts.push_back(encode(map, base, encoded) == 0 ? 0 : 1);
    }
    write(out + "/maps.bin", verdicts);
    return 0;
  });
  Bytes doubts;
  std::size_t number = 1000;
  for (const Case& c : doubtful()) {
    const std::string path = out + "/one.tmp";
    const int status = isolated([&] { return write(path, run(open(text), c, number)), 0; });
    std::string part = status == 0 ? read(path) : std::string();
    part.resize(recorded_bytes(c));
    std::printf("%s of type %d, swizzle %d: status %d\n", c.kernel.c_str(), c.map.type, c.map.swizzle, status);
    for (int i = 0; i < 4; ++i) doubts.push_back(static_cast<unsigned char>(status >> (8 * i)));
    doubts.insert(doubts.end(), part.begin(), part.end());
    std::remove(path.c_str());
    ++number;
  }
  write(out + "/doubtful.bin", doubts);
  std::printf("%s\n", failed == 0 ? "recorded" : "FAILED");
  return failed == 0 ? 0 : 1;
}
