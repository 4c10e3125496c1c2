#pragma once
// How much the gate on time measures: so many processes, and pairs in each, that a slow-down which matters is found. It
// looks at the spread only, never at the effect seen, so that the plan does not bias the verdict (Stein, A two-sample
// test for a linear hypothesis whose power is independent of the variance, Ann. Math. Statist. 16, 1945).

#include "stats/gate.h"

namespace kerlab::stats {

struct GatePlan {
  double beyond = 0.01;  ///< a slow-down of the margin and this fraction more is to be found in 99 of 100 runs
  int processes = 5, most_processes = 24;  ///< of a batch: at first, and where the spread asks for more
  int pairs = 8, most_pairs = 32;          ///< of a process: of long kernels, of short ones
};

/// Pairs of a process of a kernel of `us` a launch: what runs in 8 ms, within what the plan allows.
int pairs_for(double us, const GatePlan& plan);

/// Processes of a batch that finds the slow-down which the plan wants, by the spread of those seen so far; from
/// plan.processes to plan.most_processes.
int processes_wanted(const PairedEffect& seen, const GateRule& rule, const GatePlan& plan);

/// Processes that the first batch still lacks; 0: it is complete.
int processes_lacking(std::span<const ProcessPairs> first, const GateRule& rule, const GatePlan& plan);

/// And the batch that confirms it: as many as the first had, and more where its own spread asks for them. (With as many
/// as the first had and no more, 12 of 1,000 slow-downs of 2 % were not confirmed; so it is none of 2,000.)
int processes_lacking_to_confirm(std::span<const ProcessPairs> first, std::span<const ProcessPairs> second,
                                 const GateRule& rule, const GatePlan& plan);

/// Where only `left_s` are left: takes what does not fit off `lacking`, longer kernels first, since they are what a
/// program waits for. A process spends process_s[i] on kernel i, a launch of which takes launch_us[i].
void keep_what_fits(std::vector<int>& lacking, std::span<const double> launch_us, std::span<const double> process_s,
                    double left_s);

}  // namespace kerlab::stats
