#include "compile/colliding_macro.h"

#include "catch.h"

using namespace kerlab;
using namespace kerlab::compile;

namespace {

std::string hint(const std::string& text, std::vector<std::string> options = {"-DTPB=128", "-DBc=32", "--fmad=true"}) {
  CompileRequest request;
  request.source.path = "k.cu";
  request.source.text = text;
  request.options = std::move(options);
  return collision_hint(request);
}

}  // namespace

TEST_CASE("colliding macro: a declaration of a parameter's name is pointed at", "[compile]") {
  CHECK_THAT(
      hint("// a kernel\n__global__ void k() {\n  const int TPB = blockDim.x;\n}\n"),
      Catch::Contains("TPB is a macro here (TPB=128), and k.cu:3 declares") && Catch::Contains("define = false"));
  CHECK_THAT(hint("__global__ void k(float* x, int Bc) {}"), Catch::Contains("k.cu:1"));
  CHECK_THAT(hint("template <int Bc> __global__ void k() {}"), Catch::Contains("Bc is a macro"));
  CHECK_THAT(hint("#define TPB 64\n"), Catch::Contains("k.cu:1"));
  CHECK_THAT(hint("using uint8_t = int; uint8_t TPB;"), Catch::Contains("TPB"));
}

TEST_CASE("colliding macro: uses, other names and comments are none", "[compile]") {
  CHECK(hint("__global__ void k() { int n = TPB; for (int i = 0; i < Bc; ++i) n += TPB * Bc; }").empty());
  CHECK(hint("int TPB_ = 3; int myTPB = 4; const int n(TPB);").empty());
  CHECK(hint("// the int TPB of old\n").empty());
  CHECK(hint("__global__ void k(const DTYPE* x) {}", {"-DDTYPE=fp32_t"}).empty());
  CHECK(hint("int N = 3;", {"-DTPB", "-I", "--std=c++20"}).empty());
}
