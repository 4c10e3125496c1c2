#pragma once
// Recorded sweeps: many configurations of a variant, measured on a GPU, as text that is shipped. What the time model is
// fitted to and judged by.
//
//   kerlab sweep 1
//   family gemm
//   ...                                  (a line for each column of Sweep)
//   role fitted                          (or: held out)
//
//   BM=64 BN=64 BK=8 = 351.04            (configuration = median of the screening in microseconds)

#include <string>
#include <vector>

namespace kerlab {

struct SweepPoint {
  std::string configuration;
  double us = 0;
};

struct Sweep {
  std::string name;  ///< of its file: "gemm-reg2d-2048x2048x2048-fp32"
  std::string family, variant;
  std::string problem, device;  ///< as trials have them
  std::string driver, toolchain, date;
  std::string clock;    ///< of the SMs while it was measured: "1965 to 1980 MHz"
  std::string source;   ///< hash of the kernel that was measured
  bool fitted = false;  ///< the model's constants were fitted to it
  std::vector<SweepPoint> points;
};

/// Throws Error with `file` and the line.
Sweep parse_sweep(const std::string& text, const std::string& file);
std::string sweep_text(const Sweep& sweep);
/// Family, variant and what the problem's key holds: "gemm-reg2d-2048x2048x2048-fp32", "...-bf16-layout=nt".
std::string sweep_name(const Sweep& sweep);

/// At most `most` points (0: all), evenly over the file's order: configurations are sorted, so all values take part.
std::vector<SweepPoint> some_points(const Sweep& sweep, std::size_t most);

}  // namespace kerlab
