// Every value of every parameter of every variant that is shipped is executed at least once on the emulated device, and
// gives the right result. A value that no configuration of any small problem can take is dead: that fails too.
#include <fmt/format.h>

#include "catch.h"
#include "locations.h"
#include "session/covering.h"
#include "session/run/single.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::size_t kParts = 16;  // test cases, which run side by side
constexpr int kAttempts = 4;        // where what was chosen is turned down before it runs (occupancy, serialised wgmma)

/// One family on the emulated device.
class FamilyLab {
 public:
  explicit FamilyLab(const std::string& family)
      : rig_(options(family)), problems_(small_problems(rig_.folder().family)) {}

  [[nodiscard]] const KernelFolder& folder() const { return rig_.folder(); }

  /// What is wrong with the variant, a line each.
  std::string failures(const Variant& variant, std::optional<DType> dtype = std::nullopt) {
    std::set<Value> wanted = all_values(variant);
    if (dtype) keep_possible(variant, *dtype, wanted);
    std::string lines;
    const VariantSource source{&variant, read_kernel_source(variant)};
    for (const Problem& problem : problems_) {
      if (wanted.empty()) break;
      if (!dtype || problem.dtype == *dtype) lines += run(source, problem, wanted);
    }
    if (!wanted.empty())
      lines += fmt::format("{}: no small problem executes {}{}\n", variant.name, values_text(variant, wanted),
                           last_reason_.empty() ? "" : " (" + last_reason_ + ")");
    return lines;
  }

 private:
  static RigOptions options(const std::string& family) {
    RigOptions options;
    options.target = family;
    options.device = "emu:h200";
    options.program = kerlab_program();
    options.jobs = 1;
    return options;
  }

  /// Takes values out that this dtype alone cannot have.
  void keep_possible(const Variant& variant, DType dtype, std::set<Value>& wanted) const {
    std::set<Value> missing = wanted;
    for (const Problem& problem : problems_)
      if (problem.dtype == dtype) cover(variant, problem, rig_.device(), missing);
    for (const Value& value : missing) wanted.erase(value);
  }

  /// Executes what covers the wanted values on this problem, and takes out those that were executed.
  std::string run(const VariantSource& source, const Problem& problem, std::set<Value>& wanted) {
    const Variant& variant = *source.variant;
    std::set<Configuration> banned;
    std::string lines;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::set<Value> left = wanted;
      const std::vector<Configuration> chosen = cover(variant, problem, rig_.device(), left, banned);
      if (chosen.empty()) break;
      load(problem);
      for (const Configuration& configuration : chosen) {
        const Trial trial = execute(source, configuration);
        if (trial.status == TrialStatus::rejected) {
          banned.insert(configuration);
          last_reason_ = trial.message;
          continue;
        }
        for (std::size_t p = 0; p < configuration.values.size(); ++p) wanted.erase({p, configuration.values[p]});
        if (trial.status != TrialStatus::passed)
          lines += fmt::format("{} {} {}: {} {}\n", problem.title(), variant.name,
                               configuration_text(variant, configuration), name(trial.status), trial.message);
      }
      if (banned.empty()) break;
    }
    return lines;
  }

  void load(const Problem& problem) {
    if (setup_ && setup_->problem.key() == problem.key()) return;
    setup_ = prepare_problem(rig_.folder(), problem, rig_.device());
    ProblemLoader(rig_, *setup_).load();
  }

  Trial execute(const VariantSource& source, const Configuration& configuration) {
    SingleOptions single;
    single.recipes = quick_recipes(setup_->plan);
    single.full = true;
    single.deadline = generous_deadline(rig_, *setup_, 10);
    return run_single(rig_, *setup_, source, configuration, single).candidate.trial;
  }

  Rig rig_;
  std::vector<Problem> problems_;
  std::optional<ProblemSetup> setup_;
  std::string last_reason_;
};

/// Every kParts-th variant of the catalogue.
void check_part(std::size_t part) {
  std::size_t index = 0;
  for (const std::string& family : open_catalogue({}).names()) {
    const std::size_t variants = open_catalogue({}).find(family).variants.size();
    if (family.empty() || variants == 0) continue;
    std::optional<FamilyLab> lab;
    for (std::size_t v = 0; v < variants; ++v) {
      if (index++ % kParts != part) continue;
      if (!lab) lab.emplace(family);
      const Variant& variant = lab->folder().variants[v];
      INFO(family << " " << variant.name);
      CHECK(lab->failures(variant) == "");
    }
  }
}

}  // namespace

// An eighth of the variants; the others are for the nightly tier, below.
TEST_CASE("emulated kernels: every value of every parameter, part 1", "[emulated][kernels]") {
  check_part(0);
}
TEST_CASE("emulated kernels: every value of every parameter, part 2", "[emulated][kernels]") {
  check_part(1);
}

TEST_CASE("emulated kernels: every value of every parameter in every dtype", "[.nightly]") {
  for (const std::string& family : open_catalogue({}).names()) {
    FamilyLab lab(family);
    for (const Variant& variant : lab.folder().variants)
      for (const DType dtype : lab.folder().family.dtypes) {
        INFO(family << " " << variant.name << " " << name(dtype));
        CHECK(lab.failures(variant, dtype) == "");
      }
  }
}

TEST_CASE("a covering takes every value that is valid, greedily, and passes banned configurations over", "[session]") {
  const KernelFolder folder = open_catalogue({}).find("softmax");
  const Variant& variant = find_variant(folder, "row_per_block");
  DeviceInfo device;
  device.cc_major = 9;
  device.threads_per_block = 1024;
  device.shared_per_block = 232448;
  const Problem problem = make_problem(folder.family, {{{"M", 5}, {"N", 1003}}, "fp32", {}, {}});
  std::set<Value> possible;
  const std::vector<Configuration> valid = enumerate(variant, problem, device).valid;
  for (const Configuration& configuration : valid)
    for (std::size_t p = 0; p < configuration.values.size(); ++p) possible.insert({p, configuration.values[p]});
  std::set<Value> left = all_values(variant);
  const std::size_t values = left.size();
  const std::vector<Configuration> chosen = cover(variant, problem, device, left);
  CHECK(values - left.size() == possible.size());
  CHECK(chosen.size() < possible.size());
  std::size_t widest = 0;
  for (const Parameter& parameter : variant.parameters) widest = std::max(widest, parameter.values.size());
  CHECK(chosen.size() <= 2 * widest);
  std::set<Value> again = all_values(variant);
  for (const Configuration& configuration : cover(variant, problem, device, again, {chosen.front()}))
    CHECK(configuration != chosen.front());
  std::set<Value> impossible = {{0, -1}};
  CHECK(cover(variant, problem, device, impossible).empty());
  CHECK(values_text(variant, impossible) == variant.parameters[0].name + "=-1");
}
