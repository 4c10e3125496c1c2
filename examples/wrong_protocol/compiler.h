#pragma once
// CUDA C++ to a cubin, by the NVRTC of the toolkit, loaded at run time.

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

class Compiler {
 public:
  /// Throws std::runtime_error when there is no NVRTC.
  Compiler() {
    const char* home = std::getenv("CUDA_HOME");
    const std::string folder = std::string(home != nullptr ? home : "/usr/local/cuda") + "/lib64/";
    for (const std::string& name : {std::string("libnvrtc.so"), folder + "libnvrtc.so"})
      if (library_ == nullptr) library_ = dlopen(name.c_str(), RTLD_NOW);
    if (library_ == nullptr) throw std::runtime_error("libnvrtc.so is not found: set CUDA_HOME to the toolkit");
  }

  /// `arch`: "sm_90". Throws std::runtime_error with the compiler's log.
  std::vector<char> cubin(const char* source, const std::string& arch) const {
    void* program = nullptr;
    call<int(void**, const char*, const char*, int, const char**, const char**)>("nvrtcCreateProgram")(
        &program, source, "kernels.cu", 0, nullptr, nullptr);
    const std::string option = "--gpu-architecture=" + arch;
    const char* const options[] = {option.c_str()};
    if (call<int(void*, int, const char* const*)>("nvrtcCompileProgram")(program, 1, options) != 0)
      throw std::runtime_error("the kernels do not compile:\n" + log(program));
    std::size_t size = 0;
    call<int(void*, std::size_t*)>("nvrtcGetCUBINSize")(program, &size);
    std::vector<char> image(size);
    call<int(void*, char*)>("nvrtcGetCUBIN")(program, image.data());
    call<int(void**)>("nvrtcDestroyProgram")(&program);
    return image;
  }

 private:
  template <typename Signature>
  Signature* call(const char* name) const {
    void* const address = dlsym(library_, name);
    if (address == nullptr) throw std::runtime_error(std::string("libnvrtc.so has no ") + name);
    return reinterpret_cast<Signature*>(address);
  }
  std::string log(void* program) const {
    std::size_t size = 0;
    call<int(void*, std::size_t*)>("nvrtcGetProgramLogSize")(program, &size);
    std::string text(size, '\0');
    call<int(void*, char*)>("nvrtcGetProgramLog")(program, text.data());
    return text;
  }

  void* library_ = nullptr;
};
