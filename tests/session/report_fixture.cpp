#include "session/report_fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "session/run/device_class.h"
#include "session/run/space.h"
#include "stats/samples.h"

namespace kerlab::testing {

namespace {

ClockKind clock_of(const MadeUp& what) {
  return what.device_kind == "emulated" ? ClockKind::modelled
         : what.device_kind == "script" ? ClockKind::scripted
                                        : ClockKind::measured;
}

/// 0 to 1, a pure function of a text.
double chance(const std::string& text) {
  std::uint64_t state = 1469598103934665603ULL;
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return static_cast<double>((state ^ (state >> 29)) % 1'000'003) / 1'000'003;
}

std::string instant(int day, double seconds) {
  const int whole = static_cast<int>(seconds);
  return fmt::format("2026-11-{:02}T{:02}:{:02}:{:06.3f}Z", day, 8 + whole / 3600, whole / 60 % 60,
                     seconds - whole / 60 * 60);
}

struct Configured {
  std::string variant, text;
};

/// Valid configurations of the problem, spread over the variants that have any.
std::vector<Configured> configurations(const KernelFolder& folder, const Problem& problem, const DeviceInfo& device,
                                       std::size_t most) {
  std::vector<std::vector<Configured>> by_variant;
  for (const Variant& variant : folder.variants) {
    if (!variant.tune || !unsupported_reason(variant, problem, device).empty()) continue;
    auto& list = by_variant.emplace_back();
    for (const Configuration& one : enumerate(variant, problem, device, {20'000, 4'000, 1}).valid)
      list.push_back({variant.name, configuration_text(variant, one)});
    std::sort(list.begin(), list.end(),
              [](const Configured& a, const Configured& b) { return chance(a.text) < chance(b.text); });
  }
  std::vector<Configured> chosen;
  for (std::size_t i = 0; chosen.size() < most; ++i) {
    const std::size_t before = chosen.size();
    for (const auto& list : by_variant)
      if (i < list.size() && chosen.size() < most) chosen.push_back(list[i]);
    if (chosen.size() == before) break;
  }
  return chosen;
}

/// Slower by so much for every value: some parameters matter more than others.
double made_up_us(const Configured& one, double roof_us) {
  // The simple kernels have few parameters, and are slow.
  const auto parameters = static_cast<double>(std::count(one.text.begin(), one.text.end(), '='));
  double us = 1.1 * roof_us * (1 + 0.6 * chance(one.variant) + 20 / (1 + parameters * parameters));
  std::istringstream words(one.text);
  for (std::string word; words >> word;) {
    const double weight = std::pow(chance(one.variant + word.substr(0, word.find('='))), 3);
    us *= 1 + weight * chance(one.variant + word);
  }
  return us * (1 + 0.02 * chance(one.text));
}

struct Ending {
  TrialStatus status;
  const char* message;
};
Ending ending(const Configured& one) {
  const double share = chance("end " + one.text);
  if (share < 0.04) return {TrialStatus::rejected, "237568 bytes of shared memory, more than the 232448 of a block"};
  if (share < 0.06) return {TrialStatus::wrong, "D: 31 of 16777216 elements beyond the bound, first at [4095, 17]"};
  if (share < 0.07) return {TrialStatus::compile_error, "tile.cu(41): error: identifier \"x\" is undefined"};
  if (share < 0.075) return {TrialStatus::illegal_address, "kernel 'gemm': an illegal memory access"};
  return {TrialStatus::passed, ""};
}

class Maker {
 public:
  Maker(Database& database, const MadeUp& what) : database_(database), what_(what) {
    database_.store_source("made-up", "tile.cu", "__global__ void k() {}\n");
    device_ = device_of_class(what.device_class);
    if (device_.name.empty()) throw Error("no device class: " + what.device_class);
  }

  void problem(const std::string& key, std::size_t trials) {
    const KernelFolder folder = open_catalogue({}).find(key.substr(0, key.find(' ')));
    const Problem problem = make_problem(folder.family, request_of_key(folder.family, key));
    const auto chosen = configurations(folder, problem, device_, trials);
    roof_us_ = std::max(flops_of(folder.family, problem) / 990e12, bytes_of(folder.family, problem) / 4.8e12) * 1e6;
    stored_.clear();
    const std::size_t half = chosen.size() / 2;
    session(problem, {chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(half)}, 20);
    session(problem, {chosen.begin() + static_cast<std::ptrdiff_t>(half), chosen.end()}, 21);
  }

  void regress() {
    static constexpr const char* kVerdicts[] = {"identical", "passed",    "passed", "improved",
                                                "passed",    "regressed", "passed"};
    std::vector<RegressRun> runs;
    for (int i = 0; i < what_.regress_runs; ++i) {
      RegressRun run;
      run.name = "main";
      run.key = fmt::format("h200-132sm/gemm/variant_{}-4096x4096x4096-bf16{}", i % 12, what_.hostile);
      run.device_class = what_.device_class;
      run.verdict = kVerdicts[(i * 5 + i / 12) % 7];
      run.ratio = run.verdict == std::string("regressed") ? 1.07 : 1.0 + 0.004 * chance(std::to_string(i));
      run.low = run.ratio - 0.003;
      run.high = run.ratio + 0.003;
      run.error_ratio = 0.2;
      run.why = run.verdict == std::string("regressed") ? "7.0 % slower" : "";
      run.created = instant(1 + i / 12, i);
      runs.push_back(run);
    }
    std::vector<RegressRun*> rows;
    for (RegressRun& run : runs) rows.push_back(&run);
    database_.put(rows);
  }

 private:
  Trial trial(const Problem& problem, const Configured& one, std::int64_t session, double seconds, int day) {
    const Ending end = ending(one);
    Trial trial;
    trial.family = problem.family;
    trial.variant = one.variant + what_.hostile;
    trial.configuration = one.text;
    trial.problem = problem.key();
    trial.dtype = name(problem.dtype);
    trial.source_hash = "made-up";
    trial.toolchain = "NVRTC 13.0" + what_.hostile;
    trial.device_class = what_.device_class;
    trial.device_kind = what_.device_kind;
    trial.check_version = kCheckVersion;
    trial.status = end.status;
    trial.message = end.message + (end.status == TrialStatus::passed ? "" : what_.hostile);
    trial.session = session;
    trial.registers = 64 + 8 * static_cast<std::int64_t>(24 * chance("r" + one.text));
    trial.shared_bytes = 1024 * static_cast<std::int64_t>(16 + 200 * chance("s" + one.text));
    trial.threads = 256;
    trial.blocks_per_sm = 1;
    trial.error_ratio =
        end.status == TrialStatus::wrong ? 3 + 40 * chance(one.text) : 0.02 + 0.4 * chance("e" + one.text);
    if (end.status != TrialStatus::wrong && end.status != TrialStatus::passed) trial.error_ratio = 0;
    trial.check_detail = fmt::format(
        R"([{{"recipe":"normal v1 seed 1","output":"D","passed":true,"error_ratio":{:.4f}}},{{"recipe":"large v1 seed 1","output":"D","passed":true,"error_ratio":{:.4f}}}])",
        0.7 * trial.error_ratio, trial.error_ratio);
    trial.created = instant(day, seconds);
    seal(trial);
    return trial;
  }

  Measurement measurement(double us, TimingStage stage, int samples, const std::string& created) {
    Measurement m;
    m.protocol = "events-1";
    m.stage = stage;
    m.recipe = "normal v1 seed 1";
    m.cache = CacheState::cold;
    m.clock = clock_of(what_);
    m.device_uuid = "GPU-made-up";
    m.driver = "580.159.04";
    m.conditions = "652 W, 61 C" + what_.hostile;
    for (int i = 0; i < samples; ++i)
      m.samples_us.push_back(us *
                             (1 + 0.004 * chance(fmt::format("{} {} {}", us, name(stage), i)) * (i % 17 == 0 ? 4 : 1)));
    const Summary summary = *summarize(m.samples_us);
    m.median_us = summary.median;
    m.low_us = summary.low;
    m.high_us = summary.high;
    m.mad_us = summary.mad;
    m.minimum_us = summary.minimum;
    m.sm_clock_mhz = 1750 + 100 * chance(created);
    m.created = created;
    return m;
  }

  struct Timed {
    Trial trial;
    double us;
  };

  void session(const Problem& problem, const std::vector<Configured>& chosen, int day) {
    SessionRecord record;
    record.command = "kerlab tune " + problem.family + what_.hostile;
    record.version = "0.1.0";
    record.purpose = SessionPurpose::tune;
    record.device = "cuda:0 NVIDIA H200";
    record.created = instant(day, 0);
    const std::int64_t id = database_.begin_session(record);
    std::vector<Trial> trials;
    trials.reserve(chosen.size());
    std::vector<Measurement> measurements;
    measurements.reserve(chosen.size());
    std::vector<Trial*> rows;
    std::vector<std::pair<const Trial*, Measurement*>> timed;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const double seconds = 2 + 0.06 * static_cast<double>(i);
      trials.push_back(trial(problem, chosen[i], id, seconds, day));
      rows.push_back(&trials.back());
      if (trials.back().status != TrialStatus::passed) continue;
      measurements.push_back(
          measurement(made_up_us(chosen[i], roof_us_), TimingStage::screen, 3, instant(day, seconds)));
      measurements.back().session = id;
      timed.emplace_back(rows.back(), &measurements.back());
    }
    database_.put(rows, timed);
    for (const auto& [one, time] : timed) stored_.push_back({*one, time->median_us});
    finals(problem, id, day, 4 + 0.06 * static_cast<double>(chosen.size()));
    database_.end_session(id, SessionState::finished, 6 + 0.06 * static_cast<double>(chosen.size()));
  }

  void finals(const Problem& problem, std::int64_t session, int day, double seconds) {
    std::sort(stored_.begin(), stored_.end(), [](const Timed& a, const Timed& b) { return a.us < b.us; });
    std::vector<Measurement> times;
    for (std::size_t i = 0; i < std::min<std::size_t>(8, stored_.size()); ++i) {
      times.push_back(measurement(stored_[i].us * (1 + 0.004 * chance(stored_[i].trial.key)), TimingStage::final,
                                  what_.device_kind == "emulated" ? 1 : 60, instant(day, seconds)));
      times.back().trial = stored_[i].trial.id;
      times.back().session = session;
      database_.put(times.back());
    }
    if (times.empty()) return;
    const auto best = std::min_element(times.begin(), times.end(), [](const Measurement& a, const Measurement& b) {
      return a.median_us < b.median_us;
    });
    if (what_.device_kind == "cuda") library(*best);
    Decision decision;
    decision.session = session;
    decision.problem = problem.key();
    decision.dtype = name(problem.dtype);
    decision.family = problem.family;
    decision.device_class = what_.device_class;
    decision.trial = best->trial;
    decision.measurement = best->id;
    decision.tie_set = std::to_string(best->trial);
    decision.candidates = static_cast<std::int64_t>(stored_.size());
    decision.created = instant(day, seconds + 1);
    database_.put(decision);
  }

  void library(const Measurement& ours) {
    LibraryTime time;
    time.measurement = ours.id;
    time.label = "cuBLASLt 13.1.0, best of 16 algorithms (no. 3)" + what_.hostile;
    time.ratio = 0.9 + 0.2 * chance(fmt::format("{}", ours.median_us));
    time.ratio_low = time.ratio - 0.004;
    time.ratio_high = time.ratio + 0.005;
    time.median_us = ours.median_us * time.ratio;
    time.low_us = 0.998 * time.median_us;
    time.high_us = 1.002 * time.median_us;
    database_.put(std::vector<LibraryTime*>{&time});
  }

  Database& database_;
  const MadeUp& what_;
  DeviceInfo device_;
  double roof_us_ = 1;
  std::vector<Timed> stored_;
};

}  // namespace

void make_up(Database& database, const MadeUp& what) {
  Maker maker(database, what);
  for (std::size_t i = 0; i < what.problems.size(); ++i)
    maker.problem(what.problems[i], i == 0 ? what.trials : std::max<std::size_t>(what.trials / 10, 20));
  if (what.regress_runs > 0) maker.regress();
}

}  // namespace kerlab::testing
