#include "spec/expression/expression.h"

#include <limits>
#include <optional>

#include "catch.h"
#include "spec/expression/slots.h"

using namespace kerlab;

namespace {
const SourceLocation kHere{"file", 3, 10, {}};
const Environment kEnvironment = {{"M", 4096}, {"BM", 128}, {"Z", 0}, {"layout.nt", 1}, {"dtype.bytes", 2}};

/// On slots, names with small values constant and the others in the array; nothing where there is no value.
std::optional<std::int64_t> value_on_slots(const Expression& expression) {
  Slots slots;
  const SlotExpression translated(expression, [&](const std::string& name) -> SlotExpression::Name {
    if (kEnvironment.at(name) < 100) return {true, kEnvironment.at(name)};
    slots.values.push_back(kEnvironment.at(name));
    slots.failed.push_back(0);
    return {false, static_cast<std::int64_t>(slots.values.size() - 1)};
  });
  std::int64_t value = 0;
  return translated.evaluate(slots, value) ? std::optional(value) : std::nullopt;
}

std::int64_t value(const std::string& text) {
  const Expression expression = Expression::parse(text, kHere);
  bool known = true;
  for (const std::string& name : expression.names()) known = known && kEnvironment.contains(name);
  try {
    const std::int64_t result = expression.evaluate(kEnvironment);
    if (known) CHECK(value_on_slots(expression) == result);
    return result;
  } catch (const SpecError&) {
    if (known) CHECK_FALSE(value_on_slots(expression));
    throw;
  }
}

std::string error(const std::string& text) {
  try {
    (void)value(text);
  } catch (const SpecError& failure) {
    return failure.what();
  }
  return "no error";
}
}  // namespace

TEST_CASE("expression: operators, precedence, functions", "[spec]") {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"10 - 4 - 3", 3},
      {"100 / 10 / 5", 2},
      {"-7 / 2", -3},
      {"-7 % 3", -1},
      {"7 % -1", 0},
      {"- -3", 3},
      {"!0 + !5", 1},
      {"1 < 2 && 2 < 3", 1},
      {"1 == 2 || 3 != 3", 0},
      {"2 >= 2", 1},
      {"3 <= 2", 0},
      {"4 > 3", 1},
      {"1 ? 2 : 3", 2},
      {"0 ? 2 : 0 ? 4 : 5", 5},
      {"1 || 0 && 0", 1},
      {"M / BM", 32},
      {"layout.nt ? M : BM", 4096},
      {"M * dtype.bytes", 8192},
      {"ceil_div(7, 2)", 4},
      {"ceil_div(-7, 2)", -3},
      {"ceil_div(8, 2)", 4},
      {"round_up(13, 8)", 16},
      {"min(3, 1, 2)", 1},
      {"max(3, 1, 2)", 3},
      {"ilog2(1)", 0},
      {"ilog2(4095)", 11},
      {"ilog2(4096)", 12},
      {"abs(-5)", 5},
      {"pow(2, 10)", 1024},
      {"pow(-1, 9223372036854775807)", -1},
      {"pow(0, 0)", 1},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
      {"-9223372036854775807 - 1", std::numeric_limits<std::int64_t>::min()},
      {" 1\n+\t2 ", 3},
      {"131072 * 131072 * 131072 * 2", 4503599627370496}};
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    CHECK(value(text) == expected);
  }
}

TEST_CASE("expression: && || and ?: do not evaluate what they do not need", "[spec]") {
  CHECK(value("Z == 0 || M / Z < 5") == 1);
  CHECK(value("Z != 0 && M / Z < 5") == 0);
  CHECK(value("Z ? 1 / Z : 7") == 7);
  CHECK(value("1 || unknown") == 1);
}

TEST_CASE("expression: every mistake has its column", "[spec]") {
  const std::pair<const char*, const char*> cases[] = {
      {"", "file:3:10: empty expression"},
      {"1 +", "file:3:13: expected a value, but the expression ends"},
      {"1 + * 2", "file:3:14: expected a value, found '*'"},
      {"(1 + 2", "file:3:16: expected ')' to close '(', but the expression ends"},
      {"1 2", "file:3:12: unexpected '2'"},
      {"M = 3", "file:3:12: '=' does not compare; write '=='"},
      {"M & 3", "file:3:12: write '&&'"},
      {"M | 3", "file:3:12: write '||'"},
      {"1 < 2 < 3", "file:3:16: comparisons do not chain; write a < b && b < c"},
      {"1 ? 2", "file:3:15: expected ':' of '? :', but the expression ends"},
      {"1.5", "file:3:10: not an integer"},
      {"12ab", "file:3:10: not an integer"},
      {"99999999999999999999", "file:3:10: number does not fit 64 bits"},
      {"a..b", "file:3:10: 'a..b' is not a name"},
      {"1 + \x01", "file:3:14: expected a value, found '\\x01'"},
      {"mim(1, 2)", "file:3:10: unknown function 'mim', did you mean 'min'?"},
      {"abs(1, 2)", "file:3:10: abs takes 1 argument, not 2"},
      {"ceil_div(1)", "file:3:10: ceil_div takes 2 arguments, not 1"},
      {"min()", "file:3:10: min takes 1 or more arguments, not 0"},
      {"min(1, 2", "file:3:18: expected ')' after the arguments of min, but the expression ends"},
      {"1 + BN", "file:3:14: unknown name 'BN', did you mean 'BM'?"},
      {"1 + M / Z", "file:3:16: 4096 / 0: division by zero"},
      {"M % Z", "file:3:12: 4096 % 0: division by zero"},
      {"ceil_div(M, Z)", "file:3:10: division by zero"},
      {"round_up(M, -2)", "file:3:10: rounds up to a multiple of -2, which is negative"},
      {"9223372036854775807 + 1", "file:3:30: 9223372036854775807 + 1 overflows 64 bits"},
      {"1 + M * 9223372036854775807", "file:3:16: 4096 * 9223372036854775807 overflows 64 bits"},
      {"(-9223372036854775807 - 1) / -1", "file:3:37: 0 - -9223372036854775808 overflows 64 bits"},
      {"ilog2(Z)", "file:3:10: ilog2(0): not positive"},
      {"pow(2, -1)", "file:3:10: pow(2, -1): negative exponent"},
      {"pow(10, 40)", "file:3:10: 1000000000000000000 * 10 overflows 64 bits"},
      {"1 +\n  Z / Z", "file:4:5: 0 / 0: division by zero"},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    CHECK(error(text) == expected);
  }
}

TEST_CASE("expression: nesting and length are bounded", "[spec]") {
  CHECK(error(std::string(2000, '(') + "1" + std::string(2000, ')')).find("nested too deeply") != std::string::npos);
  CHECK(error(std::string(2000, '-') + "1").find("nested too deeply") != std::string::npos);
  std::string chain = "1";
  for (int i = 0; i < 1000; ++i) chain += "+1";
  CHECK(error(chain).find("nested too deeply") != std::string::npos);
  CHECK(error(std::string(5000, '1')).find("longer than") != std::string::npos);
  CHECK(value(std::string(50, '(') + "1" + std::string(50, ')')) == 1);
}

TEST_CASE("expression: names and their places", "[spec]") {
  const Expression expression = Expression::parse("BM + M * layout.nt + BM", kHere);
  CHECK(expression.names() == std::vector<std::string>{"BM", "M", "layout.nt"});
  CHECK(expression.uses("M"));
  CHECK_FALSE(expression.uses("N"));
  CHECK(expression.where_of("M").text() == "file:3:15");
  CHECK(expression.where_of("BM").text() == "file:3:10");
  CHECK(Expression::constant(42).evaluate(kEnvironment) == 42);
  CHECK(Expression().empty());
}

TEST_CASE("expression: clusters at once are a function of the blocks of one", "[spec]") {
  const Environment device = {{"device.max_active_clusters.1", 132}, {"device.max_active_clusters.2", 66},
                              {"device.max_active_clusters.4", 30},  {"device.max_active_clusters.8", 15},
                              {"device.max_active_clusters.16", 7},  {"C", 4}};
  const auto evaluated = [&](const std::string& text) { return Expression::parse(text, kHere).evaluate(device); };
  CHECK(evaluated("device.max_active_clusters(1)") == 132);
  CHECK(evaluated("C * device.max_active_clusters(C)") == 120);
  CHECK(evaluated("device.max_active_clusters ( C * 2 ) + 1") == 16);
  CHECK(evaluated("device.max_active_clusters(C - 1)") == 30);  // as of the next larger size
  CHECK(evaluated("device.max_active_clusters(16)") == 7);
  CHECK(evaluated("device.max_active_clusters(17)") == 0);
  CHECK(evaluated("device.max_active_clusters(0)") == 0);
  CHECK(error("device.max_active_clusters()") == "file:3:37: expected a value, found ')'");
  CHECK(error("device.max_active_clusters(2") ==
        "file:3:38: expected ')' after the blocks of a cluster, the argument of device.max_active_clusters, but the "
        "expression ends");
  CHECK(error("device.max_active_clusters(device.max_active_clusters(2))") ==
        "file:3:37: device.max_active_clusters within itself");
  CHECK_THAT(error("device.max_active_cluster(2)"), Catch::Contains("did you mean 'device.max_active_clusters'?"));
}
