// Hidden: how fast PTX files parse and are analysed, and what in them does not parse. KERLAB_PTX_FILES="a.ptx b.ptx";
// KERLAB_PTX_DUMP=1 prints the IR.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "device/emu/ptx/flow/control_flow.h"

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
    std::size_t instructions = 0, blocks = 0;
    std::int32_t slots = 0;
    const std::clock_t begin = std::clock();
    for (const ptx::Kernel& kernel : result.module.kernels) {
      const ptx::ControlFlow flow = ptx::control_flow(kernel);
      const ptx::RegisterPlaces places = ptx::place_registers(kernel, flow, ptx::liveness(kernel, flow));
      instructions += kernel.instructions.size();
      blocks += flow.blocks.size();
      slots = std::max(slots, places.slots);
    }
    const double analysed = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%s: %zu bytes, %zu kernels, %zu instructions, %.2f ms; %zu blocks, at most %d slots, %.2f ms\n",
                name.c_str(), text.size(), result.module.kernels.size(), instructions, best * 1e3, blocks, slots,
                analysed * 1e3);
    for (const auto& failure : result.failures)
      std::printf("  %s: %s\n", failure.kernel.c_str(), failure.reason.c_str());
    if (std::getenv("KERLAB_PTX_DUMP") == nullptr) continue;
    for (const ptx::Kernel& kernel : result.module.kernels) std::printf("%s", ptx::to_text(kernel).c_str());
  }
}
