#pragma once
// What a database holds of each kernel and problem on a GPU, for other tuners' tools: every configuration, with its
// time or how it failed.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/database.h"

namespace kerlab::session {

/// Of a parameter: a number, or a word.
struct TunerValue {
  std::int64_t number = 0;
  std::string word;
  auto operator<=>(const TunerValue&) const = default;
};

struct TunerPoint {
  std::vector<TunerValue> values;  ///< of the parameters
  TrialStatus status = TrialStatus::passed;
  double median_us = 0;
  std::vector<double> samples_us;
  double compile_ms = 0;
  std::string created;  ///< UTC, ISO 8601
};

struct TunerSpace {
  std::string name;    ///< "gemm-tile2d-2048x2048x2048-fp32"
  std::string folder;  ///< of its device: "h200-132sm"
  std::string kernel;  ///< "gemm/tile2d"
  std::string device;
  std::vector<std::pair<std::string, std::int64_t>> problem;
  std::vector<std::string> parameters;
  std::vector<TunerPoint> points;  ///< by their values
};

/// Which times count: a GPU's, or an emulated device's as well.
enum class TunerTimes : std::uint8_t { measured, any };

/// One configuration, with the time of its screening. None: the trial says nothing of it, or has no such time.
std::optional<TunerPoint> tuner_point(const Trial& trial, const Database& database, TunerTimes times);

/// What all trials of a kernel and problem share: no points yet.
TunerSpace empty_tuner_space(const Trial& trial);

/// Of `family`, or of all when it is empty; of a kernel that has changed the source that was measured last. Only what a
/// GPU measured: modelled times are left out.
std::vector<TunerSpace> tuner_spaces(const Database& database, const std::string& family);

}  // namespace kerlab::session
