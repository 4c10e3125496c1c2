#include "compile/compile_log.h"

#include "catch.h"
#include "compile/compiler.h"

using namespace kerlab;

namespace {

// As NVRTC 13.0 gives it for two kernels, one of them forced to 32 registers.
constexpr const char* kSpills =
    R"(ptxas info    : Overriding maximum register limit 256 for 'b' with  32 of maxrregcount option
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'b' for 'sm_90a'
ptxas info    : Function properties for b
ptxas         .     3456 bytes stack frame, 3728 bytes spill stores, 4260 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 3456 bytes cumulative stack size, 256 bytes smem
ptxas info    : Compile time = 110.025 ms
ptxas info    : Compiling entry function 'a' for 'sm_90a'
ptxas info    : Function properties for a
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers
ptxas info    : Compile time = 0.993 ms
)";

// A function that was not inlined follows its kernel. CUDA 12 writes cmem as well.
constexpr const char* kCallee = R"(ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for k
    400 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 23 registers, 400 bytes cumulative stack size, 49152 bytes smem, 360 bytes cmem[0]
ptxas info    : Function properties for _Z1gPfi
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
)";

}  // namespace

TEST_CASE("registers, spills and shared memory are read from the log", "[compile]") {
  CompileResult result;
  parse_log(kSpills, result);
  REQUIRE(result.kernels.size() == 2);
  const KernelResources& b = result.kernels[0];
  CHECK(b.kernel == "b");
  CHECK(b.registers == 32);
  CHECK(b.local_bytes == 3456);
  CHECK(b.spill_bytes == 3728 + 4260);
  CHECK(b.static_shared == 256);
  const KernelResources& a = result.kernels[1];
  CHECK(a.kernel == "a");
  CHECK(a.registers == 10);
  CHECK(a.spill_bytes == 0);
  CHECK(a.static_shared == 0);
  CHECK_FALSE(result.wgmma_serialised);
  parse_log(kSpills, result);
  CHECK(result.kernels.size() == 2);  // replaced, not appended
}

TEST_CASE("a function that was not inlined counts for its kernel", "[compile]") {
  CompileResult result;
  parse_log(kCallee, result);
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels[0].registers == 23);
  CHECK(result.kernels[0].local_bytes == 416);
  CHECK(result.kernels[0].spill_bytes == 12);
  CHECK(result.kernels[0].static_shared == 49152);
}

TEST_CASE("ptxas advice on wgmma and setmaxnreg is flagged", "[compile]") {
  CompileResult result;
  parse_log(
      "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
      "insufficient register resources for the wgmma pipeline in the function 'k'\n",
      result);
  CHECK(result.wgmma_serialised);
  CHECK_FALSE(result.wgmma_wait_injected);
  parse_log("ptxas info    : (C7517) Potential Performance Loss: a warpgroup.wait was injected\n", result);
  CHECK_FALSE(result.wgmma_serialised);
  CHECK(result.wgmma_wait_injected);
  parse_log("ptxas warning : (C7508) setmaxnreg ignored\n", result);
  CHECK(result.setmaxnreg_ignored);
}

TEST_CASE("the first error comes with the source line it points at", "[compile]") {
  const std::string log = R"(k.cu(1): warning #177-D: variable "unused" was declared but never referenced
  int unused;
      ^

k.cu(2): error: identifier "foo" is undefined
    x[threadIdx.x]=foo;
                   ^

k.cu(3): error: identifier "bar" is undefined
    bar();}
    ^

2 errors detected in the compilation of "k.cu".
)";
  CHECK(first_error(log, "") ==
        "k.cu(2): error: identifier \"foo\" is undefined\n    x[threadIdx.x]=foo;\n                   ^");
  CHECK(first_error("ptxas info    : Used 10 registers\n", "").empty());
  CHECK(first_error("nvrtc: error: unrecognized option --bogus found\n", "") ==
        "nvrtc: error: unrecognized option --bogus found");
}

TEST_CASE("an error in inline assembly shows the instruction", "[compile]") {
  CHECK(
      first_error("ptxas application ptx input, line 2; error   : Unknown modifier '.op'\n", "first\nnonsense.op;\n") ==
      "ptxas application ptx input, line 2; error   : Unknown modifier '.op'\n    nonsense.op;");
  CHECK(first_error("ptxas application ptx input, line 9; error   : x\n", "short").find('\n') == std::string::npos);
}
