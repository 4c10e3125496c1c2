// Baselines of a device that measures time: a script's, so that it is known what is slower.

#include <fmt/format.h>

#include "session/regress/regress_fingerprint.h"
#include "session/regress_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// The old kernel and today's have the same label, but for " (baseline)" and " (baseline) as recorded".
class TimedRegress : public Regress {
 public:
  TimedRegress() {
    device = fixture.device();
    script("");
    const std::vector<RecordRow> rows = record();
    REQUIRE(rows.size() == 1);
    INFO(rows.front().error);
    REQUIRE(rows.front().recorded);
  }
  void script(const std::string& rules) { fixture.write_script(rules, "us = 100.0\nspread = 0.0\nnoise = 0.004\n"); }
};

std::string matching(const std::string& glob, double us) {
  return fmt::format("[[rule]]\nmatch = \"{}\"\nus = {}\nnoise = 0.004\n", glob, us);
}

bool notes_say(const RegressRow& row, const std::string& part) {
  for (const std::string& note : row.notes)
    if (note.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("regress: times are gated by running the old kernel beside today's", "[session][regress]") {
  TimedRegress regress;
  const Baseline baseline = regress.folder().read().baselines.front();
  REQUIRE(baseline.time);
  CHECK(baseline.time->median_us == Approx(100).epsilon(0.01));
  CHECK(baseline.time->clock == "scripted");
  CHECK_FALSE(baseline.time->cubin.empty());
  CHECK(regress.fixture.database().blob(baseline.time->cubin));
  const auto samples = find_samples(baseline.time->samples_digest, &regress.fixture.database(), {});
  REQUIRE(samples);
  CHECK(static_cast<std::int64_t>(samples->size()) == baseline.time->samples);
  CHECK(samples->front() == Approx(100).epsilon(0.02));

  const RegressReport same = regress.run();
  CHECK(code(same) == 0);
  CHECK(same.rows.front().verdict == RegressVerdict::passed);
  REQUIRE(same.rows.front().time);
  CHECK(same.rows.front().time->ratio == Approx(1).margin(0.005));
  CHECK(same.rows.front().time->toolchain_ratio);  // the recorded image was run as well
  REQUIRE_FALSE(same.notes.empty());
  CHECK_THAT(same.notes.back(), Catch::Contains("kernels against themselves"));

  regress.script(matching("simple A=2 B=2", 106));
  const RegressReport slower = regress.run();
  CHECK(code(slower) == 2);
  CHECK_THAT(slower.rows.front().why, Catch::Contains("% of time"));
  CHECK(slower.rows.front().time->low > 1.01);
  CHECK(regress.fixture.database().regress_runs("main", "", 1).front().ratio == Approx(1.06).margin(0.01));
  CHECK(code(regress.run([](RegressOptions& options) { options.margins.set("time=10%"); })) == 0);

  regress.script(matching("simple A=2 B=2", 90));
  CHECK(regress.row().verdict == RegressVerdict::improved);
}

TEST_CASE("regress: of what became slower both kernels are counted on the emulated device",
          "[session][regress][nvrtc]") {
  TimedRegress regress;
  regress.edit("simple.cu", "y[i] = a * x[i];", "{ y[i] = 1; __threadfence(); y[i] = a * x[i]; }");
  regress.script("[[rule]]\nmatch = \"simple A=2 B=2\"\nus = 106\nnoise = 0.004\n");
  const RegressRow row = regress.row();
  CHECK(row.verdict == RegressVerdict::regressed);
  CHECK(row.time->ratio == Approx(1.06).margin(0.01));
  CHECK(notes_say(row, "what it executes was counted on emu:"));
  REQUIRE_FALSE(row.lines.empty());
  CHECK_THAT(row.lines.front().place, Catch::Contains("simple.cu:"));
  CHECK(row.lines.front().after > row.lines.front().before);
  const auto stores = std::ranges::find(row.changes, "global_store_bytes", &FigureChange::name);
  REQUIRE(stores != row.changes.end());
  CHECK(stores->after == 2 * stores->before);
}

TEST_CASE("regress: a compiler that makes the old source slower is told from a slower source", "[session][regress]") {
  TimedRegress regress;
  regress.script(matching("*as recorded*", 90));
  const RegressRow row = regress.row();
  CHECK(row.verdict == RegressVerdict::passed);
  CHECK(notes_say(row, "slower than the image that was recorded"));
  const RegressRow strict = regress.row([](RegressOptions& options) { options.strict_toolchain = true; });
  CHECK(strict.verdict == RegressVerdict::regressed);
}

TEST_CASE("regress: images may lie in a folder instead of the database", "[session][regress]") {
  TimedRegress regress;
  const auto artifacts = [&](RegressOptions& options) { options.artifacts = regress.fixture.folder() / "artifacts"; };
  const Baseline baseline = regress.folder().read().baselines.front();
  const auto image = regress.fixture.database().blob(baseline.time->cubin);
  REQUIRE(image);
  std::filesystem::create_directories(regress.fixture.folder() / "artifacts");
  write_atomic(regress.fixture.folder() / "artifacts" / (baseline.time->cubin + ".bin"),
               std::span<const std::byte>(*image));
  RegressOptions options;
  options.rig = regress.rig();
  artifacts(options);
  RegressSession session(std::move(options), regress.folder(), nullptr);
  while (session.step()) {
  }
  REQUIRE(session.report().rows.front().time);
  CHECK(session.report().rows.front().time->toolchain_ratio);
}

TEST_CASE("regress: absolute floors hold on the same board only", "[session][regress]") {
  TimedRegress regress;
  // Both kernels became slower alike: only the clock knows.
  regress.script(matching("*", 130));
  CHECK(regress.row().verdict == RegressVerdict::passed);
  const auto stored = [](RegressOptions& options) { options.against_stored = true; };
  const RegressRow row = regress.row(stored);
  CHECK(row.verdict == RegressVerdict::regressed);
  CHECK_THAT(row.why, Catch::Contains("were recorded"));
  // 5000 FLOP in 130 us are 3.8e-5 TFLOP/s.
  regress.edit_baseline("[figures]", "min_tflops = 1.0\n[figures]");
  CHECK_THAT(regress.row().why, Catch::Contains("below the floor of 1"));
  regress.edit_baseline("fingerprint = \"", "fingerprint = \"0");
  const RegressRow other = regress.row(stored);
  CHECK(other.verdict == RegressVerdict::passed);
  CHECK(notes_say(other, "no absolute floor holds"));
}

TEST_CASE("regress: a kernel that is wrong is not timed", "[session][regress]") {
  TimedRegress regress;
  regress.script("[[rule]]\nmatch = \"simple A=2 B=2\"\noutcome = \"wrong\"\n");
  const RegressReport report = regress.run();
  CHECK(code(report) == 3);
  CHECK_FALSE(report.rows.front().time);
}
