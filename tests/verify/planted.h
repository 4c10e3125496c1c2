#pragma once
// Arguments of lab_fill with every kind of plant, for tests that host, native and device code give the same bits.

#include "common/lab_abi.h"
#include "modules.h"

namespace kerlab::test {

/// `a` with one of everything planted into lines of their own, rows and columns.
inline lab::FillArguments with_everything_planted(lab::FillArguments a) {
  const auto add = [&](lab::u32 what, lab::i64 phase, double value, bool along_columns = false) {
    a.plant[a.plants++] = {what, along_columns ? 1u : 0u, 9, phase, 3, value};
  };
  add(lab::kPlantMirror, 0, -1, true);
  add(lab::kPlantShift, 1, 300.25);
  add(lab::kPlantRamp, 2, -77.7);
  add(lab::kPlantMask, 3, -__builtin_huge_val());
  add(lab::kPlantTail, 4, 5);
  add(lab::kPlantSpread, 5, -17);
  add(lab::kPlantScale, 6, 9, true);
  add(lab::kPlantSubnormal, 7, 0);
  add(lab::kPlantOneHot, 8, 0);
  add(lab::kPlantValue, 8, 0.1, true);
  add(lab::kPlantOne, 0, __builtin_nan(""));
  add(lab::kPlantPoints, 0, __builtin_huge_val());
  return a;
}

}  // namespace kerlab::test
