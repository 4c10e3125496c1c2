#pragma once
// Library rows from a shared library behind a C interface (kerlab_library.h). Loaded in a worker only.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "plan/problem_plan.h"
#include "vendor/kerlab_library.h"

namespace kerlab::vendor {

/// A plug-in that is loaded, and stays so until the process ends: libraries register things that outlive them.
class Plugin {
 public:
  /// Throws Error that names the file (without its folder: messages may be stored) and what is wrong with it.
  explicit Plugin(const std::filesystem::path& file);
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::string name() const { return library_->name; }
  [[nodiscard]] const kerlab_library& library() const { return *library_; }

 private:
  std::string file_;
  const kerlab_library* library_ = nullptr;
};

/// A problem's key as the interface has it: family, dtype, and settings.
struct ProblemWords {
  std::string family, dtype;
  std::vector<std::pair<std::string, std::string>> settings;
};
ProblemWords problem_words(const ProblemPlan& plan);

/// A plug-in's way of computing one problem, on that problem's data.
class PluginRow {
 public:
  /// Where the tensors of one set lie, in the plan's order.
  using Set = std::vector<void*>;
  /// None: `why` says why not.
  static std::unique_ptr<PluginRow> open(const Plugin& plugin, Device& device, const ProblemPlan& plan,
                                         std::vector<Set> sets, std::string& why);
  ~PluginRow();
  PluginRow(const PluginRow&) = delete;
  PluginRow& operator=(const PluginRow&) = delete;

  [[nodiscard]] const std::string& label() const { return label_; }  ///< "CUB 3.0 DeviceScan::InclusiveSum"
  [[nodiscard]] std::size_t workspace_bytes() const { return row_.workspace_bytes; }
  /// Device memory of that size; before the first run.
  void use_workspace(DevicePtr memory) { workspace_ = reinterpret_cast<void*>(memory); }
  /// Queues one run. Throws DeviceFault(launch_failed) when the library refuses.
  void run(std::size_t set) const;
  /// A graph of `repeats` runs on each of the first `sets` sets in turn; nothing when it cannot be captured.
  [[nodiscard]] std::optional<GraphId> capture(std::size_t sets, int repeats) const;

 private:
  PluginRow(const Plugin& plugin, Device& device, const ProblemPlan& plan, std::vector<Set> sets);
  const Plugin& plugin_;
  Device& device_;
  // What `problem_` points into:
  ProblemWords words_;
  std::vector<Tensor> tensors_;
  std::vector<kerlab_setting> settings_;
  std::vector<kerlab_tensor> described_;
  std::vector<std::string> types_, roles_;
  kerlab_problem problem_{};
  kerlab_row row_{};
  bool opened_ = false;
  std::string label_;
  void* workspace_ = nullptr;
  std::vector<Set> sets_;
};

}  // namespace kerlab::vendor
