// Hidden: how fast PTX files parse, and what in them does not. KERLAB_PTX_FILES="a.ptx b.ptx"; KERLAB_PTX_DUMP=1 prints
// the IR.

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "device/emu/ptx/ir.h"

using namespace kerlab;

TEST_CASE("ptx: parsing speed", "[.bench][ptx-bench]") {
  const char* files = std::getenv("KERLAB_PTX_FILES");
  std::stringstream names(files == nullptr ? "" : files);
  for (std::string name; names >> name;) {
    std::stringstream stream;
    stream << std::ifstream(name).rdbuf();
    const std::string text = stream.str();
    double best = 1e9;
    ptx::ParseResult result;
    for (int i = 0; i < 9; ++i) {
      const std::clock_t begin = std::clock();  // processor time: other processes do not count
      result = ptx::parse(text);
      best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    std::size_t instructions = 0;
    for (const ptx::Kernel& kernel : result.module.kernels) instructions += kernel.instructions.size();
    std::printf("%s: %zu bytes, %zu kernels, %zu instructions, %.2f ms\n", name.c_str(), text.size(),
                result.module.kernels.size(), instructions, best * 1e3);
    for (const auto& failure : result.failures)
      std::printf("  %s: %s\n", failure.kernel.c_str(), failure.reason.c_str());
    if (std::getenv("KERLAB_PTX_DUMP") == nullptr) continue;
    for (const ptx::Kernel& kernel : result.module.kernels) std::printf("%s", ptx::to_text(kernel).c_str());
  }
}
