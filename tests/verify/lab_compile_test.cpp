#include <set>

#include "verify/lab_image.h"

using namespace kerlab;

TEST_CASE("lab.cu compiles without any CUDA header from sm_75 to sm_90a, and spills nothing", "[verify]") {
  for (const std::string arch : {"sm_75", "sm_80", "sm_90a"}) {
    CAPTURE(arch);
    const CompileResult result = test::compile_lab(arch);
    std::set<std::string> kernels;
    for (const KernelResources& kernel : result.kernels) {
      kernels.insert(kernel.kernel);
      CHECK(kernel.spill_bytes == 0);
      CHECK(kernel.registers <= 128);
    }
    for (const char* name :
         {"lab_fill", "lab_compare", "lab_guard_scan", "lab_repitch", "lab_hash", "lab_flush", "lab_blocker",
          "lab_clock", "lab_canary", "lab_copy", "lab_read", "lab_write", "lab_fma_fp32", "lab_fma_fp64",
          "lab_fma_fp16", "lab_mma_bf16", "lab_mma_fp16", "lab_mma_tf32", "lab_mma_int8"})
      CHECK(kernels.count(name) == 1);
  }
}
