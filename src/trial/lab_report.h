#pragma once
// What `kerlab report` tells: stored records put together for reading. session/analyse/report_data.h collects it,
// report/html and report/markdown/report_markdown.h write it.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trial/regress_run.h"
#include "trial/trial.h"

namespace kerlab::trial {

/// A line of a kernel's source, or of a header, by what it costs.
struct ReportSourceLine {
  std::string place, source;  ///< "reg2d.cu:31"; its text
  double share = 0;           ///< of the launch's warp instructions
  std::string more;           ///< "2-way bank conflicts, 8 sectors per request (4)"; may be empty
};

/// A trial's most expensive source lines, counted on an emulated device when the report was made.
struct ReportSource {
  std::string device, note;  ///< "emu:h200"; why there are none, or that another source was counted
  std::vector<ReportSourceLine> lines;
};

/// A trial with the most trusted time it has: side by side with others, else asked for, else of a sweep.
struct ReportTrial {
  Trial trial;
  std::optional<Measurement> time;          ///< without its samples
  double flops_per_s = 0, bytes_per_s = 0;  ///< by the problem's FLOPs and least bytes; 0: not known
  double of_roof = 0;                       ///< fraction of the theoretical roof; 0: not known
  double screen_us = 0;                     ///< what the search saw of it; 0: nothing
  double seconds = 0;                       ///< of tuning until it was known, sessions end to end
  bool winner = false, tied = false;        ///< tied: in the winner's tie set
  std::string reproduce;                    ///< the command that runs it again
  std::optional<ReportSource> source;       ///< none: it was not asked for
};

/// A finalist's samples; `trial` indexes the problem's trials.
struct ReportFinalist {
  std::size_t trial = 0;
  Measurement measurement;
};

/// One variant of the ladder; both index the problem's trials.
struct ReportRung {
  int rung = 0;
  std::string variant;
  std::optional<std::size_t> at_default, best;
};

/// Ceilings of a device for a problem, and what they allow.
struct ReportRoof {
  double bytes_per_s = 0, flops_per_s = 0;
  bool measured_peak = false;  ///< else flops_per_s is theoretical
  double minimum_us = 0;
  bool memory_bound = false;
};

/// Trials that failed alike.
struct ReportFailure {
  Trial first;
  std::string cause, reproduce;
  std::size_t trials = 0, healthy = 0;
  std::vector<std::string> excluded_by;  ///< "BM * STAGES <= 512: 14 of 14, no healthy one of 130"
};

/// The decision before the one that stands.
struct ReportPrevious {
  Decision decision;
  std::string label;     ///< "mma_pipe BM=128 ..."
  double median_us = 0;  ///< of the measurement it rested on
  double again_us = 0;   ///< the same trial measured in the session that decided last; 0: it was not
};

/// What stands for the simplest kernel: the first rung of the ladder that was timed, at its default where it was.
struct ReportNaive {
  std::size_t trial = 0;  ///< index of the problem's trials
  bool first = true;      ///< it is the family's first rung; else lower ones were not timed
};

/// A problem on one kind of device. Everything in it has one clock: measured, modelled or scripted.
struct ReportProblem {
  std::string key, title, family, dtype;
  std::string device_class, device_kind;
  ClockKind clock = ClockKind::measured;
  double flops = 0, bytes = 0, intensity = 0;  ///< 0: the family's files are gone
  std::string pipe, bandwidth;                 ///< "tensor pipe"; "copy": which bandwidth its traffic is like
  std::optional<ReportRoof> theoretical, measured;
  std::string sentence, bottleneck;
  std::vector<ReportTrial> trials;  ///< in the order they became known
  std::optional<std::size_t> winner;
  std::optional<Decision> decision;
  std::optional<ReportPrevious> previous;
  std::vector<LibraryTime> library;
  std::vector<ReportFinalist> finalists;  ///< fastest first
  std::vector<ReportRung> ladder;
  std::optional<ReportNaive> naive;
  std::vector<std::pair<std::string, std::int64_t>> dimensions;  ///< none: the family's files are gone
  std::string searched;                                          ///< the variant that `importance` is of
  std::vector<std::pair<std::string, double>> importance;        ///< parameter, share of the variance; largest first
  std::vector<std::size_t> sessions_begin;                       ///< the first trial of each session, but the first
  std::vector<ReportFailure> failures;
};

/// Where times come from.
struct ReportEnvironment {
  std::string device_class, device_kind;
  ClockKind clock = ClockKind::measured;
  std::vector<std::string> devices, drivers, toolchains, protocols, recipes, conditions, neighbours;  ///< distinct
  double least_mhz = 0, most_mhz = 0;  ///< of the SMs while timing; 0: not known
};

/// The winner of one side of a comparison.
struct ReportWinner {
  Trial trial;
  Measurement time;  ///< without its samples
};

/// A problem's winner before and now; either may be missing.
struct ReportChange {
  std::string key, title, device_class;
  ClockKind clock = ClockKind::measured;
  std::optional<ReportWinner> before, now;
};

struct ReportComparison {
  std::string before, now;  ///< what is compared: "old.db", "session 3"
  std::vector<ReportChange> problems;
};

struct LabReport {
  std::string title, created, version, command;
  std::vector<ReportProblem> problems;
  std::vector<RegressRun> runs;  ///< newest first
  std::vector<SessionRecord> sessions;
  std::vector<ReportEnvironment> environments;
  std::vector<std::string> warnings;
  std::optional<ReportComparison> comparison;
};

}  // namespace kerlab::trial
