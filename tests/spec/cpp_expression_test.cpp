// Expressions as C++: the compiled text against the evaluator, on random expressions and inputs.

#include "spec/expression/cpp_expression.h"

#include <fmt/format.h>

#include <random>
#include <sstream>

#include "catch.h"
#include "spec/compiled_program.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

const std::vector<std::string> kNames = {"M", "N", "K", "Z", "layout.nt", "BM"};
constexpr std::int64_t kLarge = 9223372036854775807;

CppName resolve(const std::string& name) {
  if (name == "layout.nt") return {1, {}};
  if (name == "BM") return {128, {}};
  return {std::nullopt, "v_" + name};
}

/// Every operator, as deep as `depth`; constants that overflow, divide by zero, and are harmless.
std::string random_text(std::mt19937& random, int depth) {
  const auto sub = [&] { return random_text(random, depth - 1); };
  if (depth == 0 || random() % 6 == 0) {
    if (random() % 2 == 0) return kNames[random() % kNames.size()];
    constexpr const char* kConstants[] = {"0", "1", "2", "7", "16", "63", "4096", "9223372036854775807", "4294967296"};
    return kConstants[random() % std::size(kConstants)];
  }
  constexpr const char* kBinary[] = {"||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"};
  constexpr const char* kCalls[] = {"ceil_div", "round_up", "min", "max", "pow"};
  switch (random() % 6) {
    case 0:
      return fmt::format("({} ? {} : {})", sub(), sub(), sub());
    case 1:
      return fmt::format("{}({}, {})", kCalls[random() % std::size(kCalls)], sub(), sub());
    case 2:
      return fmt::format("{}({})", random() % 2 == 0 ? "ilog2" : "abs", sub());
    case 3:
      return fmt::format("{}({})", random() % 2 == 0 ? "-" : "!", sub());
    default:
      return fmt::format("({} {} {})", sub(), kBinary[random() % std::size(kBinary)], sub());
  }
}

std::string value_text(const Expression& expression, const std::vector<std::int64_t>& inputs) {
  Environment environment = {{"layout.nt", 1}, {"BM", 128}};
  for (std::size_t i = 0; i < inputs.size(); ++i) environment[kNames[i]] = inputs[i];
  try {
    return fmt::format("{}", expression.evaluate(environment));
  } catch (const SpecError&) {
    return "none";
  }
}

}  // namespace

TEST_CASE("expressions as C++ have the evaluator's values, and none where it has none", "[spec]") {
  std::mt19937 random(11);
  std::vector<Expression> expressions;
  for (const char* text :
       {"Z == 0 || M / Z < 5", "Z != 0 && M / Z < 5", "Z == 0 ? 1 : M / Z", "M * N * K * M * N", "-M - 2",
        "min(M, N, K, 3)", "max(M)", "pow(2, M)", "abs(-9223372036854775807 - 1)", "(-9223372036854775807 - 1) / -1",
        "(-9223372036854775807 - 1) % -1", "layout.nt ? BM : M / 0"})
    expressions.push_back(Expression::parse(text, {"file", 1, 1, {}}));
  while (expressions.size() < 250) expressions.push_back(Expression::parse(random_text(random, 4), {"file", 1, 1, {}}));
  std::vector<std::vector<std::int64_t>> inputs = {
      {4096, 128, 64, 0}, {0, -1, 1, 2}, {kLarge, 2, -1, 1}, {-kLarge - 1, -1, 3, 0}, {63, 62, 1, 5}};
  for (int i = 0; i < 15; ++i)
    inputs.push_back({static_cast<std::int64_t>(random() % 9000) - 100, static_cast<std::int64_t>(random() % 70),
                      static_cast<std::int64_t>(random()) << (random() % 32), static_cast<std::int64_t>(random() % 3)});

  std::string program =
      "#pragma GCC diagnostic ignored \"-Wtautological-compare\"\n#include <cstdio>\n#include "
      "\"report/dispatch/checked.h\"\nusing I = std::int64_t;\n"
      "using C = kerlab_dispatch_2::Checked;\n";
  std::string calls;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    program += fmt::format(
        "static I f{}([[maybe_unused]] C& e, [[maybe_unused]] I v_M, [[maybe_unused]] I v_N, [[maybe_unused]] I v_K, "
        "[[maybe_unused]] I v_Z) {{ return {}; }}\n",
        i, cpp_text(expressions[i], "e", resolve));
    calls += fmt::format("f{}, ", i);
  }
  program +=
      fmt::format("int main() {{\n  I (*const all[])(C&, I, I, I, I) = {{{}}};\n  const I inputs[][4] = {{\n", calls);
  for (const auto& input : inputs) {
    program += "    {";
    for (const std::int64_t value : input) program += cpp_literal(value) + ", ";
    program += "},\n";
  }
  program += R"(  };
  for (auto* one : all)
    for (const auto& in : inputs) {
      C e;
      const I value = one(e, in[0], in[1], in[2], in[3]);
      e.ok() ? std::printf("%lld\n", static_cast<long long>(value)) : std::printf("none\n");
    }
}
)";
  const std::string output = output_of_program(program, {share_folder() / "src"});
  if (output.empty()) return;
  std::istringstream lines(output);
  int without_value = 0;
  for (const Expression& expression : expressions)
    for (const auto& input : inputs) {
      std::string line;
      std::getline(lines, line);
      INFO(expression.text() << " with M=" << input[0] << " N=" << input[1] << " K=" << input[2] << " Z=" << input[3]);
      REQUIRE(line == value_text(expression, input));
      without_value += line == "none" ? 1 : 0;
    }
  CHECK(without_value > 100);
}

TEST_CASE("expressions as C++: what is constant is one literal, and what cannot be reached is left out", "[spec]") {
  const auto text = [](const char* expression) {
    return cpp_text(Expression::parse(expression, {"file", 1, 1, {}}), "e", resolve);
  };
  CHECK(text("BM * 2 + layout.nt") == "257LL");
  CHECK(text("layout.nt ? M : N / 0") == "v_M");
  CHECK(text("ceil_div(M, BM)") == "e.ceil_div(v_M, 128LL)");
  CHECK(text("!layout.nt && M / 0") == "0LL");
  CHECK(text("1 / 0") == "e.divide(1LL, 0LL)");  // fails where it is reached, as in the evaluator
  CHECK(cpp_literal(-5) == "(-5LL)");
}
