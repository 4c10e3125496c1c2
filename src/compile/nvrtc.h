#pragma once
// NVRTC opened at run time: a table of its functions, typed from nvrtc.h, owned by one object. Only the compiler child
// uses it.

#include <nvrtc.h>

#include <memory>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "compile/toolchain.h"

namespace kerlab::compile {

class Nvrtc {
 public:
  /// Opens the first candidate that loads. Throws Error: not found or older than 12.4, with the remedy.
  static Nvrtc open(const std::vector<std::string>& candidates);

  [[nodiscard]] const Toolchain& toolchain() const { return toolchain_; }
  /// Never throws for what the source or the options do wrong: that is the result.
  [[nodiscard]] CompileResult compile(const CompileRequest& request) const;

 private:
  struct Functions {
    decltype(&nvrtcVersion) version;
    decltype(&nvrtcGetErrorString) error_string;
    decltype(&nvrtcCreateProgram) create_program;
    decltype(&nvrtcDestroyProgram) destroy_program;
    decltype(&nvrtcAddNameExpression) add_name_expression;
    decltype(&nvrtcCompileProgram) compile_program;
    decltype(&nvrtcGetCUBINSize) cubin_size;
    decltype(&nvrtcGetCUBIN) cubin;
    decltype(&nvrtcGetPTXSize) ptx_size;
    decltype(&nvrtcGetPTX) ptx;
    decltype(&nvrtcGetProgramLogSize) log_size;
    decltype(&nvrtcGetProgramLog) log;
  };
  struct CloseLibrary {
    void operator()(void* library) const noexcept;
  };
  struct DestroyProgram {
    decltype(&nvrtcDestroyProgram) destroy;
    void operator()(nvrtcProgram program) const noexcept { destroy(&program); }
  };
  using Program = std::unique_ptr<_nvrtcProgram, DestroyProgram>;

  Nvrtc() = default;
  void load_functions(const std::string& name);
  [[nodiscard]] Program create(const SourceBundle& source) const;
  [[nodiscard]] bool accepts(const char* option) const;
  void collect(nvrtcProgram program, CompileResult& result) const;

  std::unique_ptr<void, CloseLibrary> library_;
  Functions functions_{};
  Toolchain toolchain_;
  std::vector<std::string> own_options_;  ///< appended to every request's
};

}  // namespace kerlab::compile
