#pragma once
// A save: a kernel's files as its author tried them, with what came of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/time_source.h"

namespace kerlab::trial {

struct SavedFile {
  std::string name;  ///< relative to the kernel's folder
  std::string hash;  ///< digest of its text
  bool operator==(const SavedFile&) const = default;
};

struct Save {
  std::int64_t id = 0;  ///< the number that people name
  std::string folder;   ///< of the kernel, absolute
  std::string family, variant;
  std::int64_t trial = 0;  ///< what was tried; 0: nothing could be
  std::string problem;     ///< of the trial
  std::string verdict;     ///< the trial's status; "error": nothing could be tried; "kept": before another was restored
  std::string message;     ///< what was wrong
  double median_us = 0;    ///< 0: not timed
  std::optional<ClockKind> clock;  ///< none: not timed
  std::string created;             ///< UTC, ISO 8601
  std::vector<SavedFile> files;    ///< sorted by name
};

}  // namespace kerlab::trial
