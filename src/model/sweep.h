#pragma once
// Recorded sweeps: many configurations of a variant, tried on a GPU, as text that is shipped. What the time model is
// fitted to and judged by, and what search strategies are replayed over: these meet the failed ones too.
//
//   kerlab sweep 2
//   family gemm
//   ...                                  (a line for each column of Sweep)
//   role fitted                          (or: held out)
//   parameters BM BN BK
//
//   64 64 8 = 351.04                     (values = median of the screening in microseconds)
//   16 = 340.2                           (the last values; those before are as in the line above)
//   32 = 410.7 spills 96                 (bytes a thread)
//   128 8 = 340.2 twin                   (the same program as another configuration, with its time)
//   256 8 = failed spills                (rejected or faulty, in a few words)
//
// Version 1 has no parameters; its lines are "BM=64 BN=64 BK=8 = 351.04".

#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::model {

struct SweepPoint {
  std::string configuration;
  double us = 0;            ///< 0: it failed
  std::string failed = {};  ///< why, in a few words; empty: it passed
  int spills = 0;           ///< bytes a thread
  bool twin = false;        ///< the same program as another point, whose time it has
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
/// Version 2; short when the points are sorted. Throws Error for points of different parameters.
std::string sweep_text(const Sweep& sweep);
/// By the values of the first parameter, of the second, ...
void sort_points(Sweep& sweep);
/// Family, variant and what the problem's key holds: "gemm-reg2d-2048x2048x2048-fp32", "...-bf16-layout=nt".
std::string sweep_name(const Sweep& sweep);

/// At most `most` measured points (0: all), evenly over the file's order: configurations are sorted, so all values take
/// part.
std::vector<SweepPoint> some_points(const Sweep& sweep, std::size_t most);

}  // namespace kerlab::model
