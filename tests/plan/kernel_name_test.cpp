#include "plan/kernel_name.h"

#include "catch.h"

using namespace kerlab;

TEST_CASE("kernel name: mangled names are read as one would write them", "[plan]") {
  CHECK(spoken_name("gemm") == "gemm");
  CHECK(spoken_name("_Z18convolution_kernelPfS_S_") == "convolution_kernel");
  CHECK(spoken_name("_ZN7vectors5scaleIfLi4EEEvPKT_PS1_if") == "vectors::scale<float,4>");
  CHECK(spoken_name("_Znonsense") == "_Znonsense");
}

TEST_CASE("kernel name: a launch finds the only kernel that it can mean", "[plan]") {
  const std::vector<std::string> names = {"_Z4copyPfS_",
                                          "scale",
                                          "_Z5scalePf",
                                          "_ZN7vectors5scaleIfLi4EEEvPKT_PS1_if",
                                          "_ZN7vectors5scaleIfLi8EEEvPKT_PS1_if",
                                          "_Z3sumIfEvPT_"};
  CHECK(find_kernel("copy", names) == 0);
  CHECK(find_kernel("scale", names) == 1);  // the very name goes before one that says the same
  CHECK(find_kernel("vectors::scale<float, 8>", names) == 4);
  CHECK(find_kernel("sum<float32>", names) == 5);  // the only instance, whatever its type is called
  CHECK_FALSE(find_kernel("vectors::scale<float, 16>", names).has_value());
  CHECK_FALSE(find_kernel("vectors::scale", names).has_value());
  CHECK_FALSE(find_kernel("cop", names).has_value());
}
