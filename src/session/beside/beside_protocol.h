#pragma once
// What a command beside the kernels is asked, and what it may answer: one line of JSON each. docs/libraries.md has it
// for who writes such a command.

#include "base/json_reader.h"
#include "session/run/problem_setup.h"
#include "stats/samples.h"

namespace kerlab::session {

/// The protocol's name, in every request: a command refuses what it does not know.
inline constexpr const char* kBesideProtocol = "kerlab-beside-1";
inline constexpr std::size_t kMostBesideRows = 64, kMostBesideSamples = 100000;

/// How it shall time.
struct BesideWish {
  int rounds = 30;       ///< samples of each row
  bool hot = false;      ///< the cache stays warm between samples
  double seconds = 120;  ///< it is killed then
};

/// One way of the command's, timed by itself.
struct BesideRow {
  std::string name, note;
  Summary summary;          ///< count 0: it told a median alone
  bool impossible = false;  ///< faster than the device could be
};

/// The request for a problem, without the line's end.
std::string beside_request(const ProblemSetup& setup, const DeviceInfo& device, const BesideWish& wish);

/// The rows of an answer. `fastest_us`: no run of the problem can be faster; 0: unknown. Throws Error, which says where
/// in the answer: an "error" of its own, no row, what is no time.
std::vector<BesideRow> beside_rows(const JsonNode& answer, double fastest_us);

}  // namespace kerlab::session
