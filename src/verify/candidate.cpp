#include "verify/candidate.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <ranges>
#include <set>
#include <tuple>

#include "common/number.h"

namespace kerlab::verify {
namespace {

/// A name as the source has it: `calls` for `_ZL5calls`.
std::string plain(const std::string& name) {
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr),
                                                         &std::free);
  return name.starts_with("_Z") && text ? text.get() : name;
}

}  // namespace

Candidate::Candidate(ProblemData& data, std::span<const std::byte> image, std::string_view label, LaunchPlan plan)
    : data_(data), plan_(std::move(plan)), module_(data.device(), image, label), pitched_(data, plan_) {
  prepare();
  keep_variables();
  for (const Workspace& workspace : plan_.workspaces) {
    workspaces_.emplace_back(data_.device(), workspace.bytes);
    const GuardedBuffer& buffer = workspaces_.back();
    if (workspace.init == WorkspaceInit::zero_once) data_.device().fill(buffer.pointer(), 0, buffer.words());
  }
}

void Candidate::prepare() {
  // A plan may repeat one launch hundreds of times: ask once per shape.
  using Shape = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::set<Shape> seen;
  for (const auto* launches : {&plan_.launches, &plan_.prepare})
    for (const Launch& launch : *launches)
      if (seen.insert({launch.kernel, launch.block.x, launch.block.y, launch.block.z, launch.dynamic_shared}).second)
        resources_.push_back(data_.device().prepare(module_.id(), launch));
}

void Candidate::keep_variables() {
  std::vector<ModuleVariable> all = variables_of(data_.device(), module_.id());
  for (const SymbolCopy& copy : plan_.symbols) {
    const auto is_it = [&](const ModuleVariable& one) {
      return one.name == copy.symbol || plain(one.name) == copy.symbol;
    };
    const auto found = std::ranges::find_if(all, is_it);
    const std::int64_t bytes = data_.tensor(copy.tensor).bytes();
    if (found == all.end())
      throw Error(
          fmt::format("the program has no variable '{}' (or never reads it): [[symbol]] names a __constant__ or "
                      "__device__ one, with its namespace",
                      copy.symbol));
    if (static_cast<std::int64_t>(found->bytes) < bytes)
      throw Error(fmt::format("the variable '{}' has {} bytes, too few for the {} of tensor '{}'", copy.symbol,
                              found->bytes, bytes, copy.tensor));
    symbols_.push_back(*found);
    all.erase(found);
  }
  for (ModuleVariable& place : all) {
    if (place.constant) continue;
    std::vector<std::byte> first(place.bytes);
    data_.device().copy_out(first, place.pointer);
    variables_.push_back({std::move(place), std::move(first)});
  }
}

std::string Candidate::restore_variables() {
  std::string changed;
  for (const Variable& variable : variables_) {
    std::vector<std::byte> held(variable.first.size());
    data_.device().copy_out(held, variable.place.pointer);
    if (held == variable.first) continue;
    data_.device().copy_in(variable.place.pointer, variable.first);
    if (!changed.empty()) continue;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < held.size(); ++i) bytes += held[i] != variable.first[i] ? 1 : 0;
    changed = fmt::format(
        "the variable {}: every run must leave it as it was, and {} of its {} bytes were changed: what a kernel "
        "remembers from run to run, or writes down, belongs into a [[workspace]]",
        plain(variable.place.name), bytes, held.size());
  }
  return changed;
}

std::vector<BoundLaunch> Candidate::bind(const std::vector<Launch>& launches, Addresses addresses) const {
  pitched_.replace(addresses);
  for (std::size_t i = 0; i < workspaces_.size(); ++i) addresses[plan_.workspaces[i].name] = workspaces_[i].pointer();
  std::vector<BoundLaunch> bound;
  for (const Launch& launch : launches) bound.push_back(bind_launch(data_.device(), module_.id(), launch, addresses));
  return bound;
}

void Candidate::make_ready(int set) {
  Device& device = data_.device();
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const std::string& tensor = plan_.symbols[i].tensor;
    std::vector<std::byte> bytes(static_cast<std::size_t>(data_.tensor(tensor).bytes()));
    device.copy_out(bytes, data_.buffer(set, tensor).pointer());
    device.copy_in(symbols_[i].pointer, bytes);
  }
  for (const BoundLaunch& launch : bind(plan_.prepare, data_.addresses(set))) device.launch(launch);
}

std::vector<BoundLaunch> Candidate::bind_all(const Addresses& tensors) const {
  std::vector<BoundLaunch> launches;
  for (std::size_t i = 0; i < workspaces_.size(); ++i) {
    const GuardedBuffer& buffer = workspaces_[i];
    const WorkspaceInit init = plan_.workspaces[i].init;
    if ((init != WorkspaceInit::zero && init != WorkspaceInit::poison) || buffer.bytes() == 0) continue;
    // A kernel rather than a memset, so that it can be part of a graph.
    lab::FillArguments fill{};
    fill.out = buffer.pointer();
    fill.count = static_cast<lab::i64>(buffer.words());
    fill.dtype = lab::kUint32;
    fill.recipe = lab::kConstant;
    fill.parameter0 = init == WorkspaceInit::zero ? 0.0 : 4294967295.0;
    launches.push_back(data_.lab().bind_over("lab_fill", fill, fill.count));
  }
  for (BoundLaunch& launch : bind(plan_.launches, tensors)) launches.push_back(std::move(launch));
  return launches;
}

const std::vector<BoundLaunch>& Candidate::launches(int set) {
  if (!pitched_.empty()) throw Error("candidate: tensors with padded rows are only checked");
  make_ready(set);
  return bound(set);
}

const std::vector<BoundLaunch>& Candidate::bound(int set) {
  const auto found = bound_.find(set);
  return found != bound_.end() ? found->second : bound_.emplace(set, bind_all(data_.addresses(set))).first->second;
}

const std::vector<BoundLaunch>& Candidate::timed_launches(int set) {
  if (set == 0 || !has_hot_inputs(data_.plan())) return launches(set);
  launches(0);  // what prepare launches make of inputs is the same for all sets
  const auto found = timed_.find(set);
  return found != timed_.end() ? found->second
                               : timed_.emplace(set, bind_all(data_.timed_addresses(set))).first->second;
}

std::vector<NamedBuffer> Candidate::workspaces() const {
  std::vector<NamedBuffer> named;
  for (std::size_t i = 0; i < workspaces_.size(); ++i)
    named.push_back({"workspace " + plan_.workspaces[i].name, &workspaces_[i]});
  return named;
}

std::vector<NamedBuffer> Candidate::zeroed_workspaces() const {
  std::vector<NamedBuffer> named;
  for (std::size_t i = 0; i < workspaces_.size(); ++i)
    if (plan_.workspaces[i].init == WorkspaceInit::zero_once)
      named.push_back({"workspace " + plan_.workspaces[i].name, &workspaces_[i]});
  return named;
}

void Candidate::poison_workspaces(std::uint32_t pattern) {
  for (std::size_t i = 0; i < workspaces_.size(); ++i)
    if (plan_.workspaces[i].init == WorkspaceInit::none)
      data_.device().fill(workspaces_[i].pointer(), pattern, workspaces_[i].words());
}

std::vector<LaunchReport> Candidate::run(int set, LaunchMode mode) {
  std::vector<LaunchReport> reports;
  pitched_.take(set);
  make_ready(set);
  for (const BoundLaunch& launch : bound(set)) reports.push_back(data_.device().launch(launch, mode));
  if (!data_.holds_timed(set) && data_.holds_timed(0)) make_ready(0);  // timed runs find what their sets hold
  pitched_.give_back(set);
  for (LaunchReport& report : reports) pitched_.to_dense(set, report.written);
  warm_ = true;
  return reports;
}

LaunchReport Candidate::run_first(int set) {
  make_ready(set);
  const std::vector<BoundLaunch>& launches = bound(set);
  const std::size_t first = launches.size() - plan_.launches.size();
  for (std::size_t i = 0; i < first; ++i) data_.device().launch(launches[i]);
  warm_ = true;
  return data_.device().launch(launches[first], LaunchMode::check_some);
}

bool Candidate::can_be_sampled(std::int64_t unused) const {
  const bool no_workspace = std::all_of(plan_.workspaces.begin(), plan_.workspaces.end(),
                                        [&](const Workspace& w) { return w.bytes <= unused; });
  return plan_.launches.size() == 1 && no_workspace && resources_.front().independent_blocks;
}

}  // namespace kerlab::verify
