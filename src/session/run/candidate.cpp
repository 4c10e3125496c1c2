#include "session/run/candidate.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "device/emu/image.h"
#include "plan/kernel_name.h"
#include "plan/plan_identity.h"
#include "session/shapes/few_sms.h"
#include "spec/recordings.h"
#include "spec/space/unsupported.h"
#include "stats/samples.h"

namespace kerlab::session {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += text.empty() ? word : " " + word;
  return text;
}

/// None where a formula has no value for the problem (an empty one, say): times are then modelled of what was counted.
PredictedCounts predictions(const Variant& variant, const Problem& problem, const Configuration& configuration,
                            const DeviceInfo& device) {
  try {
    return predicted_counts(variant, problem, configuration, device);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

TrialCandidate make_candidate(const Family& family, const VariantSource& source, std::size_t index,
                              const Configuration& configuration, const Problem& problem, const DeviceInfo& device,
                              const std::string& toolchain) {
  const Variant& variant = *source.variant;
  Instance instance = instantiate(family, variant, problem, configuration, device);
  TrialCandidate candidate;
  candidate.variant = index;
  candidate.configuration = configuration;
  candidate.options = base_options(device.arch());
  candidate.options.insert(candidate.options.end(), instance.defines.begin(), instance.defines.end());
  candidate.options.insert(candidate.options.end(), variant.options.begin(), variant.options.end());
  candidate.plan = std::move(instance.plan);
  candidate.nondeterministic = !variant.nondeterministic.empty();
  if (device.executes_samples) candidate.predicted = predictions(variant, problem, configuration, device);

  Trial& trial = candidate.trial;
  trial.family = family.name;
  trial.variant = variant.name;
  trial.configuration = configuration_text(variant, configuration);
  trial.problem = problem.key();
  trial.dtype = name(problem.dtype);
  trial.source_hash = source.source.hash;
  // The launch plan is part of a trial's identity as much as the code is. Its digest rides with the options.
  trial.options = joined(candidate.options) + " plan:" + plan_digest(candidate.plan);
  // Where a recording is another, so is what was found.
  if (const std::string recorded = recordings_digest(family, problem); !recorded.empty())
    trial.options += " recordings:" + recorded;
  trial.toolchain = toolchain;
  trial.device_class = device.device_class();
  trial.device_kind = name(device.kind);
  trial.check_version = kCheckVersion;
  trial.accuracy = accuracy_text(candidate.plan.accuracy);
  for (const Launch& launch : candidate.plan.launches) {
    trial.threads =
        std::max<std::int64_t>(trial.threads, std::int64_t{launch.block.x} * launch.block.y * launch.block.z);
  }
  candidate.label = label_text(trial);
  seal(trial);
  return candidate;
}

LaunchPlan small_plan(const Family& family, const Variant& variant, const TrialCandidate& candidate,
                      const ProblemSetup& setup, const DeviceInfo& device) {
  if (!setup.small) return {};
  const Problem& small = setup.small->problem;
  const auto few = device_of_few(family, variant, small, candidate.configuration, device);
  if (!few) return {};
  const Instance there = instantiate(family, variant, setup.problem, candidate.configuration, device);
  Instance here = instantiate(family, variant, small, candidate.configuration, *few);
  if (here.defines == there.defines) return std::move(here.plan);
  // What the program is may depend on the multiprocessors.
  if (*few == device || !is_valid_on(variant, small, device, candidate.configuration)) return {};
  here = instantiate(family, variant, small, candidate.configuration, device);
  return here.defines == there.defines ? std::move(here.plan) : LaunchPlan{};
}

Bytes loadable_image(CompileResult& compiled, const DeviceInfo& device) {
  if (!device.loads_ptx) return std::move(compiled.cubin);
  return emu::emulated_image(compiled.ptx, compiled.kernels);
}

std::string pack_source(const SourceBundle& source) {
  std::string packed = fmt::format("== {} {}\n{}\n", source.text.size(),
                                   std::filesystem::path(source.path).filename().string(), source.text);
  for (const Header& header : source.headers)
    packed += fmt::format("== {} {}\n{}\n", header.text.size(), header.name, header.text);
  return packed;
}

SourceBundle unpack_source(const std::string& packed, const std::string& path, const std::string& hash) {
  SourceBundle source;
  source.path = path;
  source.hash = hash;
  std::size_t at = 0;
  for (bool first = true; at < packed.size(); first = false) {
    const std::size_t end = packed.find('\n', at);
    const std::size_t space = packed.find(' ', at + 3);
    if (packed.compare(at, 3, "== ") != 0 || end == std::string::npos || space > end) {
      throw Error(fmt::format("stored source {} is damaged", hash));
    }
    const std::size_t size = std::stoull(packed.substr(at + 3, space - at - 3));
    std::string text = packed.substr(end + 1, size);
    if (first) {
      source.text = std::move(text);
    } else {
      source.headers.push_back({packed.substr(space + 1, end - space - 1), std::move(text)});
    }
    at = end + 1 + size + 1;
  }
  return source;
}

void record_resources(TrialCandidate& candidate, const std::vector<KernelResources>& resources) {
  Trial& trial = candidate.trial;
  for (const Launch& launch : candidate.plan.launches) {
    const KernelResources* kernel = find_resources(resources, launch.kernel);
    if (kernel == nullptr) continue;
    trial.registers = std::max<std::int64_t>(trial.registers, kernel->registers);
    trial.spill_bytes = std::max<std::int64_t>(trial.spill_bytes, kernel->spill_bytes);
    trial.shared_bytes =
        std::max<std::int64_t>(trial.shared_bytes, kernel->static_shared + std::int64_t{launch.dynamic_shared});
    if (kernel->blocks_per_sm > 0) {
      trial.blocks_per_sm = trial.blocks_per_sm == 0
                                ? kernel->blocks_per_sm
                                : std::min<std::int64_t>(trial.blocks_per_sm, kernel->blocks_per_sm);
    }
  }
}

std::string measured_recipe(const Recipe& recipe) {
  return fmt::format("{} v{} seed {}", recipe.name, recipe.version, recipe.seed);
}

/// "652 W, 61 C, power cap, 2 rounds taken again, host's clock 1.002"
std::string conditions_text(const SampleSet& samples) {
  std::vector<std::string> parts;
  const DeviceConditions& seen = samples.conditions;
  if (seen.watts > 0) parts.push_back(fmt::format("{:.0f} W", seen.watts));
  if (seen.celsius > 0) parts.push_back(fmt::format("{:.0f} C", seen.celsius));
  if (const std::string reasons = clock_reasons(seen.reasons); !reasons.empty()) parts.push_back(reasons);
  if (samples.discarded > 0) parts.push_back(fmt::format("{} rounds taken again", samples.discarded));
  if (samples.host_ratio > 0) parts.push_back(fmt::format("host's clock {:.3f}", samples.host_ratio));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::optional<Measurement> make_measurement(const SampleSet& samples, TimingStage stage, const Recipe& recipe,
                                            const DeviceInfo& device) {
  const std::optional<Summary> summary = summarize(samples.samples_us);
  if (!summary) return std::nullopt;
  Measurement measurement;
  measurement.protocol = samples.protocol;
  measurement.stage = stage;
  measurement.recipe = measured_recipe(recipe);
  measurement.cache = samples.cache;
  measurement.clock = samples.clock;
  measurement.device_uuid = device.uuid;
  measurement.driver = device.driver;
  measurement.median_us = summary->median;
  measurement.low_us = summary->low;
  measurement.high_us = summary->high;
  measurement.mad_us = summary->mad;
  measurement.minimum_us = summary->minimum;
  measurement.sm_clock_mhz = median(samples.sm_clock_mhz).value_or(0);
  measurement.samples_us = samples.samples_us;
  measurement.shared_with = name_all(samples.neighbours);
  measurement.conditions = conditions_text(samples);
  return measurement;
}

}  // namespace kerlab::session
