#include "compile/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/elapsed.h"
#include "base/error.h"
#include "compile/colliding_macro.h"
#include "compile/compile_log.h"
#include "compile/host_headers.h"
#include "plan/kernel_name.h"

namespace kerlab::compile {
namespace {

constexpr const char* kRemedy =
    "install NVRTC 12.4 or newer: it is part of the CUDA Toolkit (https://developer.nvidia.com/cuda-downloads; package "
    "cuda-nvrtc-13-0 of NVIDIA's apt repository), or set KERLAB_NVRTC to an existing libnvrtc.so";

template <class Function>
void resolve(void* library, const char* symbol, Function& function, const std::string& name) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr) throw Error(fmt::format("{}: {} is missing; {}", name, symbol, kRemedy));
}

/// The file behind an address of the library: dlopen may have searched the loader's path.
std::string file_of(const void* address, const std::string& fallback) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : fallback;
}

/// NVRTC opens its built-in headers by bare name, which the loader knows only where the toolkit's folder is in its
/// cache. Opened here by path first, they are found. Held until the process ends, as NVRTC itself does.
void open_builtins_beside(const std::string& nvrtc_file, int major, int minor) {
  const std::size_t slash = nvrtc_file.rfind('/');
  if (slash == std::string::npos) return;
  dlopen(fmt::format("{}/libnvrtc-builtins.so.{}.{}", nvrtc_file.substr(0, slash), major, minor).c_str(),
         RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

void Nvrtc::CloseLibrary::operator()(void* library) const noexcept {
  dlclose(library);
}

Nvrtc Nvrtc::open(const std::vector<std::string>& candidates) {
  Nvrtc nvrtc;
  std::string name;
  for (const std::string& candidate : candidates) {
    nvrtc.library_.reset(dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL));
    name = candidate;
    if (nvrtc.library_ != nullptr) break;
  }
  if (nvrtc.library_ == nullptr)
    throw Error(fmt::format("NVRTC not found (tried {}); {}", fmt::join(candidates, ", "), kRemedy));
  nvrtc.load_functions(name);
  int major = 0, minor = 0;
  nvrtc.functions_.version(&major, &minor);
  if (major < 12 || (major == 12 && minor < 4))
    throw Error(fmt::format("{} is NVRTC {}.{}, which is too old; {}", name, major, minor, kRemedy));
  const std::string file = file_of(reinterpret_cast<const void*>(nvrtc.functions_.version), name);
  open_builtins_beside(file, major, minor);
  nvrtc.toolchain_ = describe_toolchain(fmt::format("NVRTC {}.{}", major, minor), file);
  for (const std::string& folder : nvrtc.toolchain_.includes) nvrtc.own_options_.push_back("-I" + folder);
  // NVRTC's own cache is off: kerlab's is the one that is bounded, keyed and reported. Older versions have none.
  if (nvrtc.accepts("-no-cache")) nvrtc.own_options_.emplace_back("-no-cache");
  return nvrtc;
}

void Nvrtc::load_functions(const std::string& name) {
  const auto get = [&](const char* symbol, auto& function) { resolve(library_.get(), symbol, function, name); };
  get("nvrtcVersion", functions_.version);
  get("nvrtcGetErrorString", functions_.error_string);
  get("nvrtcCreateProgram", functions_.create_program);
  get("nvrtcDestroyProgram", functions_.destroy_program);
  get("nvrtcAddNameExpression", functions_.add_name_expression);
  get("nvrtcCompileProgram", functions_.compile_program);
  get("nvrtcGetCUBINSize", functions_.cubin_size);
  get("nvrtcGetCUBIN", functions_.cubin);
  get("nvrtcGetPTXSize", functions_.ptx_size);
  get("nvrtcGetPTX", functions_.ptx);
  get("nvrtcGetProgramLogSize", functions_.log_size);
  get("nvrtcGetProgramLog", functions_.log);
}

Nvrtc::Program Nvrtc::create(const SourceBundle& source) const {
  std::vector<const char*> names, texts;
  for (const Header& header : source.headers) {
    names.push_back(header.name.c_str());
    texts.push_back(header.text.c_str());
  }
  for (const HostHeader& header : host_headers()) {
    const bool own = std::ranges::any_of(source.headers, [&](const Header& h) { return h.name == header.name; });
    if (own) continue;
    names.push_back(header.name.c_str());
    texts.push_back(header.text.c_str());
  }
  nvrtcProgram program = nullptr;
  const nvrtcResult status = functions_.create_program(&program, source.text.c_str(), source.path.c_str(),
                                                       static_cast<int>(names.size()), texts.data(), names.data());
  if (status != NVRTC_SUCCESS) throw Error(fmt::format("nvrtcCreateProgram: {}", functions_.error_string(status)));
  return Program(program, {functions_.destroy_program});
}

bool Nvrtc::accepts(const char* option) const {
  const Program program = create({"probe.cu", "", {}, ""});
  return functions_.compile_program(program.get(), 1, &option) != NVRTC_ERROR_INVALID_OPTION;
}

void Nvrtc::collect(nvrtcProgram program, CompileResult& result) const {
  std::size_t size = 0;
  // Sizes of texts include the closing zero. After a failure the PTX is there when ptxas was what failed.
  if (functions_.log_size(program, &size) == NVRTC_SUCCESS && size > 1) {
    result.log.resize(size);
    functions_.log(program, result.log.data());
    std::erase(result.log, '\0');  // the closing one, and those in front of some of ptxas's errors
  }
  if (functions_.ptx_size(program, &size) == NVRTC_SUCCESS && size > 1) {
    result.ptx.resize(size);
    functions_.ptx(program, result.ptx.data());
    result.ptx.resize(size - 1);
  }
  if (functions_.cubin_size(program, &size) == NVRTC_SUCCESS && size > 0) {
    result.cubin.resize(size);
    functions_.cubin(program, reinterpret_cast<char*>(result.cubin.data()));
  }
}

CompileResult Nvrtc::compile(const CompileRequest& request) const {
  const Program program = create(request.source);
  std::vector<const char*> options;
  for (const std::string& option : request.options) {
    if (option.starts_with(kInstantiate))
      functions_.add_name_expression(program.get(), option.c_str() + kInstantiate.size());
    else
      options.push_back(option.c_str());
  }
  for (const std::string& option : own_options_) options.push_back(option.c_str());
  CompileResult result;
  const Clock::time_point start = Clock::now();
  const nvrtcResult status =
      functions_.compile_program(program.get(), static_cast<int>(options.size()), options.data());
  result.milliseconds = milliseconds_since(start);
  collect(program.get(), result);
  parse_log(result.log, result);
  if (status == NVRTC_SUCCESS) {
    result.status = CompileStatus::ok;
    return result;
  }
  result.cubin.clear();
  // What is not the source's fault (out of memory, an internal error) may come out otherwise next time.
  const bool users = status == NVRTC_ERROR_COMPILATION || status == NVRTC_ERROR_INVALID_OPTION ||
                     status == NVRTC_ERROR_INVALID_INPUT || status == NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
  result.status = users ? CompileStatus::error : CompileStatus::crashed;
  result.message = first_error(result.log, result.ptx);
  if (status == NVRTC_ERROR_INVALID_OPTION)  // its log does not say which value, nor who does not know it
    result.message += fmt::format(" ({}: {})", toolchain_.name, fmt::join(request.options, " "));
  if (result.message.empty())
    result.message = fmt::format("{}: {}", request.source.path, functions_.error_string(status));
  if (status == NVRTC_ERROR_COMPILATION) result.message += collision_hint(request);
  if (result.message.find("cannot open source file") != std::string::npos)
    result.message +=
        "\n  --include DIR, KERLAB_INCLUDE or ~/.config/kerlab/kerlab.toml names the folder of a library of headers";
  return result;
}

}  // namespace kerlab::compile
