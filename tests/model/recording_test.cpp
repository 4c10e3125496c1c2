#include "model/recording.h"

#include "base/error.h"
#include "catch.h"

using namespace kerlab;
using namespace kerlab::model;

namespace {

const std::string kHead =
    R"({"schema_version": "1.1.0", "device_name": "Some GPU", "kernel_name": "blur", "problem_size": [64, 64],
"tune_params_keys": ["block_size_x", "method", "unroll"],
"tune_params": {"block_size_x": [16, 32], "method": ["tree", "flat"], "unroll": [true, false]},
"objective": "time", "cache": {
)";
const std::string kPassed =
    R"("16,tree,True": {"block_size_x": 16, "method": "tree", "unroll": true, "time": 0.5, "times": [0.5, 0.6]})";
const std::string kFailed =
    R"("32,flat,False": {"block_size_x": 32, "method": "flat", "unroll": false, "time": "CompilationFailedConfig"})";

std::string message_of(const std::string& text) {
  try {
    parse_recording(text, "a.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("recording: a cache file of Kernel Tuner, closed or not", "[recording]") {
  for (const char* end : {"}}", "", ",", "\n", ",\n"}) {
    INFO(end);
    const Sweep sweep = parse_recording(kHead + kPassed + ",\n" + kFailed + end, "conv/Some.json");
    CHECK(sweep.name == "conv/Some");
    CHECK(sweep.device == "Some GPU");
    CHECK(sweep.variant == "blur");
    REQUIRE(sweep.points.size() == 2);
    CHECK(sweep.points[0].configuration == "block_size_x=16 method=1 unroll=1");  // flat is 0, tree 1
    CHECK(sweep.points[0].us == Approx(500));
    CHECK(sweep.points[1].configuration == "block_size_x=32 method=0 unroll=0");
    CHECK(sweep.points[1].failed == "compilation failed");
  }
}

TEST_CASE("recording: results as T4, with units and what was not valid", "[recording]") {
  const auto result = [](int a, const std::string& rest) {
    return R"({"configuration": {"a": )" + std::to_string(a) + R"(, "b": 0.5}, "times": {"compilation_time": 1},)" +
           rest + R"(, "objectives": ["time"]})";
  };
  const std::string text =
      R"({"schema_version": "1.0.0", "results": [)" +
      result(
          1,
          R"("invalidity": "correct", "correctness": 1, "measurements": [{"name": "time", "value": 2, "unit": ""}])") +
      "," + result(2, R"("invalidity": "correct", "measurements": [{"name": "time", "value": 3, "unit": "us"}])") +
      "," + result(3, R"("invalidity": "runtime", "correctness": 0, "measurements": [])") + "," +
      result(4, R"("invalidity": "correct", "correctness": 0, "measurements": [])") + "," +
      result(1, R"("invalidity": "correct", "measurements": [{"name": "time", "value": 9, "unit": "s"}])") + "]}";
  const Sweep sweep = parse_recording(text, "A100_T4.json");
  CHECK(sweep.name == "A100_T4");
  REQUIRE(sweep.points.size() == 4);  // the first of a configuration counts
  CHECK(sweep.points[0].configuration == "a=1 b=0");
  CHECK(sweep.points[0].us == Approx(2000));
  CHECK(sweep.points[1].us == Approx(3));
  CHECK(sweep.points[2].failed == "runtime");
  CHECK(sweep.points[3].failed == "wrong");
}

TEST_CASE("recording: each mistake is one located error", "[recording]") {
  const auto says = [](const std::string& text, const std::string& what) {
    INFO(text);
    CHECK_THAT(message_of(text), Catch::Contains(what));
  };
  says("\x1f\x8b\x08", "a.json: the compressed data are damaged");
  says("{\"cache\": {\n\"1\": {]}}", "a.json:2: no JSON");
  says(std::string(100000, '['), "is not the first line of a sweep");
  says("{\"cache\": " + std::string(100000, '['), "no JSON");
  says("{\"cache\": " + std::string(100000, '[') + std::string(100000, ']') + ", \"tune_params_keys\": [\"a\"]}",
       "at /cache: is no object");
  says("{}", "no recorded space");
  says("{\"results\": []}", "no configuration");
  says("{\"results\": 3}", "at /results: is no list");
  says(kHead + kFailed + "}}", "every configuration in it failed");
  says(kHead + R"("1": {"block_size_x": 16, "method": 0}}})", "at /cache/1: has no \"unroll\"");
  says(kHead + R"("1": {"block_size_x": 16, "method": 0, "unroll": 0}}})", "at /cache/1: has no \"time\"");
  says(kHead + R"("1": {"block_size_x": 16, "method": 0, "unroll": 0, "time": -1}}})",
       "at /cache/1/time: -1 is no time");
  says(kHead + R"("1": {"block_size_x": 16, "method": 0, "unroll": 0, "time": []}}})",
       "at /cache/1/time: '[]' is no number");
  says(R"({"tune_params_keys": ["a b"], "cache": {"1": {"a b": 1, "time": 1}}})",
       "at /tune_params_keys: 'a b' is no name");
  says(R"({"tune_params_keys": [], "cache": {}})", "at /tune_params_keys: no parameter");
  says(R"({"results": [{"configuration": {"a": 1}, "measurements": [{"name": "time", "value": 1, "unit": "W"}]}]})",
       "at /results/0/measurements/0/unit: 'W' is no unit of time");
  says(R"({"results": [{"configuration": {"a": 1}, "measurements": [{"name": "GFLOP/s", "value": 1}],
           "objectives": ["GFLOP/s"]}]})",
       "at /results/0/measurements/0: the objective 'GFLOP/s' has no unit of time");
}
