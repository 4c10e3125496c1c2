#include "cli/tune/live_caches.h"

#include <algorithm>

namespace kerlab::cli {
namespace {

/// Of each parameter what its variant lists.
std::vector<std::vector<TunerValue>> listed_values_of(const TunerSpace& space, const Variant& variant) {
  std::vector<std::vector<TunerValue>> listed;
  for (const std::string& name : space.parameters) {
    listed.emplace_back();
    const auto parameter = std::ranges::find(variant.parameters, name, &Parameter::name);
    if (parameter == variant.parameters.end()) continue;
    for (const std::int64_t value : parameter->values)
      listed.back().push_back(parameter->words.empty() ? TunerValue{value, ""}
                                                       : TunerValue{0, value_text(*parameter, value)});
  }
  return listed;
}

}  // namespace

TunerCacheFile& LiveCaches::file_of(const Trial& trial, const KernelFolder& kernels) {
  const auto known = files_.find(trial.variant);
  if (known != files_.end()) return known->second;
  const TunerSpace& space = spaces_.emplace(trial.variant, empty_tuner_space(trial)).first->second;
  const auto variant = std::ranges::find(kernels.variants, trial.variant, &Variant::name);
  const auto listed =
      variant == kernels.variants.end() ? std::vector<std::vector<TunerValue>>() : listed_values_of(space, *variant);
  return files_.emplace(trial.variant, TunerCacheFile(folder_ / space.folder / (space.name + ".json"), space, listed))
      .first->second;
}

void LiveCaches::update(const TuneSession& session) {
  const std::size_t done = session.state().counts.done;
  if (folder_.empty() || done == done_) return;
  done_ = done;
  const TuneRecord record = session.record();
  for (const Trial& trial : database_.trials(record.problem, record.device_class)) {
    if (trial.session != record.session || written_.contains(trial.id)) continue;
    const auto point = tuner_point(trial, database_, TunerTimes::any);
    if (!point) continue;
    TunerCacheFile& file = file_of(trial, record.kernels);
    written_.insert(trial.id);
    file.add(spaces_.at(trial.variant), *point);
  }
}

void LiveCaches::close() {
  for (auto& [variant, file] : files_) file.close();
}

}  // namespace kerlab::cli
