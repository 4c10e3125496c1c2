#include "db/process.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace kerlab::db {

namespace {

struct ProcessState {
  std::string start_time;  ///< clock ticks since boot
  bool ended = false;      ///< a zombie: its parent has not looked yet
};

/// From /proc/<pid>/stat; an empty start time when it cannot be read.
ProcessState process_state(long pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // "pid (name) state ...": the name may hold anything, so count from the last parenthesis. State is field 3, the start
  // time field 22.
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(text.substr(name_end + 1));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  if (fields.size() < 20) return {};
  return {fields[19], fields[0] == "Z" || fields[0] == "X"};
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

std::string process_identity() {
  return fmt::format("{} {} {}", host_name(), ::getpid(), process_state(::getpid()).start_time);
}

bool process_is_gone(std::string_view identity) {
  std::istringstream words{std::string(identity)};
  std::string host, start_time;
  long pid = 0;
  if (!(words >> host >> pid >> start_time) || host != host_name() || pid <= 0) return false;
  if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return true;
  const ProcessState state = process_state(pid);
  if (state.start_time.empty()) return false;  // alive, and hidden from us
  return state.ended || state.start_time != start_time;
}

}  // namespace kerlab::db
