#pragma once
// What the pool knows of one compiler process.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/child.h"
#include "compile/compiler.h"

namespace kerlab::compile {

struct Job {
  std::shared_ptr<std::optional<CompileResult>> result;  ///< shared with its Compilation
  CompileRequest request;
  std::string key;
  bool second_attempt = false;

  [[nodiscard]] bool wanted() const { return result.use_count() > 1; }
};

/// One compiler process. Starting until its hello has come, then idle, or busy with one job.
struct Compiler {
  Child child;
  bool ready = false;
  bool used = false;  ///< has compiled something
  std::optional<Job> job{};
  Clock::time_point since = Clock::now();  ///< start of the process or of the job

  [[nodiscard]] bool idle() const { return ready && !job; }
};

/// Takes the job off and adds the time it took.
Job end_job(Compiler& compiler, double& busy_seconds);

/// `message`, followed by what the child last wrote to standard error.
std::string with_tail(std::string message, const ChildExit& exit);

/// Sleeps until a descriptor has something to read, or `until`, at most a second.
void wait_for(const std::vector<int>& descriptors, Clock::time_point until);

}  // namespace kerlab::compile
