#include "kernels/cpu_kernel.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

namespace kerlab::test {
namespace {

constexpr int kSharedBytes = 232448;

using Entry = const char* (*)(unsigned grid, unsigned threads, bool backwards, void** arguments);

/// The kernel's source between the little CUDA and one entry point per kernel.
std::string wrapped(const std::filesystem::path& source, const std::vector<std::string>& kernels) {
  std::string text = fmt::format("#include \"cuda_on_cpu.h\"\n#include \"{}\"\n", source.string());
  text += fmt::format("thread_local float4 shared[{}];  // dynamic shared memory, where a kernel declares it\n",
                      kSharedBytes / 16);
  for (const std::string& kernel : kernels)
    text += fmt::format(
        "extern \"C\" __attribute__((visibility(\"default\"))) const char* entry_{0}(unsigned grid, "
        "unsigned threads, bool backwards, void** arguments) {{\n"
        "  return cuda_on_cpu::launch({0}, grid, threads, backwards, arguments);\n}}\n",
        kernel);
  return text;
}

/// `key` makes the path of the library unique: dlopen takes a path it has seen for the same library.
void* build(const std::filesystem::path& source, const std::vector<std::string>& defines, const std::string& text,
            const std::string& key) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("kerlab-cpu-kernel-{}", ::getpid());
  std::filesystem::create_directories(folder);
  const auto unit = folder / "kernel.cpp";
  const auto library = folder / (key + ".so");
  write_atomic(unit, text);
  std::vector<std::string> argv = {KERLAB_CXX,
                                   "-std=c++20",
                                   "-O1",
                                   "-fPIC",
                                   "-shared",
                                   "-fvisibility=hidden",
                                   "-Wno-unknown-pragmas",
                                   "-I" KERLAB_CUDA_ON_CPU,
                                   "-I" + (share_folder() / "kernels").string(),
                                   "-I" + source.parent_path().string()};
  argv.insert(argv.end(), defines.begin(), defines.end());
  argv.insert(argv.end(), {unit.string(), "-o", library.string()});
  const ProcessResult result = run_process(argv, std::chrono::seconds(120));
  void* handle = result.exit_code == 0 ? ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  const char* problem = result.exit_code == 0 && handle == nullptr ? ::dlerror() : "";
  std::filesystem::remove_all(folder);
  if (handle == nullptr) throw Error(fmt::format("{} for the CPU: {}{}", source.string(), result.err, problem));
  return handle;
}

}  // namespace

const CpuKernel& CpuKernel::compile(const std::filesystem::path& source, const std::vector<std::string>& defines,
                                    const std::vector<std::string>& kernels) {
  static std::map<std::string, CpuKernel> compiled;
  const std::string text = wrapped(source, kernels);
  FieldHasher hasher;
  hasher.field("text", text);
  for (const std::string& define : defines) hasher.field("define", define);
  const std::string key = hasher.hex();
  const auto found = compiled.find(key);
  if (found != compiled.end()) return found->second;
  return compiled.emplace(key, CpuKernel(build(source, defines, text, key))).first->second;
}

void CpuKernel::launch(const Launch& launch, std::span<void*> arguments, bool backwards) const {
  const std::string name = "entry_" + launch.kernel;
  const auto entry = reinterpret_cast<Entry>(::dlsym(library_, name.c_str()));
  if (entry == nullptr) throw Error("no kernel " + launch.kernel);
  if (launch.dynamic_shared > kSharedBytes) throw Error("more dynamic shared memory than an H200 has");
  if (launch.grid.y * launch.grid.z * launch.block.y * launch.block.z != 1)
    throw Error("only one-dimensional launches");
  if (const char* problem = entry(launch.grid.x, launch.block.x, backwards, arguments.data())) throw Error(problem);
}

}  // namespace kerlab::test
