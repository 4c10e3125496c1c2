#include "session/run/problem_setup.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/format.h"
#include "session/run/candidate.h"
#include "session/run/elsewhere.h"
#include "spec/recordings.h"
#include "spec/toml/source_path.h"

namespace kerlab::session {

namespace {

/// A limit meant for candidates must not end the session on a busy machine.
constexpr std::chrono::seconds kLabDeadline{60};

/// For the lab and references, which are executed and never timed: where no GPU does, ptxas has nothing to do.
std::vector<std::string> untimed_options(const DeviceInfo& device) {
  std::string arch = device.arch();
  if (!device.is_hardware) arch.replace(0, std::string_view("sm").size(), "compute");
  return base_options(arch);
}

/// "./solve": a path, not a family's name.
std::string typed_folder(const std::filesystem::path& folder) {
  const std::string shown = shown_path(folder);
  return shown.find('/') == std::string::npos ? "./" + shown : shown;
}

/// "X.npy, info.npy"
std::string recorded_outputs(const Family& family) {
  std::vector<std::string> files;
  for (const ReferenceDecl& reference : family.references)
    if (reference.recorded) files.push_back(reference.output + ".npy");
  return fmt::format("{}", fmt::join(files, ", "));
}

/// A scripted device makes up what a reference reports, and asks only that there is something to load.
Bytes untimed_image(CompileResult& compiled, const DeviceInfo& device) {
  if (!device.is_scripted) return loadable_image(compiled, device);
  const auto ptx = std::as_bytes(std::span(compiled.ptx));
  return {ptx.begin(), ptx.end()};
}

}  // namespace

std::vector<std::string> reference_options(const DeviceInfo& device, const std::vector<std::string>& defines) {
  std::vector<std::string> options = untimed_options(device);
  options.insert(options.end(), defines.begin(), defines.end());
  return options;
}

bool uses_tensor_cores(DType dtype) {
  return dtype != DType::fp32 && dtype != DType::int32;
}

Problem problem_for_device(const KernelFolder& folder, ProblemRequest request, const DeviceInfo& device) {
  if (!request.dtype.empty()) return make_problem(folder.family, request);
  for (const DType dtype : folder.family.dtypes) {
    request.dtype = name(dtype);
    Problem problem = make_problem(folder.family, request);
    for (const Variant& variant : folder.variants) {
      if (unsupported_reason(variant, problem, device).empty()) return problem;
    }
  }
  request.dtype = name(folder.family.dtypes.front());
  return make_problem(folder.family, request);
}

bool has_library(const ProblemSetup& setup, const Rig& rig) {
  return rig.device().has_library && (rig.has_plugins() || !setup.plan.library_gemm.empty());
}

double needed_bytes(const ProblemPlan& plan, const DeviceInfo& device) {
  double bytes = 0;
  for (const Tensor& tensor : plan.tensors) bytes += static_cast<double>(tensor.bytes());
  if (device.executes_samples) return bytes;  // of the reference only what is compared is computed
  for (const ReferencePlan& reference : plan.references) {
    for (const Tensor& tensor : plan.tensors) {
      if (tensor.name != reference.output) continue;
      bytes += 2.0 * static_cast<double>(tensor.elements()) * info(reference.accumulator).bytes;
    }
  }
  return bytes;
}

Roofline theoretical_roof(const Problem& problem, const ProblemPlan& plan, const DeviceInfo& device) {
  return roofline(plan.flops, plan.bytes,
                  theoretical_ceilings(device, problem.dtype, uses_tensor_cores(problem.dtype)));
}

double fastest_possible_us(const Problem& problem, const ProblemPlan& plan, const DeviceInfo& device) {
  const Ceilings ceilings = theoretical_ceilings(device, problem.dtype, uses_tensor_cores(problem.dtype));
  const double from_memory = std::max(0.0, plan.bytes - static_cast<double>(device.l2_bytes));
  return roofline(plan.flops, from_memory, ceilings).minimum_us;
}

namespace {

ProblemSetup prepare(const KernelFolder& folder, const Problem& problem, const DeviceInfo& device) {
  ReferenceInstance reference = instantiate_reference(folder.family, problem, device);
  const double needed = needed_bytes(reference.plan, device);
  if (needed > static_cast<double>(device.memory_bytes))
    throw NoMemoryError(fmt::format("{} needs at least {} of device memory (tensors and reference), {} has {}",
                                    problem.title(), format_bytes(static_cast<std::int64_t>(needed)), device.name,
                                    format_bytes(device.memory_bytes)));
  std::optional<CostCount> count;
  if (reference.count_cost)  // what is no more than a bound makes no time impossible
    count = CostCount{std::move(*reference.count_cost), reference.plan.flops, reference.plan.bytes};
  else
    reference.plan.minimum_us = fastest_possible_us(problem, reference.plan, device);
  return {problem, std::move(reference.plan), std::move(reference.defines), std::nullopt, std::move(count)};
}

}  // namespace

ProblemSetup prepare_alone(const KernelFolder& folder, const Problem& problem, const DeviceInfo& device) {
  ProblemSetup setup = prepare(folder, problem, device);
  setup.count.reset();
  setup.timed = false;
  return setup;
}

ProblemSetup prepare_problem(const KernelFolder& folder, const Problem& problem, const DeviceInfo& device) {
  try {
    ProblemSetup setup = prepare(folder, problem, device);
    setup.small = choose_small_problem(folder, problem, device);
    return setup;
  } catch (const NoMemoryError& error) {
    throw UsageError(fmt::format("{}: make the problem smaller", error.what()));
  }
}

void require_recordings(const Family& family, const Problem& problem, const std::string& target) {
  const std::string why = why_unrecorded(family, problem);
  if (why.empty()) return;
  throw UsageError(
      fmt::format("{}. `kerlab check {}{} --save-inputs {}` writes its inputs; {} beside them is what "
                  "results are compared with",
                  why, target.empty() ? typed_folder(family.folder) : target, problem_options(problem.key()),
                  shown_path(family.recorded), recorded_outputs(family)));
}

void ProblemLoader::begin() {
  if (std::exchange(begun_, true)) return;
  if (with_reference_) require_recordings(rig_.folder().family, setup_.problem);
  const auto deadline = std::max<std::chrono::milliseconds>(kLabDeadline, rig_.compilers().time_limit());
  if (rig_.device().is_scripted) {
    lab_image_ = {std::byte{}};  // its lab has no kernels
  } else {
    std::vector<std::string> in_parallel =
        untimed_options(rig_.device());  // every session whose cache is empty waits for the lab
    in_parallel.emplace_back("--split-compile=4");
    lab_ = rig_.compilers().submit({read_lab_source(), std::move(in_parallel), deadline});
  }
  if (!has_kernels()) {
    tell_when_complete();
    return;
  }
  const SourceBundle reference = read_kernel_source(rig_.folder().family);
  reference_ =
      rig_.compilers().submit({reference, reference_options(rig_.device(), setup_.reference_defines), deadline});
  if (!has_own_small_reference()) return;
  small_reference_ =
      rig_.compilers().submit({reference, reference_options(rig_.device(), setup_.small->reference_defines), deadline});
}

/// Of a family that is all recorded nothing is compiled.
bool ProblemLoader::has_kernels() const {
  return (with_reference_ || setup_.count) && !rig_.folder().family.reference_source.empty();
}

bool ProblemLoader::has_own_small_reference() const {
  return has_kernels() && with_reference_ && setup_.small &&
         setup_.small->reference_defines != setup_.reference_defines;
}

bool ProblemLoader::step() {
  if (ready_) return false;
  const std::string reference = rig_.folder().family.reference_source.string();
  bool more = take(lab_, lab_image_, "kernels/common/lab.cu");
  more |= take(reference_, reference_image_, reference);
  more |= take(small_reference_, small_reference_image_, reference);
  if (more) tell_when_complete();
  return ready_;
}

bool ProblemLoader::take(Compilation& compilation, Bytes& image, const std::string& source) {
  if (!compilation.finished()) return false;
  CompileResult compiled = compilation.take();
  if (compiled.status != CompileStatus::ok)
    throw Error(fmt::format("{} does not compile: {}", source, compiled.message));
  image = untimed_image(compiled, rig_.device());
  return true;
}

void ProblemLoader::tell_when_complete() {
  if (lab_image_.empty() || (has_kernels() && reference_image_.empty())) return;
  if (has_own_small_reference() && small_reference_image_.empty()) return;
  count_cost();
  if (!with_reference_) reference_image_.clear();  // compiled to count with, if at all
  request::SetProblem problem;
  problem.problem = setup_.plan;
  problem.timed = setup_.timed;
  if (!with_reference_)
    for (ReferencePlan& reference : problem.problem.references) reference.recorded.clear();
  problem.lab_image = std::move(lab_image_);
  if (setup_.small && with_reference_) {
    problem.small = setup_.small->plan;
    problem.small_reference_image = has_own_small_reference() ? std::move(small_reference_image_) : reference_image_;
  }
  problem.reference_image = std::move(reference_image_);
  rig_.set_problem(problem);
  data_ = std::move(problem);
  ready_ = true;
}

namespace {

/// Memory, pace and limits were planned with the formula.
void require_cost(const SourceLocation& where, const std::string& kernel, const std::string& what, double counted,
                  double most, const std::string& title) {
  const auto refuse = [&](const std::string& why) {
    throw SpecError(where, fmt::format("{} of [cost] {}", kernel, why));
  };
  if (std::isnan(counted)) refuse(fmt::format("wrote no number of {} for {}: NaN, or nothing at all", what, title));
  if (std::isinf(counted) || counted < 0) refuse(fmt::format("counted {} {} for {}", counted, what, title));
  if (counted > most)
    refuse(fmt::format("counted {0:.17g} {1} for {2}, but the formula `{1}` promises at most {3:.17g}", counted, what,
                       title, most));
}

}  // namespace

/// Before any worker is told the problem: how much memory it rotates through depends on what a run touches.
void ProblemLoader::count_cost() {
  if (!setup_.count || rig_.device().is_scripted) return;
  CostCount& count = *setup_.count;
  request::CountCost asked{setup_.plan, lab_image_, reference_image_, count.launch};
  asked.problem.references.clear();
  asked.problem.library_gemm.clear();
  asked.problem.flops = count.flops;
  asked.problem.bytes = count.bytes;
  asked.problem.minimum_us = 0;
  const SourceLocation& where = rig_.folder().family.count_cost->where;
  reply::CostCounted found;
  try {
    found = rig_.runner().count_cost(asked);
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    throw Error(fmt::format("{}: {} of [cost] failed: {}", where.text(), count.launch.kernel, error.what()));
  }
  const std::string title = setup_.problem.title();
  require_cost(where, count.launch.kernel, "flops", found.flops, count.flops, title);
  require_cost(where, count.launch.kernel, "bytes", found.bytes, count.bytes, title);
  setup_.plan.flops = found.flops;
  setup_.plan.bytes = found.bytes;
  setup_.plan.minimum_us = fastest_possible_us(setup_.problem, setup_.plan, rig_.device());
  count.counted = true;
}

void ProblemLoader::load() {
  for (begin(); !ready_;) {
    rig_.compilers().step();
    if (step()) return;
    rig_.wait();
  }
}

std::vector<std::string> tensor_texts(const ProblemPlan& plan) {
  std::vector<std::string> texts;
  for (const Tensor& tensor : plan.tensors) {
    std::vector<std::int64_t> shape = tensor.shape;
    if (tensor.complex) shape.back() /= 2;
    const DType dtype = tensor.complex ? DType::complex64 : tensor.dtype;
    texts.push_back(fmt::format("{} {} {} {}", tensor.name, name(tensor.role), name(dtype), fmt::join(shape, "x")));
  }
  return texts;
}

}  // namespace kerlab::session
