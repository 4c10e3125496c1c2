#pragma once
// Rows of the libraries that the user has named, for one problem.

#include <memory>
#include <string>
#include <vector>

#include "measure/timer.h"
#include "vendor/plugin.h"
#include "verify/problem_data.h"

namespace kerlab::worker {

class PluginRows {
 public:
  /// Asks every plug-in, and checks those that take the problem. Throws DeviceFault for a run that breaks the device.
  PluginRows(const std::vector<std::unique_ptr<Plugin>>& plugins, ProblemData& data);

  [[nodiscard]] std::vector<std::string> labels() const;
  /// Of plug-ins that have no row here: why, a sentence each.
  [[nodiscard]] const std::string& message() const { return message_; }
  /// Rows that have run once, with ids from `first_id` on.
  [[nodiscard]] std::vector<Timeable> timeables(std::uint32_t first_id);

 private:
  struct Row {
    std::unique_ptr<PluginRow> plugin;
    std::unique_ptr<GuardedBuffer> workspace;
  };
  void add(const Plugin& plugin);
  void say(const std::string& sentence);
  ProblemData& data_;
  std::vector<Row> rows_;
  std::string message_;
};

}  // namespace kerlab::worker
