#include "worker/plugin_rows.h"

#include <fmt/format.h>

#include "verify/check_call.h"
#include "worker/timed_check.h"

namespace kerlab::worker {
namespace {

/// As a candidate's quick check: what a search holds everybody to.
std::vector<std::uint32_t> quick_recipes(const ProblemPlan& plan) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < plan.recipes.size(); ++i)
    if (plan.recipes[i].plain()) chosen.push_back(i);
  return chosen;
}

/// Where the tensors of each set for timing lie.
std::vector<PluginRow::Set> addresses(const ProblemData& data) {
  std::vector<PluginRow::Set> sets(static_cast<std::size_t>(data.rotation_sets()));
  for (std::size_t set = 0; set < sets.size(); ++set)
    for (std::size_t tensor = 0; tensor < data.plan().tensors.size(); ++tensor)
      sets[set].push_back(reinterpret_cast<void*>(data.timed(static_cast<int>(set), tensor).pointer()));
  return sets;
}

}  // namespace

PluginRows::PluginRows(const std::vector<std::unique_ptr<Plugin>>& plugins, ProblemData& data) : data_(data) {
  for (const auto& plugin : plugins) add(*plugin);
}

void PluginRows::say(const std::string& sentence) {
  message_ += (message_.empty() ? "" : "; ") + sentence;
}

void PluginRows::add(const Plugin& plugin) {
  std::string why;
  Row row{PluginRow::open(plugin, data_.device(), data_.plan(), addresses(data_), why), nullptr};
  if (!row.plugin) {
    say(why);
    return;
  }
  row.workspace =
      std::make_unique<GuardedBuffer>(data_.device(), static_cast<std::int64_t>(row.plugin->workspace_bytes()));
  row.plugin->use_workspace(row.workspace->pointer());
  const NamedBuffer workspaces[] = {{"workspace", row.workspace.get()}};
  try {
    const auto call = [&](std::size_t set) { row.plugin->run(set); };
    const CheckReport report = check_call(data_, call, workspaces, quick_recipes(data_.plan()));
    if (const std::string wrong = what_is_wrong_untimed(report); !wrong.empty()) {
      say(fmt::format("{} was not timed: {}", row.plugin->label(), wrong));
      return;
    }
  } catch (const DeviceFault& fault) {
    if (fault.sticky()) throw;
    say(fault.what());
    return;
  }
  rows_.push_back(std::move(row));
}

std::vector<std::string> PluginRows::labels() const {
  std::vector<std::string> labels;
  for (const Row& row : rows_) labels.push_back(row.plugin->label());
  return labels;
}

std::vector<Timeable> PluginRows::timeables(std::uint32_t first_id) {
  std::vector<Timeable> timeables;
  for (const Row& row : rows_) {
    Timeable timeable;
    timeable.id = first_id + static_cast<std::uint32_t>(timeables.size());
    timeable.sets.resize(static_cast<std::size_t>(data_.rotation_sets()));
    timeable.call = [&plugin = *row.plugin](std::size_t set) { plugin.run(set); };
    timeable.capture = [&plugin = *row.plugin](std::size_t sets, int repeats) { return plugin.capture(sets, repeats); };
    for (int set = 0; set < data_.rotation_sets(); ++set) timeable.restores.push_back(data_.restore_launches(set, 0));
    timeable.touches = data_.touch_launches();
    timeables.push_back(std::move(timeable));
  }
  return timeables;
}

}  // namespace kerlab::worker
