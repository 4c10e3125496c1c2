#pragma once
// The counters of Counts by name: what a variant may predict, and how a screen writes it.

#include <span>
#include <string_view>

#include "plan/counts.h"

namespace kerlab::plan {

struct Counter {
  std::string_view name;   ///< "global_load_bytes", as in a variant's [predicted]
  std::string_view title;  ///< "global loads"
  std::string_view unit;   ///< "B", or empty: a number of them
  std::int64_t Counts::*value;
};

/// All of them, in the order they are shown in.
std::span<const Counter> counters();
/// Null when there is none of that name.
const Counter* find_counter(std::string_view name);

/// What all `blocks` of a grid do when `blocks_run` of them did `counts`, rounded: exact when all do the same.
Counts scaled(const Counts& counts, std::int64_t blocks, std::int64_t blocks_run);

}  // namespace kerlab::plan
