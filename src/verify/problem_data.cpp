#include "verify/problem_data.h"

#include "base/hash.h"

#include <fmt/format.h>

#include <algorithm>

#include "verify/input/inputs.h"

namespace kerlab::verify {
namespace {

// Sets that hold recipes other than the timed one. Filling one anew costs little.
constexpr int kMostRecipeSets = 3;

const Tensor& tensor_named(const ProblemPlan& plan, const std::string& name) {
  const auto found =
      std::find_if(plan.tensors.begin(), plan.tensors.end(), [&](const Tensor& t) { return t.name == name; });
  if (found == plan.tensors.end()) throw Error(fmt::format("problem '{}' has no tensor '{}'", plan.key, name));
  return *found;
}

std::int64_t reference_bytes(const ProblemPlan& plan) {
  std::int64_t bytes = 0;
  for (const ReferencePlan& r : plan.references)
    bytes += 2 * tensor_named(plan, r.output).elements() * info(r.accumulator).bytes;
  for (const ReferenceWorkspace& workspace : plan.reference_workspaces) bytes += workspace.bytes;
  return bytes;
}

MemoryNeeds needs_of(const ProblemPlan& plan, Device& device, ProblemData::Use use) {
  MemoryNeeds needs;
  std::int64_t contents = 0;
  for (const Tensor& t : plan.tensors) {
    needs.set_bytes += GuardedBuffer::footprint(t.bytes());
    if (!t.hot) contents += t.bytes();  // of hot ones, which stay where they are, none evicts another
  }
  // Not every tensor is touched (C of a GEMM with beta = 0): count what a run must move at least.
  needs.touched_bytes = plan.bytes > 0 ? std::min(contents, static_cast<std::int64_t>(plan.bytes)) : contents;
  needs.reference_bytes = reference_bytes(plan);
  needs.recipes = std::max(1, static_cast<int>(plan.recipes.size()));
  needs.l2_bytes = use == ProblemData::Use::timing ? device.info().l2_bytes : 0;
  if (device.info().executes_samples) {  // nothing is cached, and only what is looked at is computed
    needs.l2_bytes = 0;
    needs.reference_bytes = 0;
  }
  needs.free_bytes = device.free_memory();
  return needs;
}

}  // namespace

ProblemData::ProblemData(Lab& lab, ProblemPlan plan, std::span<const std::byte> reference_image, Use use)
    : lab_(lab), plan_(std::move(plan)), reports_(lab.device()) {
  check_plan();
  memory_ = plan_memory(needs_of(plan_, device(), use));
  if (!reference_image.empty()) reference_module_.emplace(device(), reference_image, "reference");
  for (std::size_t i = 0; i < plan_.tensors.size(); ++i)
    if (plan_.tensors[i].role == Role::input) inputs_.push_back(i);
  memory_.recipe_sets = std::min(memory_.recipe_sets, kMostRecipeSets);
  whole_references_ = !device().info().executes_samples;
  for (int i = 0; i < memory_.rotation_sets; ++i) add_set(0);
  references_.reserve(static_cast<std::size_t>(memory_.reference_slots));  // what expected() gives stays where it is
  if (whole_references_) add_reference();
}

void ProblemData::check_plan() const {
  if (!plan_.tensors.empty() && plan_.recipes.empty())
    throw Error(fmt::format("problem '{}' has no recipe: add [[recipe]] to family.toml", plan_.key));
  for (const ReferencePlan& r : plan_.references) {
    tensor_named(plan_, r.output);
    if (r.accumulator != DType::fp64 && r.accumulator != DType::fp32)
      throw Error(
          fmt::format("reference of '{}': the accumulator is {}, not fp64 or fp32", r.output, name(r.accumulator)));
  }
}

void ProblemData::add_set(std::int64_t offset) {
  Set set;
  for (const Tensor& t : plan_.tensors) set.buffers.emplace_back(device(), t.bytes(), offset);
  sets_.push_back(std::move(set));
}

/// False: there are as many as there may be, or the memory is used up.
bool ProblemData::grow_sets() {
  if (sets_.size() >= static_cast<std::size_t>(memory_.rotation_sets + memory_.recipe_sets)) return false;
  try {
    // By turns, of another problem the other way around: what is aligned may take a way of its own, with any numbers.
    const bool aligned = (sets_.size() + static_cast<unsigned char>(digest(plan_.key).back())) % 2 == 0;
    add_set(aligned ? 0 : kLeastAlignment);
  } catch (const DeviceFault& fault) {
    if (fault.kind() != FaultKind::out_of_memory) throw;
    memory_.recipe_sets = static_cast<int>(sets_.size()) - memory_.rotation_sets;
    return false;
  }
  return true;
}

bool ProblemData::grow_references() {
  if (references_.size() >= static_cast<std::size_t>(memory_.reference_slots)) return false;
  try {
    add_reference();
  } catch (const DeviceFault& fault) {
    if (fault.kind() != FaultKind::out_of_memory) throw;
    memory_.reference_slots = static_cast<int>(references_.size());
    return false;
  }
  return true;
}

void ProblemData::add_reference() {
  Reference reference;
  for (const ReferencePlan& r : plan_.references) {
    const auto bytes =
        static_cast<std::size_t>(output(reference.outputs.size()).elements() * info(r.accumulator).bytes);
    reference.outputs.push_back({Allocation(device(), bytes), Allocation(device(), bytes)});
  }
  references_.push_back(std::move(reference));
}

std::int64_t ProblemData::device_bytes() const {
  std::int64_t bytes = 0;
  for (const Set& set : sets_)
    for (const GuardedBuffer& buffer : set.buffers) bytes += GuardedBuffer::footprint(buffer.bytes());
  return bytes + static_cast<std::int64_t>(references_.size()) * reference_bytes(plan_);
}

const GuardedBuffer& ProblemData::buffer(int set, std::size_t tensor) const {
  return sets_.at(static_cast<std::size_t>(set)).buffers.at(tensor);
}

const GuardedBuffer& ProblemData::buffer(int set, const std::string& tensor) const {
  return buffer(set, static_cast<std::size_t>(&tensor_named(plan_, tensor) - plan_.tensors.data()));
}

const Tensor& ProblemData::tensor(const std::string& name) const {
  return tensor_named(plan_, name);
}

const Tensor& ProblemData::output(std::size_t reference) const {
  return tensor_named(plan_, plan_.references.at(reference).output);
}

Addresses ProblemData::addresses(int set) const {
  Addresses addresses;
  for (std::size_t i = 0; i < plan_.tensors.size(); ++i) addresses[plan_.tensors[i].name] = buffer(set, i).pointer();
  return addresses;
}

Addresses ProblemData::timed_addresses(int set) const {
  Addresses addresses;
  for (std::size_t i = 0; i < plan_.tensors.size(); ++i) addresses[plan_.tensors[i].name] = timed(set, i).pointer();
  return addresses;
}

std::vector<BoundLaunch> ProblemData::touch_launches() {
  std::vector<BoundLaunch> launches;
  for (const Tensor& tensor : plan_.tensors) {
    if (!tensor.hot || tensor.unread || tensor.bytes() == 0) continue;
    if (touched_.bytes() == 0) touched_ = Allocation(device(), sizeof(lab::u64));
    const DevicePtr data = buffer(0, tensor.name).pointer();
    launches.push_back(lab_.bind_over("lab_hash", lab::HashArguments{data, tensor.bytes(), 0, 0, touched_.pointer()},
                                      tensor.bytes() / 4));
  }
  return launches;
}

std::vector<NamedBuffer> ProblemData::named_buffers(int set) const {
  std::vector<NamedBuffer> named;
  for (std::size_t i = 0; i < plan_.tensors.size(); ++i) named.push_back({plan_.tensors[i].name, &buffer(set, i)});
  return named;
}

BoundLaunch ProblemData::fill_launch(const Set& set, std::size_t tensor, std::uint32_t recipe) const {
  const bool first = !inputs_.empty() && inputs_.front() == tensor;
  auto arguments =
      fill_arguments(plan_.recipes.at(recipe), plan_.tensors[tensor], first, set.buffers[tensor].pointer());
  add_rows(arguments, plan_, plan_.tensors[tensor], [&](const Tensor& offsets) {
    return set.buffers[static_cast<std::size_t>(&offsets - plan_.tensors.data())].pointer();
  });
  return lab_.bind_over("lab_fill", arguments, arguments.count);
}

void ProblemData::fill(Set& set, std::uint32_t recipe) {
  for (std::size_t i = 0; i < plan_.tensors.size(); ++i)
    if (plan_.tensors[i].role != Role::output && plan_.tensors[i].elements() > 0)
      device().launch(fill_launch(set, i, recipe));
  for (const Role role : {Role::input, Role::inout})
    for (const BoundLaunch& launch : change_launches(set, recipe, role)) device().launch(launch);
  set.recipe = recipe;
}

/// Timing wants the first recipe in the first sets: others go to the back, into one that nobody holds if there is one.
std::size_t ProblemData::choose_set(std::uint32_t recipe, std::int64_t alignment) {
  const auto timing = static_cast<std::size_t>(rotation_sets());
  if (recipe == 0) return 0;
  if (alignment > kLeastAlignment) return timing - 1;
  for (std::size_t i = timing; i < sets_.size(); ++i)
    if (!sets_[i].recipe) return i;
  grow_sets();
  return sets_.size() - 1;
}

int ProblemData::set_with(std::uint32_t recipe, std::int64_t alignment) {
  const std::size_t suitable = alignment > kLeastAlignment ? static_cast<std::size_t>(rotation_sets()) : sets_.size();
  for (std::size_t i = 0; i < suitable; ++i)
    if (sets_[i].recipe == recipe) return static_cast<int>(i);
  const std::size_t chosen = choose_set(recipe, alignment);
  fill(sets_[chosen], recipe);
  return static_cast<int>(chosen);
}

std::uint32_t ProblemData::fresh_recipe(Fresh which) {
  constexpr std::uint64_t kOtherSeeds = 1'000'000;
  const auto known = fresh_.find(which);
  if (known != fresh_.end()) return known->second;
  const auto is_recorded = [](const ReferencePlan& reference) { return !reference.recorded.empty(); };
  if (std::ranges::any_of(plan_.references, is_recorded)) return plan_.recipes.size() > 1 ? 1 : 0;
  Recipe recipe = plan_.recipes.at(0);
  if (which == Fresh::changed) {
    if (recipe.base.empty()) recipe.base = recipe.name;
    recipe.name += " with some elements changed";
    choose_changes();
  } else {
    recipe.seed += kOtherSeeds * (1 + static_cast<std::uint64_t>(which));
  }
  plan_.recipes.push_back(std::move(recipe));
  return fresh_[which] = static_cast<std::uint32_t>(plan_.recipes.size() - 1);
}

void ProblemData::prepare_timing() {
  for (int i = 0; i < rotation_sets(); ++i)
    if (set_at(i).recipe != 0u) fill(set_at(i), 0);
}

void ProblemData::distrust_all() {
  for (Set& set : sets_) set.recipe.reset();
}

std::vector<BoundLaunch> ProblemData::restore_launches(int set, std::uint32_t recipe) const {
  std::vector<BoundLaunch> launches;
  for (std::size_t i = 0; i < plan_.tensors.size(); ++i)
    if (plan_.tensors[i].role == Role::inout && plan_.tensors[i].elements() > 0)
      launches.push_back(fill_launch(sets_.at(static_cast<std::size_t>(set)), i, recipe));
  for (BoundLaunch& launch : change_launches(sets_.at(static_cast<std::size_t>(set)), recipe, Role::inout))
    launches.push_back(std::move(launch));
  return launches;
}

}  // namespace kerlab::verify
