// Hidden: emu_tests "[count-bench]" tells how much longer a launch takes that counts by instruction.
// ptx/softmax_row.ptx is what NVRTC makes of kernels/softmax/row_per_block.cu: fp32, THREADS 256, VEC 1, UNROLL 4.

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "device/emu/machine_lab.h"
#include "locations.h"

namespace kerlab::emu {
namespace {

TEST_CASE("emulated softmax: what counting costs", "[.bench][count-bench]") {
  constexpr unsigned kRows = 256, kColumns = 4096;
  MachineLab lab(read_text_file((tests_folder() / "device/emu/ptx/softmax_row.ptx").string()));
  std::vector<float> values(kRows * kColumns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 2654435761u >> 20 & 255) / 32;
  const Buffer<float> x(lab.memory, values), y(lab.memory, values.size());
  const ProgramPtr program = lab.program("softmax");
  double least[2] = {1e9, 1e9};
  for (int round = 0; round < 14; ++round) {
    lab.launch.count = round % 2 != 0;
    const std::clock_t begin = std::clock();
    lab.run(*program, {kRows, 1, 1}, {256, 1, 1}, x, y, static_cast<int>(kColumns));
    double& best = least[round % 2];
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::printf("softmax %u x %u: %.2f ms; counting takes %.2f times as long\n", kRows, kColumns, 1e3 * least[0],
              least[1] / least[0]);
}

}  // namespace
}  // namespace kerlab::emu
