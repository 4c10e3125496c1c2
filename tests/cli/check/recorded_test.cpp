// From `kerlab check --save-inputs` to a verdict against what was recorded, through the program itself.
#include "base/file.h"
#include "catch.h"
#include "cli/sandbox.h"
#include "report/form/json.h"
#include "session/recorded_family.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

struct RecordedSandbox : Sandbox {
  RecordedSandbox() { write_family(*this / "thrice", "simple", recorded_family()); }
  [[nodiscard]] std::string target() const { return (*this / "thrice").string(); }
  [[nodiscard]] std::string recorded() const { return (*this / "thrice/recorded").string(); }
  [[nodiscard]] kerlab::ProcessResult on_device(Words words) const {
    words.insert(words.end(), {"--device", "emu:h200", "--jobs", "1"});
    return run(words);
  }
};

}  // namespace

TEST_CASE("cli: inputs are saved, outputs recorded, kernels compared with them", "[cli][nvrtc]") {
  const RecordedSandbox sandbox;
  const auto missing = sandbox.on_device({"check", sandbox.target(), "--N", "500"});
  CHECK(missing.exit_code == 64);
  CHECK_THAT(missing.err, Catch::Contains("no recording for thrice N=500 fp32; nothing is recorded in") &&
                              Catch::Contains(" --N 500 --dtype fp32 --save-inputs " + sandbox.recorded()));
  const auto saved = sandbox.run({"check", sandbox.target(), "--N", "500", "--save-inputs", sandbox.recorded()});
  CHECK(saved.exit_code == 0);
  CHECK_THAT(saved.out,
             Catch::Contains("N=500_fp32/normal/  x.npy") && Catch::Contains("y.npy  float64 or float32, 500"));
  CHECK_THAT(sandbox.on_device({"tune", sandbox.target(), "--N", "500"}).err,
             Catch::Contains("y.npy is missing: compute it of the inputs beside it"));
  CHECK(record_thrice(sandbox.recorded()) == 3);

  const auto right = sandbox.on_device({"check", sandbox.target(), "--N", "500", "BUG=0"});
  CHECK(right.exit_code == 0);
  CHECK_THAT(right.out, Catch::Contains("against recordings"));
  CHECK_THAT(right.err, Catch::Contains("recorded besides thrice 500 fp32: nothing"));
  CHECK(sandbox.on_device({"check", sandbox.target(), "--N", "500", "BUG=1"}).exit_code == 3);
  const auto json = sandbox.on_device({"check", sandbox.target(), "--N", "500", "BUG=0", "--json"});
  const JsonValue document = parse_json(json.out).value_or(JsonValue());
  CHECK(document.find("rows")->elements().front().find("trial")->find("accuracy")->text() == "against recordings");

  record_thrice(sandbox.recorded(), 2);  // somebody's mistake
  CHECK(sandbox.on_device({"check", sandbox.target(), "--N", "500", "BUG=0"}).exit_code == 3);
}

TEST_CASE("cli: what saved inputs are, as JSON, and where they do not go", "[cli]") {
  const RecordedSandbox sandbox;
  const std::string folder = (sandbox / "out").string();
  const auto saved =
      sandbox.run({"check", sandbox.target(), "--N", "8", "--recipe", "uniform", "--save-inputs", folder, "--json"});
  const JsonValue document = parse_json(saved.out).value_or(JsonValue());
  REQUIRE(document.find("saved") != nullptr);
  REQUIRE(document.find("saved")->elements().size() == 1);
  const JsonValue one = document.find("saved")->elements().front();
  CHECK(one.find("recipe")->text() == "uniform");
  CHECK(one.find("inputs")->elements().front().find("stored")->elements().front().text() == "float32");
  CHECK(plan::read_npy(sandbox / "out/N=8_fp32/uniform/x.npy").header.shape == std::vector<std::int64_t>{8});
  CHECK(sandbox.run({"check", sandbox.target(), "--recipe", "unifrom", "--save-inputs", folder}).exit_code == 64);
  CHECK(sandbox.run({"check", sandbox.target(), "--sanitize", "--save-inputs", folder}).exit_code == 64);
  CHECK(sandbox.run({"check", "--save-inputs", folder}).exit_code == 64);
}

TEST_CASE("cli: regress keeps a baseline against recordings, and a changed one is noticed", "[cli][nvrtc]") {
  const RecordedSandbox sandbox;
  REQUIRE(sandbox.run({"check", sandbox.target(), "--N", "500", "--save-inputs", sandbox.recorded()}).exit_code == 0);
  record_thrice(sandbox.recorded());
  const std::string baselines = (sandbox / "baselines").string();
  REQUIRE(sandbox.on_device({"tune", sandbox.target(), "--N", "500"}).exit_code == 0);
  const auto recorded = sandbox.on_device(
      {"regress", "record", sandbox.target(), "--N", "500", "--unchecked-values", "--baselines", baselines});
  INFO(recorded.out << recorded.err);
  REQUIRE(recorded.exit_code == 0);
  CHECK(sandbox.on_device({"regress", "run", "--kernels", (sandbox / ".").string(), "--baselines", baselines})
            .exit_code == 0);
  record_thrice(sandbox.recorded(), 2);
  CHECK(sandbox.on_device({"regress", "run", "--kernels", (sandbox / ".").string(), "--baselines", baselines})
            .exit_code == 3);
}
