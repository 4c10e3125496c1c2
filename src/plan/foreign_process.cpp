#include "plan/foreign_process.h"

#include <fmt/format.h>

namespace kerlab::plan {

std::string name_all(const std::vector<ForeignProcess>& processes) {
  std::string text;
  for (const ForeignProcess& process : processes)
    text += fmt::format("{}{} (pid {})", text.empty() ? "" : ", ",
                        process.name.empty() ? "a process of another user or container" : process.name, process.pid);
  return text;
}

}  // namespace kerlab::plan
