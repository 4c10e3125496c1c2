// ProblemData: expected values, and hashes that tell whether data were changed behind our back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verify/problem_data.h"

namespace kerlab::verify {
namespace {

void read_numbers(Device& device, const Allocation& from, DType accumulator, std::size_t count,
                  std::vector<double>& numbers) {
  numbers.resize(count);
  if (accumulator == DType::fp64) {
    device.copy_out(std::as_writable_bytes(std::span(numbers)), from.pointer());
    return;
  }
  std::vector<float> floats(count);
  device.copy_out(std::as_writable_bytes(std::span(floats)), from.pointer());
  std::copy(floats.begin(), floats.end(), numbers.begin());
}

/// All of what was recorded, as the reference would have written it.
void put(Device& device, const RecordedValues& recorded, const Expected& into) {
  std::vector<double> numbers(into.value.bytes() / sizeof(double));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = recorded.value(i);
  device.copy_in(into.value.pointer(), std::as_bytes(std::span(numbers)));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = recorded.scale(i);
  device.copy_in(into.scale.pointer(), std::as_bytes(std::span(numbers)));
}

/// The same for some places.
void look_up(const RecordedValues& recorded, std::span<const std::int64_t> indices, std::int64_t outputs_per_index,
             std::vector<double>& value, std::vector<double>& scale) {
  value.clear();
  scale.clear();
  for (const std::int64_t index : indices)
    for (std::int64_t j = 0; j < outputs_per_index; ++j) {
      const auto at = static_cast<std::size_t>(index * outputs_per_index + j);
      value.push_back(recorded.value(at));
      scale.push_back(recorded.scale(at));
    }
}

/// The grid was laid out for all indices: as much of it as these are.
Launch launch_for(Launch launch, std::int64_t indices, std::int64_t all) {
  const double share = static_cast<double>(indices) / static_cast<double>(std::max<std::int64_t>(all, 1));
  launch.grid.x = std::max(1u, static_cast<std::uint32_t>(std::ceil(std::min(share, 1.0) * launch.grid.x)));
  return launch;
}

/// Runs what is about the reference alone; its faults say so, or the candidate that is checked would be blamed.
template <typename Work>
void as_reference(Device& device, Work work) {
  device.synchronize();  // what is left of others is theirs
  try {
    work();
    device.synchronize();
  } catch (const DeviceFault& fault) {
    throw ReferenceFault(fault.kind(), fmt::format("the reference: {}", fault.what()), fault.sticky());
  }
}

}  // namespace

Addresses ProblemData::reference_addresses(int set, std::uint32_t recipe) {
  constexpr std::uint32_t kNotANumber = 0xffffffff;  // of floats and doubles: what nobody writes is no number
  Addresses known = addresses(set);
  const auto& workspaces = plan_.reference_workspaces;
  if (workspaces.empty() && plan_.before_reference.empty()) return known;
  const auto words = [](const ReferenceWorkspace& one) { return static_cast<std::size_t>((one.bytes + 3) / 4); };
  for (std::size_t i = reference_workspaces_.size(); i < workspaces.size(); ++i)
    reference_workspaces_.emplace_back(device(), std::max<std::size_t>(4 * words(workspaces[i]), 4));
  for (std::size_t i = 0; i < workspaces.size(); ++i) known[workspaces[i].name] = reference_workspaces_[i].pointer();
  if (before_ == recipe && !whole_references_) return known;  // no candidate can have reached it
  before_.reset();
  as_reference(device(), [&] {
    for (std::size_t i = 0; i < workspaces.size(); ++i) {
      device().fill(reference_workspaces_[i].pointer(), kNotANumber, words(workspaces[i]));
      if (workspaces[i].copy.empty()) continue;
      std::vector<std::byte> bytes(static_cast<std::size_t>(tensor(workspaces[i].copy).bytes()));
      device().copy_out(bytes, buffer(set, workspaces[i].copy).pointer());
      device().copy_in(reference_workspaces_[i].pointer(), bytes);
    }
    for (const Launch& launch : plan_.before_reference) {
      device().prepare(reference_module_->id(), launch);
      device().launch(bind_launch(device(), reference_module_->id(), launch, known));
    }
  });
  before_ = recipe;
  return known;
}

bool ProblemData::all_recorded() const {
  return !plan_.references.empty() &&
         std::ranges::none_of(plan_.references, [](const ReferencePlan& plan) { return plan.recorded.empty(); });
}

void ProblemData::require_reference() const {
  if (!has_reference())
    throw Error(fmt::format("problem '{}' came without a reference: nothing can be checked", plan_.key));
}

const RecordedValues& ProblemData::recorded(std::uint32_t recipe, std::size_t reference) {
  const auto known = recorded_.find({recipe, reference});
  if (known != recorded_.end()) return known->second;
  return recorded_.try_emplace({recipe, reference}, plan_.references[reference].recorded.at(recipe), output(reference))
      .first->second;
}

void ProblemData::compute(Reference& reference, std::uint32_t recipe) {
  require_reference();
  const int set = set_with(recipe);
  // The reference reads inout tensors as they are before a run.
  for (const BoundLaunch& launch : restore_launches(set, recipe)) device().launch(launch);
  const Addresses known = reference_addresses(set, recipe);
  for (std::size_t i = 0; i < plan_.references.size(); ++i) {
    const ReferencePlan& plan = plan_.references[i];
    const std::int64_t outputs = output(i).elements();
    if (outputs == 0 || plan.checker) continue;
    if (!plan.recorded.empty()) {
      put(device(), recorded(recipe, i), reference.outputs[i]);
      continue;
    }
    const ReferenceSlots slots{0, plan.indices(outputs), reference.outputs[i].value.pointer(),
                               reference.outputs[i].scale.pointer()};
    as_reference(device(), [&] {
      device().prepare(reference_module_->id(), plan.launch);
      device().launch(bind_launch(device(), reference_module_->id(), plan.launch, known, slots));
    });
  }
  reference.recipe = recipe;
  reference.hashes = hashes_of(reference);
}

void ProblemData::evaluate(std::uint32_t recipe, std::size_t reference, std::span<const std::int64_t> indices,
                           std::vector<double>& value, std::vector<double>& scale) {
  require_reference();
  const ReferencePlan& plan = plan_.references.at(reference);
  if (!plan.recorded.empty()) {
    look_up(recorded(recipe, reference), indices, plan.outputs_per_index, value, scale);
    return;
  }
  const int set = set_with(recipe);
  const auto places = static_cast<std::int64_t>(indices.size());
  const auto numbers = static_cast<std::size_t>(places * plan.outputs_per_index);
  const auto bytes = numbers * static_cast<std::size_t>(info(plan.accumulator).bytes);
  const Allocation index(device(), indices.size_bytes()), values(device(), bytes), scales(device(), bytes);
  device().copy_in(index.pointer(), std::as_bytes(indices));
  const Launch launch = launch_for(plan.launch, places, plan.indices(output(reference).elements()));
  const Addresses known = reference_addresses(set, recipe);
  as_reference(device(), [&] {
    device().prepare(reference_module_->id(), launch);
    device().launch(bind_launch(device(), reference_module_->id(), launch, known,
                                {index.pointer(), places, values.pointer(), scales.pointer()}));
  });
  read_numbers(device(), values, plan.accumulator, numbers, value);
  read_numbers(device(), scales, plan.accumulator, numbers, scale);
}

std::vector<Judgement> ProblemData::judge(int set, std::size_t reference, std::span<const std::int64_t> indices) {
  constexpr std::uint32_t kNotANumber = 0x7fc00000, kNoCode = 0xffffffff;
  require_reference();
  const ReferencePlan& plan = plan_.references.at(reference);
  const auto asked = static_cast<std::int64_t>(indices.size());
  const std::int64_t all = plan.indices(output(reference).elements()), count = asked > 0 ? asked : all;
  const auto words = static_cast<std::size_t>(count);
  const Allocation index(device(), std::max<std::size_t>(indices.size_bytes(), 4));
  const Allocation error(device(), 4 * words), code(device(), 4 * words);
  if (asked > 0) device().copy_in(index.pointer(), std::as_bytes(indices));
  device().fill(error.pointer(), kNotANumber, words);
  device().fill(code.pointer(), kNoCode, words);
  const Launch launch = launch_for(plan.launch, count, all);
  as_reference(device(), [&] {
    device().prepare(reference_module_->id(), launch);
    device().launch(bind_launch(device(), reference_module_->id(), launch, addresses(set),
                                {asked > 0 ? index.pointer() : 0, count, 0, 0, error.pointer(), code.pointer()}));
  });
  std::vector<float> errors(words);
  std::vector<std::int32_t> codes(words);
  device().copy_out(std::as_writable_bytes(std::span(errors)), error.pointer());
  device().copy_out(std::as_writable_bytes(std::span(codes)), code.pointer());
  std::vector<Judgement> judgements;
  judgements.reserve(words);
  for (std::size_t i = 0; i < words; ++i) judgements.push_back({errors[i], codes[i]});
  return judgements;
}

const std::vector<Expected>& ProblemData::expected(std::uint32_t recipe) {
  for (Reference& reference : references_)
    if (reference.recipe == recipe) return reference.outputs;
  const auto is_unused = [](const Reference& reference) { return !reference.recipe; };
  if (std::none_of(references_.begin(), references_.end(), is_unused)) grow_references();
  const auto unused = std::find_if(references_.begin(), references_.end(), is_unused);
  Reference* chosen = unused != references_.end() ? &*unused : &references_.back();
  chosen->recipe.reset();  // stays unset should the reference fail
  compute(*chosen, recipe);
  return chosen->outputs;
}

bool ProblemData::expected_intact(std::uint32_t recipe) {
  for (Reference& reference : references_) {
    if (reference.recipe != recipe) continue;
    if (hashes_of(reference) == reference.hashes) return true;
    reference.recipe.reset();
    return false;
  }
  return true;  // not kept: computed anew anyway
}

std::vector<std::uint64_t> ProblemData::hashes_of(const Reference& reference) {
  reports_.reset(0, 0, 2 * reference.outputs.size());
  std::uint32_t slot = 0;
  for (const Expected& expected : reference.outputs) {
    queue_hash(expected.value.pointer(), static_cast<std::int64_t>(expected.value.bytes()), reports_, slot++);
    queue_hash(expected.scale.pointer(), static_cast<std::int64_t>(expected.scale.bytes()), reports_, slot++);
  }
  reports_.read();
  return {reports_.hashed().begin(), reports_.hashed().end()};
}

void ProblemData::queue_hash(DevicePtr data, std::int64_t bytes, const ReportBuffer& reports,
                             std::uint32_t slot) const {
  if (bytes == 0) return;
  lab_.run_over("lab_hash", lab::HashArguments{data, bytes, slot, 0, reports.hashes()}, bytes / 4);
}

void ProblemData::queue_input_hashes(int set, const ReportBuffer& reports, std::uint32_t first_slot) const {
  for (const std::size_t tensor : inputs_)
    queue_hash(buffer(set, tensor).pointer(), buffer(set, tensor).bytes(), reports, first_slot++);
}

const std::vector<std::uint64_t>& ProblemData::input_hashes(std::uint32_t recipe) {
  const auto known = input_hashes_.find(recipe);
  if (known != input_hashes_.end()) return known->second;
  // Of a set filled just now, which no candidate can have touched.
  const int set = set_with(recipe);
  fill(set_at(set), recipe);
  reports_.reset(0, 0, inputs_.size());
  queue_input_hashes(set, reports_, 0);
  reports_.read();
  return input_hashes_[recipe] = {reports_.hashed().begin(), reports_.hashed().end()};
}

}  // namespace kerlab::verify
