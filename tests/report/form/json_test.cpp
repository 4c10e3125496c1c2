#include "report/form/json.h"

#include <cmath>
#include <limits>

#include "catch.h"

using namespace kerlab;

TEST_CASE("json: values of every kind, keys in the order given", "[report]") {
  const JsonValue value = JsonValue::Object{{"z", 1},
                                            {"a", JsonValue::Array{nullptr, true, 2.5, "text"}},
                                            {"empty", JsonValue::Object{}},
                                            {"list", std::vector<double>{1, 2}},
                                            {"none", std::optional<double>{}},
                                            {"some", std::optional<double>{3.5}},
                                            {"count", std::size_t{7}}};
  CHECK(to_json(value, false) ==
        R"({"z":1,"a":[null,true,2.5,"text"],"empty":{},"list":[1.0,2.0],"none":null,"some":3.5,"count":7})");
}

TEST_CASE("json: doubles round-trip, those that are not finite are null", "[report]") {
  for (const double x : {0.1, 1.0 / 3, 1e-300, 5e-324, 123456789.123456789, std::numeric_limits<double>::max()}) {
    const auto back = parse_json(to_json(JsonValue(x)));
    REQUIRE(back);
    CHECK(std::get<double>(back->variant()) == x);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(to_json(JsonValue::Array{infinity, -infinity, std::nan("")}, false) == "[null,null,null]");
}

TEST_CASE("json: text is escaped, and bytes that are not UTF-8 are replaced", "[report]") {
  CHECK(to_json(JsonValue("a\"b\\c\nd\x01"), false) == R"("a\"b\\c\nd\u0001")");
  CHECK(to_json(JsonValue("\xff!"), false) == "\"\xef\xbf\xbd!\"");
  CHECK(to_json(JsonValue("\xc3\xbc"), false) == "\"\xc3\xbc\"");
}

TEST_CASE("json: parse gives values back, or nothing", "[report]") {
  const auto value = parse_json(R"([{"recipe":"normal","passed":true,"error_ratio":null,"n":3}])");
  REQUIRE(value);
  REQUIRE(value->elements().size() == 1);
  const JsonValue& first = value->elements()[0];
  CHECK(first.find("recipe")->text() == "normal");
  CHECK(first.find("passed")->text() == "true");
  CHECK(first.find("error_ratio")->text() == "null");
  CHECK(first.find("missing") == nullptr);
  CHECK(value->find("recipe") == nullptr);
  CHECK(first.elements().empty());
  CHECK_FALSE(parse_json("{").has_value());
  CHECK_FALSE(parse_json("").has_value());
}

TEST_CASE("json: records have an id and their columns", "[report]") {
  Trial trial;
  trial.id = 143;
  trial.status = TrialStatus::passed;
  trial.configuration = "BM=128";
  trial.check_detail = R"([{"recipe":"normal"}])";
  const JsonValue value = to_value(trial);
  CHECK(value.find("id")->text() == "143");
  CHECK(value.find("status")->text() == "passed");
  CHECK(value.find("check_detail")->elements().size() == 1);
  std::size_t count = 1;
  columns(trial, [&](std::string_view column, const auto&) {
    ++count;
    CHECK(value.find(column) != nullptr);
  });
  CHECK(std::get<JsonValue::Object>(value.variant()).size() == count);

  Measurement measurement;
  measurement.samples_us = {1.5, 2};
  CHECK(to_value(measurement).find("samples_us")->text() == "[1.5,2.0]");
  CHECK(to_values(std::vector{trial, trial}).elements().size() == 2);
  CHECK(to_value(Decision{}).find("tie_set")->text().empty());
}

TEST_CASE("json: a document says its schema and command first", "[report]") {
  CHECK(to_json(json_document("tune", {{"winner", nullptr}}), false) ==
        R"({"schema_version":2,"command":"tune","winner":null})");
}
