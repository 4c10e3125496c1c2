#pragma once
// The family of SessionFixture as a baseline: `simple` at A=2 B=2 and N = 5000.

#include <functional>

#include "base/file.h"
#include "catch.h"
#include "session/regress/regress_gate.h"
#include "session/regress/regress_record.h"
#include "session/session_fixture.h"

namespace kerlab::testing {

class Regress {
 public:
  Regress() {
    write_atomic(fixture.family() / "simple.toml",
                 edited("simple.toml", "[[parameter]]", "tune = true\n[[parameter]]"));
  }

  SessionFixture fixture;
  std::string device = "emu:h200";

  [[nodiscard]] BaselineFolder folder() const { return {fixture.folder() / "baselines", "main"}; }
  [[nodiscard]] RigOptions rig() const {
    RigOptions rig = fixture.options().rig;
    rig.device = device;
    rig.target.clear();
    rig.kernels.families = {fixture.folder()};
    return rig;
  }
  std::vector<RecordRow> record(bool accept = false, const std::string& why = "") {
    RecordOptions options;
    options.rig = rig();
    options.accept = accept;
    options.why = why;
    options.unchecked_values = true;  // tests/session/values is about these
    if (!accept) options.problems.push_back({"scale", {{"N", "5000"}}, "", {"simple"}, "A=2 B=2", 0});
    RecordSession session(std::move(options), folder(), &fixture.database());
    while (session.step()) {
    }
    return session.rows();
  }
  RegressReport run(const std::function<void(RegressOptions&)>& change = {}) {
    RegressOptions options;
    options.rig = rig();
    if (change) change(options);
    RegressSession session(std::move(options), folder(), &fixture.database());
    while (session.step()) {
    }
    return session.report();
  }
  RegressRow row(const std::function<void(RegressOptions&)>& change = {}) {
    const RegressReport report = run(change);
    REQUIRE(report.rows.size() == 1);
    INFO(report.rows.front().why);
    return report.rows.front();
  }
  /// A file of the family with one text in place of another.
  [[nodiscard]] std::string edited(const std::string& file, const std::string& what, const std::string& with) const {
    std::string text = read_text(fixture.family() / file);
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
  }
  void edit(const std::string& file, const std::string& what, const std::string& with) const {
    write_atomic(fixture.family() / file, std::string_view(edited(file, what, with)));
  }
  /// The same in the one baseline.
  void edit_baseline(const std::string& what, const std::string& with) const {
    const Baseline baseline = folder().read().baselines.front();
    const std::filesystem::path file = folder().path() / (baseline.key + ".toml");
    std::string text = read_text(file);
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    write_atomic(file, std::string_view(text.replace(at, what.size(), with)));
  }
};

inline int code(const RegressReport& report) {
  return static_cast<int>(regress_code(report, {2, 3}));
}

}  // namespace kerlab::testing
