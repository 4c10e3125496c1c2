// A database's trials as files of other tuners: what is written is read back.

#include "session/export/tuner_spaces.h"

#include "catch.h"
#include "db/fixture.h"
#include "model/recording.h"
#include "report/text/tuner_text.h"

using namespace kerlab;

namespace {

Trial put(Database& database, std::int64_t session, int number, TrialStatus status, double us,
          const char* kind = "cuda") {
  Trial trial = db_test::a_trial(session, number, status);
  trial.configuration = "BM=" + std::to_string(number) + " BN=" + std::to_string(8 - number);
  trial.device_kind = kind;
  seal(trial);
  database.put(trial);
  if (us <= 0) return trial;
  Measurement measurement = db_test::measurement(trial, us);
  measurement.stage = TimingStage::screen;
  measurement.clock = std::string(kind) == "cuda" ? ClockKind::measured : ClockKind::modelled;
  measurement.samples_us = {us, us + 1};
  database.put(measurement);
  return trial;
}

/// "BM=1 BN=7 20; BM=3 BN=5 failed compile": what a replay would see.
std::string outcomes(const JsonValue& written) {
  std::string text;
  for (const SweepPoint& point : parse_recording(to_json(written, false), "a.json").points)
    text += point.configuration +
            (point.failed.empty() ? " " + std::to_string(static_cast<int>(point.us + 0.5)) : " " + point.failed) + "\n";
  return text;
}

}  // namespace

TEST_CASE("tuner spaces: what a GPU measured, as Kernel Tuner's cache and as T4", "[session][recording]") {
  Database database = Database::in_memory();
  const std::int64_t session = db_test::begin(database);
  put(database, session, 2, TrialStatus::passed, 30);
  put(database, session, 1, TrialStatus::passed, 20);
  put(database, session, 3, TrialStatus::compile_error, 0);
  put(database, session, 4, TrialStatus::wrong, 0);
  put(database, session, 5, TrialStatus::rejected, 0);
  put(database, session, 6, TrialStatus::illegal_address, 0);
  put(database, session, 7, TrialStatus::interrupted, 0);         // says nothing
  put(database, session, 8, TrialStatus::passed, 9, "emulated");  // modelled
  const std::vector<TunerSpace> spaces = tuner_spaces(database, "");
  REQUIRE(spaces.size() == 1);
  const TunerSpace& space = spaces[0];
  CHECK(space.kernel == "gemm/tile2d");
  CHECK(space.name == "gemm-tile2d-64x64x64-fp32");
  CHECK(space.parameters == std::vector<std::string>{"BM", "BN"});
  CHECK(space.problem == std::vector<std::pair<std::string, std::int64_t>>{{"M", 64}, {"N", 64}, {"K", 64}});
  CHECK(outcomes(kernel_tuner_cache(space)) ==
        "BM=1 BN=7 20\nBM=2 BN=6 30\nBM=3 BN=5 compilation failed\nBM=4 BN=4 runtime failed\nBM=5 BN=3 invalid\n"
        "BM=6 BN=2 runtime failed\n");
  CHECK(outcomes(t4_results(space)) ==
        "BM=1 BN=7 20\nBM=2 BN=6 30\nBM=3 BN=5 compile\nBM=4 BN=4 correctness\nBM=5 BN=3 constraints\n"
        "BM=6 BN=2 runtime\n");
  const std::string cache = to_json(kernel_tuner_cache(space), false);
  CHECK_THAT(cache, Catch::Contains(R"("problem_size":[64,64,64])"));
  CHECK_THAT(cache, Catch::Contains(R"("tune_params":{"BM":[1,2,3,4,5,6])"));
  CHECK_THAT(cache, Catch::Contains(R"("1,7":{"BM":1,"BN":7,"time":0.02,"times":[0.02,0.021])"));
  CHECK(tuner_spaces(database, "softmax").empty());
}
