// A database's trials as files of other tuners: what is written is read back.

#include "session/export/tuner_spaces.h"

#include "base/file.h"
#include "base/json_reader.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "db/fixture.h"
#include "model/recording.h"
#include "report/text/tuner_cache_file.h"

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

TEST_CASE("tuner cache file: open while it grows, closed at the end, and gone on with", "[session][recording]") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "h200" / "a.json";
  TunerSpace space;
  space.kernel = "gemm/tile2d";
  space.device = "h200";
  space.problem = {{"M", 64}};
  space.parameters = {"BM", "ORDER"};
  const std::vector<std::vector<TunerValue>> listed = {{{1, ""}, {2, ""}}, {{0, "row"}, {0, "col"}}};
  TunerPoint point;
  point.values = {{1, ""}, {0, "row"}};
  point.median_us = 20;
  {
    TunerCacheFile cache(file, space, listed);
    CHECK_THAT(read_text(file), Catch::EndsWith("\"cache\":{\n"));
    CHECK(cache.add(space, point));
    CHECK_FALSE(cache.add(space, point));
    CHECK_THAT(read_text(file), Catch::EndsWith("},\n") && Catch::Contains("\n\"1,row\":{\"BM\":1,\"ORDER\":\"row\""));
    CHECK(parse_recording(read_text(file), "a.json").points.size() == 1);  // as it is
  }
  TunerCacheFile again(file, space, listed);
  CHECK_FALSE(again.add(space, point));
  point.values[0].number = 2;
  point.status = TrialStatus::compile_error;
  CHECK(again.add(space, point));
  again.close();
  const std::string text = read_text(file);
  CHECK_THAT(text, Catch::EndsWith("}\n}\n") && Catch::Contains(R"("tune_params":{"BM":[1,2],"ORDER":["row","col"]})"));
  CHECK(JsonNode::parse(text, "a.json").at("cache").members().size() == 2);
  TunerCacheFile(file, space, listed).close();
  CHECK(read_text(file) == text);
  space.kernel = "gemm/other";
  CHECK_THROWS_WITH(TunerCacheFile(file, space, listed),
                    Catch::Contains("a.json: at /kernel_name") && Catch::Contains("name another folder"));
  write_atomic(file, "{\"cache\": [");
  CHECK_THROWS_WITH(TunerCacheFile(file, space, listed), Catch::Contains("a.json"));
}

TEST_CASE("tuner spaces: booleans have Python's names in Kernel Tuner's keys", "[session][recording]") {
  TunerSpace space;
  space.parameters = {"BM", "FAST"};
  TunerPoint point;
  point.values = {{64, ""}, {0, "true"}};
  const auto [key, entry] = kernel_tuner_entry(space, point);
  CHECK(key == "64,True");
  CHECK_THAT(to_json(entry, false), Catch::Contains(R"("FAST":true)"));
  point.values[1].word = "false";
  CHECK(kernel_tuner_entry(space, point).first == "64,False");
}
