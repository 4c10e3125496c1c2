#pragma once
// Kernel sources compiled for this CPU by the compiler that built the tests, through cuda_on_cpu.h, and launched as a
// plan says. Everything a launch says is used: defines, grid, block, dynamic shared bytes, arguments.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "modules.h"
#include "plan/launch_plan.h"

namespace kerlab::test {

/// A compiled source. Equal sources and defines are compiled once per test program.
class CpuKernel {
 public:
  /// `kernels`: names of the extern "C" functions that will be launched. Throws Error with the compiler's words.
  static const CpuKernel& compile(const std::filesystem::path& source, const std::vector<std::string>& defines,
                                  const std::vector<std::string>& kernels);
  /// One-dimensional grids and blocks only. `arguments[i]`: the bytes of parameter i. Throws Error: threads that wait
  /// for ever, more dynamic shared memory than an H200 has.
  void launch(const Launch& launch, std::span<void*> arguments, bool backwards) const;
  explicit CpuKernel(void* library) : library_(library) {}

 private:
  void* library_;  // stays loaded until the program ends
};

}  // namespace kerlab::test
