#pragma once
// `--beside COMMAND`: rows of a program that times itself, on the problems that are tuned or timed. They are shown,
// never stored: nobody here has checked or timed them.

#include <memory>

#include "session/beside/beside_protocol.h"
#include "session/beside/line_child.h"

namespace kerlab::session {

/// What a command said of one problem.
struct BesideAnswer {
  std::string command;         ///< as typed
  std::string problem, title;  ///< key and title
  std::vector<BesideRow> rows;
  /// Of ours, for comparison: the fastest, where its time was told by a clock; not of the same rounds.
  std::optional<double> ours_us;
  std::string error;       ///< why there is no row; else empty
  std::string last_words;  ///< what it wrote to standard error before that
};

/// A command, started when it is first asked and asked once for each problem. What ends it (an exit, a hang, garbage)
/// is told once; it is not started again, and later problems have no rows of it.
class BesideCommand {
 public:
  /// `words`: program and arguments. `seconds`: an answer may take no longer.
  BesideCommand(std::string command, std::vector<std::string> words, double seconds)
      : command_(std::move(command)), words_(std::move(words)), seconds_(seconds) {}

  /// None: it has ended before, and was told. Throws Error (interrupted), nothing else.
  std::optional<BesideAnswer> ask(const ProblemSetup& setup, const DeviceInfo& device, BesideWish wish);

 private:
  JsonNode exchange(const std::string& request);

  std::string command_;
  std::vector<std::string> words_;
  double seconds_;
  std::unique_ptr<LineChild> child_;
  bool ended_ = false;
};

/// Those of a run: shared by the sessions of a suite.
using BesideCommands = std::vector<std::shared_ptr<BesideCommand>>;

/// Asks all of them, one after another. `ours_us`: the fastest of ours; none: nothing that could be compared.
std::vector<BesideAnswer> ask_beside(const BesideCommands& commands, const ProblemSetup& setup,
                                     const DeviceInfo& device, const BesideWish& wish, std::optional<double> ours_us);

}  // namespace kerlab::session
