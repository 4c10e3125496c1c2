#include "session/run/kept_processes.h"

#include <fmt/format.h>

#include <algorithm>

#include "session/run/rig.h"

namespace kerlab::session {

namespace {

/// All that `compiler_options` and `worker_options` depend on.
std::string start_key(const RigOptions& options) {
  std::string key = fmt::format("{}\n{}\n{}\n{}\n{}", options.device, options.program.string(), options.jobs,
                                options.use_cache, options.compile_deadline.count());
  for (const std::string& word : options.worker_command) key += "\n" + word;
  for (const std::string& file : options.libraries) key += "\n--library " + file;
  return key;
}

}  // namespace

RigProcesses KeptProcesses::take(const RigOptions& options) {
  const auto found = kept_.find(start_key(options));
  return found == kept_.end() ? RigProcesses{} : std::move(kept_.extract(found).mapped());
}

void KeptProcesses::give(const RigOptions& options, RigProcesses processes) {
  if (processes.compilers && processes.compilers->pending() > 0) processes.compilers.reset();
  if (!std::ranges::all_of(processes.runners, [](const auto& runner) { return runner->idle(); }))
    processes.runners.clear();
  kept_[start_key(options)] = std::move(processes);
}

}  // namespace kerlab::session
