#pragma once
// Why a kernel takes as long as it does, from the problem down: reports read it as it is.

#include "model/excess.h"
#include "model/operations.h"
#include "model/problem_bottleneck.h"
#include "model/waves.h"
#include "model/what_if.h"
#include "session/analyse/inspection.h"
#include "session/analyse/roofline.h"

namespace kerlab::session {

/// Whether a variant can do the problem.
struct VariantFit {
  std::string variant, doc;
  int rung = 0;
  std::string reason;         ///< why it cannot; empty: it can
  std::string configuration;  ///< its default for the problem
};

/// What another kernel, or a library, took for the same problem.
struct KnownTime {
  std::string who;                         ///< "the winner, gemm_sm90", "cuBLASLt 13.0.2"
  double us = 0, low_us = 0, high_us = 0;  ///< 95 % interval; modelled times have none
  ClockKind clock = ClockKind::measured;
  std::string where;  ///< a device class, or what a shipped winner says
};

struct Explanation {
  DeviceInfo device;        ///< that counts: "emu:h200"
  ProblemRoofline problem;  ///< with the ceilings and stored trials of the device class `times_of`
  std::string times_of;     ///< whose times are known: a GPU's where there are any, else the emulated device's
  std::vector<KnownTime> known;
  std::string ceilings_created;  ///< UTC; empty: none were measured
  Bottleneck bottleneck;         ///< of the launch that takes longest; of the problem where no kernel was counted

  std::string problem_options;       ///< " --M 4096 --N 4096 --K 64 --dtype bf16"
  std::string kernel_name;           ///< "gemm/reg2d"; empty: the problem alone
  std::string typed;                 ///< its configuration as short as it can be typed; empty: the default
  std::optional<Inspection> kernel;  ///< without launches where it did not compile or run
  std::string obstacle;              ///< why it was not counted; empty: it was
  ExitCode code = ExitCode::passed;  ///< what the obstacle means
  Operations operations;             ///< predicted beside counted
  std::vector<CounterPlace> excess;  ///< where what is counted beyond the prediction comes from
  std::vector<LaunchWaves> waves;    ///< of each launch
  double uneven = 0;  ///< how far scaling from some blocks to all may be off: persistent blocks have unlike shares
  std::vector<WhatIf> what_if;       ///< fastest first
  std::size_t steps = 0;             ///< how many neighbours there are
  std::vector<VariantFit> variants;  ///< of the problem alone, or where the kernel cannot do it
};

}  // namespace kerlab::session
