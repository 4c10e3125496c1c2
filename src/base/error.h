#pragma once
// Errors and the exit codes of the program. A broken environment or bad input is an exception; a failed candidate is
// data.

#include <stdexcept>
#include <string>

namespace kerlab {

/// What the process answers with. Never a count.
enum class ExitCode : int {
  passed = 0,
  failed = 1,        ///< tool or environment error, a spec that is wrong, or no winner
  regression = 2,    ///< confirmed performance regression
  wrong = 3,         ///< wrong result
  inconclusive = 4,  ///< inconclusive or unsupported (dtype or arch that no variant has, driver too old)
  no_baseline = 5,
  usage = 64,  ///< what was typed on the command line is wrong
  interrupted = 130,
};

/// The one exception of kerlab: `what()` carries place, cause and the flag or line that fixes it.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitCode code = ExitCode::failed)
      : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// The command line is wrong (exit code 64).
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(message, ExitCode::usage) {}
};

}  // namespace kerlab
