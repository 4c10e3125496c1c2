#pragma once
// nvJitLink opened at run time, beside NVRTC: PTX to a cubin, with ptxas's log. Only the compiler child uses it.

#include <cstdint>
#include <memory>
#include <string>

#include "compile/compiler.h"
#include "compile/toolchain.h"

namespace kerlab::compile {

class JitLink {
 public:
  /// Looks beside the toolchain's NVRTC, then where the loader does. Throws Error with the remedy.
  static JitLink open(const Toolchain& toolchain);
  /// Never throws for what the PTX does wrong: that is the result.
  [[nodiscard]] CompileResult assemble(const CompileRequest& request) const;

 private:
  // As nvJitLink.h declares them, which only a whole toolkit has: kerlab is built with the headers of NVRTC alone.
  using Handle = void*;
  using Status = int;  // 0: success
  struct Functions {
    Status (*create)(Handle*, std::uint32_t, const char**);
    Status (*destroy)(Handle*);
    Status (*add_data)(Handle, int, const void*, std::size_t, const char*);
    Status (*complete)(Handle);
    Status (*cubin_size)(Handle, std::size_t*);
    Status (*cubin)(Handle, void*);
    Status (*info_size)(Handle, std::size_t*);
    Status (*info)(Handle, char*);
    Status (*error_size)(Handle, std::size_t*);
    Status (*error)(Handle, char*);
  };
  struct CloseLibrary {
    void operator()(void* library) const noexcept;
  };
  void load_functions(const std::string& name);
  [[nodiscard]] std::string log_of(Handle link) const;

  std::unique_ptr<void, CloseLibrary> library_;
  Functions functions_{};
};

}  // namespace kerlab::compile
