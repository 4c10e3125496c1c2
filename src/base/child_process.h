#pragma once
// How a child process is started and reaped: shared by Child (frames) and run_process (plain output).

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace kerlab {

/// A started program: the parent's ends are non-blocking and close on exec.
struct StartedProcess {
  pid_t pid = -1;    ///< also its process group
  Descriptor input;  ///< a socket, so that a write to a dead child can be told not to raise SIGPIPE (MSG_NOSIGNAL)
  Descriptor output;
  Descriptor error;
};

/// The program's file as execvp would find it; none: it is not in PATH.
std::optional<std::string> find_program(std::string_view program);

/// Starts `argv` (argv[0] looked up in PATH) in its own process group, bound to die with the calling thread. Throws
/// Error naming the program and the system's reason.
StartedProcess start_process(const std::vector<std::string>& argv, const std::vector<std::string>& environment);

/// Whether the process has ended. Does not reap: while the leader is a zombie its group's number cannot be given to
/// somebody else, so kill_and_reap() cannot hit a stranger.
bool has_ended(pid_t pid);
/// SIGKILL to the whole group, then waits for the leader; gives its wait status (its own when it had ended before).
int kill_and_reap(pid_t pid);

/// Appends what can be read without blocking; at most about 1 MiB at a time. False at end of input.
bool drain(int fd, std::string& text);

}  // namespace kerlab
