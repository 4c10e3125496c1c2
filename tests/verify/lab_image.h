#pragma once
// Sources compiled in this process by NVRTC, for tests.

#include <memory>

#include "base/file.h"
#include "catch.h"
#include "compile/nvrtc.h"
#include "device/cuda/cuda_info.h"
#include "device/device.h"
#include "gpu_here.h"

namespace kerlab::test {

inline CompileResult compile(SourceBundle source, const std::string& arch) {
  static const Nvrtc nvrtc = Nvrtc::open(nvrtc_candidates());
  CompileResult result = nvrtc.compile({std::move(source), base_options(arch)});
  parse_log(result.log, result);
  INFO(result.message << "\n" << result.log);
  REQUIRE(result.status == CompileStatus::ok);
  return result;
}

/// With the kernels that measure ceilings.
inline CompileResult compile_lab(const std::string& arch) {
  const auto kernels = share_folder() / "kernels";
  return compile(read_source(kernels / "common" / "ceilings.cu", {kernels}), arch);
}

inline CompileResult compile_text(const std::string& text, const std::string& arch) {
  SourceBundle source;
  source.path = "test.cu";
  source.text = text;
  return compile(std::move(source), arch);
}

/// The first GPU, or nothing and a visible word that the test was skipped.
inline std::unique_ptr<Device> gpu() {
  return gpu_here() ? open_device("cuda:0") : nullptr;
}

}  // namespace kerlab::test
