// Garbage in: nothing but SpecError and its relatives may come out, and never a crash or a hang.

#include <random>

#include "catch.h"
#include "spec/spec_fixture.h"
#include "spec/toml/toml_reader.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
  return random() % limit;
}

std::string random_bytes(Random& random, std::size_t longest) {
  std::string text(below(random, longest), ' ');
  for (char& c : text) c = static_cast<char>(below(random, 256));
  return text;
}

/// Pieces that expressions are made of, in any order.
std::string random_expression(Random& random) {
  static const char* const pieces[] = {"M",
                                       "Z",
                                       "BM",
                                       "layout.nt",
                                       "x",
                                       ".",
                                       "..",
                                       "0",
                                       "1",
                                       "7",
                                       "64",
                                       "9223372036854775807",
                                       "99999999999999999999",
                                       "+",
                                       "-",
                                       "*",
                                       "/",
                                       "%",
                                       "!",
                                       "&&",
                                       "||",
                                       "==",
                                       "!=",
                                       "<",
                                       "<=",
                                       ">",
                                       ">=",
                                       "=",
                                       "&",
                                       "|",
                                       "?",
                                       ":",
                                       "(",
                                       ")",
                                       ",",
                                       "ceil_div(",
                                       "round_up(",
                                       "min(",
                                       "max(",
                                       "ilog2(",
                                       "abs(",
                                       "pow(",
                                       "pow(3,",
                                       " ",
                                       "\n",
                                       "\t",
                                       "\"",
                                       "\x80",
                                       "#"};
  std::string text;
  for (std::size_t i = below(random, 24); i > 0; --i) text += pieces[below(random, std::size(pieces))];
  return text;
}

/// A legal spec with a few bytes, lines or values changed.
std::string mutated(Random& random, std::string text) {
  static const char* const values[] = {
      "-1",   "0",     "9223372036854775807", "\"\"",      "\"A\"",  "[]",     "{}",       "1.5", "nan",
      "true", "[[1]]", "1979-05-27",          "\"M / Z\"", "\"@A\"", "\"D|\"", "\"i64:\"", "[[["};
  for (std::size_t edits = 1 + below(random, 4); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = below(random, text.size());
    switch (below(random, 6)) {
      case 0:
        text[at] = static_cast<char>(below(random, 256));
        break;
      case 1:
        text.erase(at, 1 + below(random, 20));
        break;
      case 2:
        text.insert(at, random_expression(random));
        break;
      case 3:
        text.insert(at, text.substr(below(random, text.size()), below(random, 60)));
        break;
      case 4: {  // another value
        const std::size_t equals = text.find('=', at);
        const std::size_t end = equals == std::string::npos ? equals : text.find('\n', equals);
        if (end != std::string::npos)
          text.replace(equals + 1, end - equals - 1, values[below(random, std::size(values))]);
        break;
      }
      default: {  // a line twice
        const std::size_t begin = text.rfind('\n', at);
        const std::size_t end = text.find('\n', at);
        if (begin != std::string::npos && end != std::string::npos) text.insert(end, text.substr(begin, end - begin));
      }
    }
  }
  return text;
}

/// Everything that a folder of specs goes through before anything is compiled.
void exercise(const std::string& family_text, const std::string& variant_text) {
  const KernelFolder folder = load_specs(family_text, variant_text);
  ProblemRequest request;
  request.dimensions = {{folder.family.dimensions.front().name, 48}};
  const Problem problem = make_problem(folder.family, request);
  (void)instantiate_reference(folder.family, problem, h200());
  for (const Variant& variant : folder.variants) {
    if (!unsupported_reason(variant, problem, h200()).empty()) continue;
    const Space space = enumerate(variant, problem, h200());
    (void)instantiate(folder.family, variant, problem, space.valid.front(), h200());
  }
}

/// Counts what `body` made of its input; any other exception fails the test.
template <typename Body>
bool survives(const Body& body) {
  try {
    body();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("fuzz: expressions", "[spec]") {
  Random random(1);
  const Environment names = {{"M", 4096}, {"BM", 128}, {"Z", 0}, {"layout.nt", 1}};
  int evaluated = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = i % 4 == 0 ? random_bytes(random, 40) : random_expression(random);
    CAPTURE(text);
    evaluated += survives([&] { (void)Expression::parse(text, {"file", 1, 1, {}}).evaluate(names); }) ? 1 : 0;
  }
  CHECK(evaluated > 100);  // some of it is legal, or nothing was tested
}

TEST_CASE("fuzz: TOML", "[spec]") {
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = i % 2 == 0 ? random_bytes(random, 200) : mutated(random, kFamily);
    CAPTURE(text);
    survives([&] { (void)parse_toml(text, "file"); });
  }
  for (const char* opening : {"[", "{", "a.", "x=[", "x={y=", "[[", "\"", "'''", "a=\"\"\"", "[a."}) {
    std::string deep;
    for (int i = 0; i < 20000; ++i) deep += opening;
    CAPTURE(opening);
    CHECK_FALSE(survives([&] { (void)parse_toml(deep, "file"); }));
    CHECK_FALSE(survives([&] { (void)parse_toml(deep.substr(0, 4000), "file"); }));
  }
}

TEST_CASE("fuzz: families and variants", "[spec]") {
  Random random(3);
  int survived = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string family = i % 2 == 0 ? mutated(random, kFamily) : kFamily;
    const std::string variant = i % 2 == 0 ? kVariant : mutated(random, kVariant);
    CAPTURE(family, variant);
    survived += survives([&] { exercise(family, variant); }) ? 1 : 0;
  }
  CHECK(survived > 10);
  CHECK(survived < 900);
}
