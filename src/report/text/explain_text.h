#pragma once
// What `kerlab explain` prints: why a kernel takes as long as it does, from the problem down to the next command.

#include <optional>
#include <string>
#include <vector>

#include "model/excess.h"
#include "model/operations.h"
#include "model/problem_bottleneck.h"
#include "model/waves.h"
#include "model/what_if.h"
#include "report/text/inspect_text.h"

namespace kerlab::report {

/// What another kernel, or a library, took for the same problem.
struct KnownTime {
  std::string who;                         ///< "the winner, wgmma_stay", "cuBLASLt 13.0.2"
  double us = 0, low_us = 0, high_us = 0;  ///< 95 % interval; modelled times have none
  std::string clock, where;                ///< "measured", "NVIDIA H200"
};

/// Whether a variant can do the problem.
struct ExplainedVariant {
  std::string variant, doc;
  int rung = 0;
  std::string reason;         ///< why it cannot; empty: it can
  std::string configuration;  ///< its default for the problem
};

struct Explained {
  std::string title, device, device_name;  ///< "gemm 512x512x512 fp32 nn", "emu:h200", "Emulated H200"
  int sms = 0;
  double flops = 0, bytes = 0;
  ProblemBottleneck problem;  ///< whatever the kernel
  Bottleneck bottleneck;      ///< of the launch that takes longest; of the problem where no kernel was counted
  Ceilings theoretical;
  Roofline roof;
  std::optional<Ceilings> measured;  ///< `source` says by what clock
  std::optional<Roofline> measured_roof;
  std::string measured_on;  ///< "NVIDIA H200, 2026-11-21"
  std::vector<KnownTime> known;

  std::string kernel_name;  ///< "gemm/reg2d"; empty: the problem alone
  std::optional<InspectedKernel> kernel;
  std::string obstacle;  ///< why it was not counted
  Operations operations;
  std::vector<CounterPlace> excess;
  double uneven = 0;               ///< how far counts scaled from some blocks to all may be off
  std::vector<LaunchWaves> waves;  ///< of the kernel's launches
  std::vector<WhatIf> what_if;
  std::size_t steps = 0;  ///< neighbours there are
  std::vector<ExplainedVariant> variants;
  std::vector<std::string> next;  ///< commands to type
};

/// How a screen is drawn.
struct Drawing {
  int width = 100;
  bool unicode = false;  ///< block characters in pictures; else ASCII
  bool color = false;
};

std::string explain_text(const Explained& explained, const Drawing& drawing);
/// The body of the JSON document.
JsonValue::Object explain_value(const Explained& explained);

/// A bar of `width` cells: eighths of a cell where `unicode`; what is more than nothing shows, what is less than all
/// leaves something empty.
std::string share_bar(double share, int width, bool unicode);
/// Waves as a picture: all full ones in one line, the last in another.
std::string waves_picture(const LaunchWaves& waves, bool unicode);
/// "NVIDIA H200" of "NVIDIA H200 sm_90 132 SM 143771 MiB ...".
std::string short_class(const std::string& device_class);

}  // namespace kerlab::report
