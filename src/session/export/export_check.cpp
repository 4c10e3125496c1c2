#include "session/export/export_check.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "plan/device_facts.h"
#include "session/run/candidate.h"
#include "session/run/device_class.h"
#include "session/run/space.h"

namespace kerlab::session {

namespace {

/// The device that the file was made for, as far as its plans depend on it.
DeviceInfo device_of(const ExportIdentity& identity) {
  DeviceInfo device = device_of_class(identity.device_class);
  const std::map<std::string, std::int64_t> facts(identity.facts.begin(), identity.facts.end());
  device_facts(device, [&](const char* name, auto& member) {
    if (const auto fact = facts.find(name); fact != facts.end())
      member = static_cast<std::remove_reference_t<decltype(member)>>(fact->second);
  });
  return device;
}

class ExportComparison {
 public:
  ExportComparison(const ExportIdentity& identity, const RigOptions& rig, const Database* database)
      : identity_(identity), rig_(rig), database_(database), device_(device_of(identity)) {}

  ExportCheck run() {
    differs("toolchain", identity_.toolchain, CompilerPool(compiler_options(rig_)).toolchain());
    if (identity_.check_version != kCheckVersion)
      differs("version of the checks", fmt::format("{}", identity_.check_version), fmt::format("{}", kCheckVersion));
    driver();
    const KernelFolder folder = open_catalogue(rig_.kernels).find(identity_.target);
    for (const ExportIdentity::Shape& shape : identity_.shapes) {
      try {
        kernel(folder, shape);
      } catch (const Error& error) {
        if (error.code() == ExitCode::interrupted) throw;
        stale("{}: {}", shape.problem, error.what());
      }
      decision(shape);
    }
    return std::move(check_);
  }

 private:
  template <typename... Values>
  void stale(fmt::format_string<Values...> format, Values&&... values) {
    std::string text = fmt::format(format, std::forward<Values>(values)...);
    if (std::find(check_.stale.begin(), check_.stale.end(), text) == check_.stale.end())
      check_.stale.push_back(std::move(text));
  }
  void differs(const char* what, const std::string& then, const std::string& now) {
    if (then != now) stale("the {} was {}, it is {}", what, then, now);
  }

  void driver() {
    if (identity_.driver.empty()) return;
    try {
      CandidateRunner runner(worker_options(rig_));
      runner.spawn();
      const DeviceInfo& here = runner.greet();
      if (here.device_class() == identity_.device_class) return differs("driver", identity_.driver, here.driver);
    } catch (const Error&) {
      // no device at all: said below
    }
    check_.notes.push_back(
        fmt::format("no {} here: its driver is not compared", device_.name.empty() ? "such device" : device_.name));
  }

  /// What would be compiled and launched today.
  void kernel(const KernelFolder& folder, const ExportIdentity::Shape& shape) {
    const Variant& variant = find_variant(folder, shape.variant);
    const auto [at, added] = sources_.try_emplace(variant.name);
    if (added) at->second = {&variant, read_kernel_source(variant)};
    if (at->second.source.hash != shape.source_hash)
      return stale("{}: its source has changed", variant.file.filename().replace_extension(".cu").string());
    const Problem problem = make_problem(folder.family, request_of_key(folder.family, shape.problem));
    const Configuration configuration = parse_configuration(variant, shape.configuration);
    if (const std::string why = violated_constraint(variant, problem, device_, configuration); !why.empty())
      return stale("{}: {} {} is no longer valid: {}", problem.title(), shape.variant, shape.configuration, why);
    const TrialCandidate today = make_candidate(folder.family, at->second, 0, configuration, problem, device_, "");
    if (today.trial.options != shape.options)
      stale("{}: {} is compiled with other options or launched otherwise", problem.title(), today.label);
  }

  void decision(const ExportIdentity::Shape& shape) {
    if (database_ == nullptr) return;
    const auto decision = database_->winner(shape.problem, identity_.device_class);
    const auto trial = decision ? database_->trial(decision->trial) : std::nullopt;
    if (!trial || (trial->variant == shape.best_variant && trial->configuration == shape.best_configuration)) return;
    for (const Measurement& measurement : database_->measurements(trial->id))
      if (measurement.id == decision->measurement)
        stale("{}: decided since: {} {}, {} us (the file's best: {} us, and what it has takes {} us)", shape.problem,
              trial->variant, trial->configuration, format_us(measurement.median_us), format_us(shape.best_us),
              format_us(shape.us));
  }

  const ExportIdentity& identity_;
  const RigOptions& rig_;
  const Database* database_;
  DeviceInfo device_;
  std::map<std::string, VariantSource> sources_;
  ExportCheck check_;
};

}  // namespace

ExportCheck check_export(const ExportIdentity& identity, const RigOptions& rig, const Database* database) {
  return ExportComparison(identity, rig, database).run();
}

}  // namespace kerlab::session
