#pragma once
// A database to report on: configurations of shipped kernels' real spaces with made-up results, the same every time.
// What is tested is how results are shown, not what they are.

#include <string>
#include <vector>

#include "db/database.h"
#include "modules.h"

namespace kerlab::testing {

struct MadeUp {
  std::size_t trials = 5000;  ///< of the first problem; each further one has a tenth
  std::vector<std::string> problems = {"gemm M=4096 N=4096 K=4096 bf16 layout=nt alpha=1 beta=0"};
  std::string device_class = "NVIDIA H200 sm_90 132 SM 143155 MiB 1980/3201 MHz 6016 bit";
  std::string device_kind = "cuda";
  std::string hostile;  ///< stands in every text that a user or a compiler may choose
  int regress_runs = 120;
};

/// Two sessions of each problem, each with a decision; screenings, finals with samples, a library, failures of several
/// kinds, runs of regress.
void make_up(Database& database, const MadeUp& what);

}  // namespace kerlab::testing
