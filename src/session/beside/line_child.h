#pragma once
// A child process that is asked and answers in lines, as scripts do it.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"
#include "base/modules.h"

namespace kerlab::session {

/// Longer answers are none.
inline constexpr std::size_t kLongestAnswer = std::size_t{1} << 20;

/// One running child, in a process group of its own. The destructor closes its input, gives it a moment, and kills the
/// group; it never throws.
class LineChild {
 public:
  /// `argv[0]` is looked up in PATH. Throws Error if it cannot be started.
  explicit LineChild(const std::vector<std::string>& argv);
  LineChild(const LineChild&) = delete;
  LineChild& operator=(const LineChild&) = delete;
  ~LineChild();

  /// Writes the line and waits for one, which is given without its end. Throws Error where none comes in time, where
  /// the child ends, or has written what nobody asked for; it is killed then and cannot be asked again. An interrupt
  /// (base/interrupt.h) ends the wait, and the child, too.
  std::string ask(std::string_view line, std::chrono::milliseconds deadline);
  /// The last it wrote to standard error, at most 8 KiB.
  [[nodiscard]] std::string last_words();

 private:
  using Until = std::chrono::steady_clock::time_point;
  void write(std::string_view line, Until until);
  void wait(short events_of_input, Until until);
  void drain_all();
  [[noreturn]] void fail(const std::string& what);
  [[noreturn]] void fail_ended();

  StartedProcess process_;
  std::string received_, errors_;
  std::chrono::milliseconds deadline_{0};  ///< of the line that is asked
  bool reaped_ = false;
};

}  // namespace kerlab::session
