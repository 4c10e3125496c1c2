#include "session/regress/regress_kernel.h"

#include <algorithm>

#include "base/hash.h"
#include "base/utc_time.h"
#include "session/find/shipped.h"
#include "session/run/modelled.h"
#include "session/run/space.h"

namespace kerlab::session {

namespace {

/// Grows when an emulated device counts the same run differently.
constexpr int kCountsVersion = 1;

std::string with_dashes(std::string text) {
  for (char& c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                       c == '_' || c == '=' || c == '-';
    if (!plain) c = '-';
  }
  return text;
}

/// Errors of looking something up become the reason why there is nothing to compare with.
template <typename Work>
auto comparable(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const NotComparable&) {
    throw;
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage) throw;
    throw NotComparable(error.what());
  }
}

}  // namespace

RegressKernel make_kernel(const Problem& problem, const Variant& variant, const Configuration& configuration,
                          const Rig& rig) {
  RegressKernel kernel;
  kernel.problem = problem;
  kernel.source = {&variant, read_kernel_source(variant)};
  kernel.configuration = configuration;
  kernel.candidate =
      make_candidate(rig.folder().family, kernel.source, 0, configuration, problem, rig.device(), rig.toolchain());
  return kernel;
}

RegressKernel todays_kernel(const Baseline& baseline, const Rig& rig) {
  return comparable([&] {
    const KernelFolder& folder = rig.folder();
    const Variant& variant = find_variant(folder, baseline.variant);
    const Problem problem = make_problem(folder.family, request_of_key(folder.family, baseline.problem));
    if (std::string reason = unsupported_reason(variant, problem, rig.device()); !reason.empty())
      throw NotComparable(fmt::format("{} no longer does {}: {}", variant.name, problem.title(), reason));
    const Configuration configuration = parse_configuration(variant, baseline.configuration);
    if (const std::string text = configuration_text(variant, configuration); text != baseline.configuration)
      throw NotComparable(fmt::format("the parameters of {} are others: it was {}, today it is {}", variant.name,
                                      baseline.configuration, text));
    if (const std::string broken = violated_constraint(variant, problem, rig.device(), configuration); !broken.empty())
      throw NotComparable(fmt::format("{} {} is no longer valid: {}", variant.name, baseline.configuration, broken));
    RegressKernel kernel = make_kernel(problem, variant, configuration, rig);
    const std::vector<std::string> tensors =
        tensor_texts(instantiate_reference(folder.family, problem, rig.device()).plan);
    if (tensors != baseline.tensors)
      throw NotComparable(fmt::format("the tensors of {} are others: they were {}, today they are {}",
                                      folder.family.name, fmt::join(baseline.tensors, ", "), fmt::join(tensors, ", ")));
    return kernel;
  });
}

TrialCandidate stored_candidate(const Baseline& baseline, const Rig& rig) {
  TrialCandidate candidate;
  candidate.options = baseline.options;
  candidate.plan = baseline.plan;
  candidate.label = fmt::format("{} {} (baseline)", baseline.variant, baseline.configuration);
  for (const Variant& variant : rig.folder().variants)
    if (variant.name == baseline.variant) candidate.nondeterministic = !variant.nondeterministic.empty();
  Trial& trial = candidate.trial;
  trial.family = baseline.family;
  trial.variant = baseline.variant;
  trial.configuration = baseline.configuration;
  trial.problem = baseline.problem;
  trial.dtype = baseline.dtype;
  trial.source_hash = baseline.source_hash;
  trial.toolchain = rig.toolchain();
  trial.device_class = rig.device().device_class();
  trial.device_kind = name(rig.device().kind);
  trial.check_version = kCheckVersion;
  for (const Launch& launch : candidate.plan.launches)
    trial.threads =
        std::max<std::int64_t>(trial.threads, std::int64_t{launch.block.x} * launch.block.y * launch.block.z);
  return candidate;
}

bool measures_time(const DeviceInfo& device) {
  return device.has_clock;
}

bool same_code(const Baseline& baseline, const TrialCandidate& today) {
  return baseline.source_hash == today.trial.source_hash && baseline.options == today.options &&
         baseline.plan == today.plan;
}

std::string check_identity(const ProblemSetup& setup, const Rig& rig) {
  const auto data = [](ProblemPlan plan) {
    plan.minimum_us = 0;  // what it is timed against is no part of its check
    plan.library_gemm.clear();
    for (ReferencePlan& reference : plan.references)
      for (RecordedFiles& files : reference.recorded) files = {{}, {}, files.digest};  // wherever they lie
    return plan;
  };
  request::SetProblem problem;
  problem.problem = data(setup.plan);
  if (setup.count) {  // the same before it was counted
    problem.problem.flops = setup.count->flops;
    problem.problem.bytes = setup.count->bytes;
  }
  if (setup.small) problem.small = data(setup.small->plan);
  FieldHasher hasher;
  hasher.field("check", fmt::format("{}", kCheckVersion));
  hasher.field("problem", digest(encode(Request{std::move(problem)})));
  hasher.field("reference", read_kernel_source(rig.folder().family).hash);
  hasher.field("lab", read_lab_source().hash);
  return hasher.hex();
}

RegressVerdict verdict_of(TrialStatus status) {
  switch (status) {
    case TrialStatus::unsupported:
      return RegressVerdict::inconclusive;
    case TrialStatus::compile_timeout:
    case TrialStatus::compiler_crash:
    case TrialStatus::out_of_memory:
    case TrialStatus::worker_crash:
    case TrialStatus::interrupted:
      return RegressVerdict::failed;
    default:
      return RegressVerdict::wrong;
  }
}

std::string counted_by(const DeviceInfo& device) {
  if (measures_time(device)) return "";
  return fmt::format("counts-{} {}", kCountsVersion, kModelProtocol);
}

std::string baseline_key(const Problem& problem, const Family& family, const Variant& variant,
                         const DeviceInfo& device) {
  const std::string kind = device.is_hardware ? "" : device.is_scripted ? "script-" : "emu-";
  std::string kernel = variant.name + problem.title().substr(problem.family.size());
  for (std::size_t i = 0; i < problem.scalars.size(); ++i) {
    const auto& [name, value] = problem.scalars[i];
    if (!problem.quiet.contains(name) && value != family.scalars[i].default_value)
      kernel += fmt::format(" {}={}", name, value);
  }
  return fmt::format("{}{}/{}/{}", kind, shipped_device(device), with_dashes(problem.family), with_dashes(kernel));
}

Baseline make_baseline(const RegressKernel& kernel, const Evaluation& result, const ProblemSetup& setup,
                       const Rig& rig) {
  const TrialCandidate& candidate = result.candidate;
  const DeviceInfo& device = rig.device();
  Baseline baseline;
  baseline.key = baseline_key(kernel.problem, rig.folder().family, *kernel.source.variant, device);
  baseline.family = rig.folder().family.name;
  baseline.variant = kernel.source.variant->name;
  baseline.configuration = candidate.trial.configuration;
  baseline.problem = kernel.problem.key();
  baseline.title = kernel.problem.title();
  baseline.dtype = name(kernel.problem.dtype);
  baseline.device_class = device.device_class();
  baseline.device_kind = name(device.kind);
  baseline.recorded = utc_date();
  baseline.source_hash = kernel.source.source.hash;
  baseline.toolchain = rig.toolchain();
  baseline.options = candidate.options;
  baseline.tensors = tensor_texts(setup.plan);
  baseline.plan = candidate.plan;
  baseline.check_identity = check_identity(setup, rig);
  baseline.counted_by = counted_by(device);
  baseline.error_ratio = candidate.trial.error_ratio;
  baseline.figures = figures_of(result, device);
  return baseline;
}

}  // namespace kerlab::session
