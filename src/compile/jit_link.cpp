#include "compile/jit_link.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/elapsed.h"
#include "base/error.h"
#include "compile/compile_log.h"

namespace kerlab::compile {
namespace {

constexpr int kSuccess = 0, kInputPtx = 2;  // of nvJitLink.h
constexpr const char* kJitLinkRemedy =
    "a variant with an image needs it: it is part of the CUDA Toolkit (package libnvjitlink-13-0 of NVIDIA's apt "
    "repository)";

/// Destroyed with its scope, whatever happens.
class Link {
 public:
  Link(void* handle, int (*destroy)(void**)) : handle_(handle), destroy_(destroy) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() { destroy_(&handle_); }
  [[nodiscard]] void* get() const { return handle_; }

 private:
  void* handle_;
  int (*destroy_)(void**);
};

/// "sm_90a" of the request's options.
std::string target_of(const CompileRequest& request) {
  constexpr std::string_view kOption = "--gpu-architecture=";
  for (const std::string& option : request.options)
    if (option.starts_with(kOption)) return option.substr(kOption.size());
  return {};
}

}  // namespace

void JitLink::CloseLibrary::operator()(void* library) const noexcept {
  dlclose(library);
}

JitLink JitLink::open(const Toolchain& toolchain) {
  JitLink link;
  std::string tried;
  for (const std::string& folder : {toolchain.library.parent_path().string() + "/", std::string()})
    for (const char* name : {"libnvJitLink.so.13", "libnvJitLink.so.12"}) {
      if (link.library_ != nullptr) break;
      link.library_.reset(dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL));
      tried += (tried.empty() ? "" : ", ") + folder + name;
    }
  if (link.library_ == nullptr) throw Error(fmt::format("nvJitLink not found (tried {}); {}", tried, kJitLinkRemedy));
  link.load_functions(tried.substr(tried.rfind(' ') + 1));
  return link;
}

void JitLink::load_functions(const std::string& name) {
  const auto get = [&](const char* symbol, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library_.get(), symbol));
    if (function == nullptr) throw Error(fmt::format("{}: {} is missing; {}", name, symbol, kJitLinkRemedy));
  };
  get("nvJitLinkCreate", functions_.create);
  get("nvJitLinkDestroy", functions_.destroy);
  get("nvJitLinkAddData", functions_.add_data);
  get("nvJitLinkComplete", functions_.complete);
  get("nvJitLinkGetLinkedCubinSize", functions_.cubin_size);
  get("nvJitLinkGetLinkedCubin", functions_.cubin);
  get("nvJitLinkGetInfoLogSize", functions_.info_size);
  get("nvJitLinkGetInfoLog", functions_.info);
  get("nvJitLinkGetErrorLogSize", functions_.error_size);
  get("nvJitLinkGetErrorLog", functions_.error);
}

/// Errors first.
std::string JitLink::log_of(Handle link) const {
  std::string log;
  const auto add = [&](auto size_of, auto text_of) {
    std::size_t size = 0;
    if (size_of(link, &size) != kSuccess || size <= 1) return;
    std::string text(size, '\0');
    if (text_of(link, text.data()) != kSuccess) return;
    std::erase(text, '\0');
    log += text + "\n";
  };
  add(functions_.error_size, functions_.error);
  add(functions_.info_size, functions_.info);
  return log;
}

CompileResult JitLink::assemble(const CompileRequest& request) const {
  CompileResult result;
  result.ptx = request.source.text;
  if (result.ptx.empty()) {
    result.message = fmt::format("{}: no such file: a constraint of the variant says which configurations there are",
                                 request.source.path);
    return result;
  }
  const std::string target = "-arch=" + target_of(request);
  const char* options[] = {target.c_str(), "-Xptxas=-v"};
  const Clock::time_point start = Clock::now();
  Handle handle = nullptr;
  if (functions_.create(&handle, 2, options) != kSuccess) {
    result.message = fmt::format("{}: nvJitLink does not know {}", request.source.path, target);
    return result;
  }
  const Link link(handle, functions_.destroy);
  // The text with its closing zero, as the driver wants it, too.
  bool done = functions_.add_data(handle, kInputPtx, result.ptx.c_str(), result.ptx.size() + 1,
                                  request.source.path.c_str()) == kSuccess &&
              functions_.complete(handle) == kSuccess;
  result.log = log_of(handle);
  std::size_t size = 0;
  done = done && functions_.cubin_size(handle, &size) == kSuccess && size > 0;
  if (done) {
    result.cubin.resize(size);
    done = functions_.cubin(handle, result.cubin.data()) == kSuccess;
  }
  result.milliseconds = milliseconds_since(start);
  parse_log(result.log, result);
  if (done) {
    result.status = CompileStatus::ok;
    return result;
  }
  result.cubin.clear();
  result.message = first_error(result.log, result.ptx);
  result.message =
      fmt::format("{}: {}", request.source.path,
                  result.message.empty() ? "nvJitLink cannot assemble it for " + target_of(request) : result.message);
  return result;
}

}  // namespace kerlab::compile
