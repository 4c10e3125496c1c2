// Parameters whose values are words: names, booleans, dtypes.
#include "spec/spec_fixture.h"

#include <algorithm>

#include "catch.h"
#include "spec/space/completed_configuration.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// Made when it is asked for: it is of another file's text.
std::string variant_of_words() {
  return replaced(kVariant, R"([[derived]]
name = "THREADS")",
                  R"([[parameter]]
name = "ORDER"
values = ["row", "col"]
[[parameter]]
name = "LDG"
values = [true, false]
default = false
[[parameter]]
name = "SUM"
values = ["fp32", "bf16"]
[[derived]]
name = "THREADS")");
}

std::string words_error(const std::string& from, const std::string& to) {
  return load_error(kFamily, replaced(variant_of_words(), from, to));
}

bool has_define(const std::vector<std::string>& list, const std::string& item) {
  return std::ranges::count(list, item) > 0;
}

}  // namespace

TEST_CASE("parameters: words are typed, shown and stored as they are written", "[spec]") {
  const KernelFolder folder = load_specs(kFamily, variant_of_words());
  const Variant& variant = folder.variants[0];
  CHECK(configuration_text(variant, default_configuration(variant)) == "BM=32 BN=16 ORDER=row LDG=false SUM=fp32");
  const Configuration typed = parse_configuration(variant, "ORDER=col,LDG=true,SUM=bf16,BM=16");
  CHECK(configuration_text(variant, typed) == "BM=16 BN=16 ORDER=col LDG=true SUM=bf16");
  CHECK(parse_configuration(variant, "LDG=1") == parse_configuration(variant, "LDG=true"));
  CHECK(listed_values(variant.parameters[3]) == "true, false");
  CHECK_THROWS_WITH(parse_configuration(variant, "ORDER=diagonal"),
                    "'ORDER=diagonal': 'diagonal' is not one of row, col");
  CHECK_THROWS_WITH(parse_configuration(variant, "ORDER=0"), "'ORDER=0': '0' is not one of row, col");
  CHECK(raw_size(variant) == 3 * 2 * 2 * 2 * 2);
}

TEST_CASE("parameters: a word is a macro, its own macro, and a name of expressions", "[spec]") {
  const KernelFolder folder = load_specs(
      kFamily,
      replaced(replaced(variant_of_words(), "value = \"BM * BN / 4\"", "value = \"ORDER.col ? 64 : SUM.bytes * 8\""),
               "condition = \"BM == BN\"", "condition = \"BM == BN && (ORDER.row || LDG)\""));
  const Variant& variant = folder.variants[0];
  const Problem problem = make_problem(folder.family, {});
  const auto defines = [&](const std::string& text) {
    return instantiate(folder.family, variant, problem, parse_configuration(variant, text), h200()).defines;
  };
  const std::vector<std::string> row = defines("BM=16,SUM=bf16");
  for (const char* define :
       {"-DORDER=row", "-DORDER_ROW=1", "-DLDG=0", "-DSUM=bf16_t", "-DSUM_BF16=1", "-DSUM_BYTES=2", "-DTHREADS=16"}) {
    CAPTURE(define);
    CHECK(has_define(row, define));
  }
  CHECK(std::ranges::none_of(row, [](const std::string& one) { return one.find('.') != std::string::npos; }));
  const std::vector<std::string> col = defines("ORDER=col,LDG=true");
  for (const char* define : {"-DORDER=col", "-DORDER_COL=1", "-DLDG=1", "-DSUM=fp32_t", "-DTHREADS=64"}) {
    CAPTURE(define);
    CHECK(has_define(col, define));
  }
  // Of 2 x 2 squares, those with columns and without LDG are left out.
  CHECK(enumerate(variant, problem, h200()).count == 2 * (8 - 2));
  CHECK_THAT(completion_remark(complete_configuration(variant, problem, h200(), "ORDER=col,BM=16,BN=16,SUM=fp32")),
             Catch::Contains("LDG false -> true"));
}

TEST_CASE("parameters: a kernel's name and its options take words", "[spec]") {
  const KernelFolder folder = load_specs(
      kFamily, replaced(variant_of_words(), "kernel = \"tile\"", "kernel = \"tile<{ORDER}, {SUM}, {LDG}, {DTYPE}>\""));
  const Variant& variant = folder.variants[0];
  const Instance instance = instantiate(folder.family, variant, make_problem(folder.family, {}),
                                        parse_configuration(variant, "ORDER=col,SUM=bf16,BM=16"), h200());
  CHECK(instance.plan.launches[0].kernel == "tile<col, __nv_bfloat16, 0, __nv_bfloat16>");
}

TEST_CASE("parameters: what is wrong with words is an error with its place", "[spec]") {
  CHECK(words_error("\"row\", \"col\"", "\"row\", 1") ==
        "tile.toml:11:18: expected a string, not an integer ('values' of parameter 'ORDER')");
  CHECK(words_error("\"row\", \"col\"", "\"row\", \"row major\"") ==
        "tile.toml:11:18: 'row major': an integer, true or false, or a name: a letter or _, then letters, digits, _ "
        "('values' of parameter 'ORDER')");
  CHECK(words_error("\"row\", \"col\"", "\"row\", \"Row\"") ==
        "tile.toml:11:18: row and Row would be one macro, ORDER_ROW ('values' of parameter 'ORDER')");
  CHECK(words_error("[true, false]", "[true, true]") ==
        "tile.toml:14:10: true is listed twice ('values' of parameter 'LDG')");
  CHECK(words_error("default = false", "default = 0") ==
        "tile.toml:15:11: 0 is not one of true, false ('default' of parameter 'LDG')");
  CHECK_THAT(words_error("condition = \"BM == BN\"", "condition = \"ORDER == 0\""),
             Catch::Contains("unknown name 'ORDER': a parameter of names has no integer value; ORDER.row has"));
  CHECK_THAT(words_error("condition = \"BM == BN\"", "condition = \"ORDER.rows\""),
             Catch::Contains("unknown name 'ORDER.rows', did you mean 'ORDER.row'?"));
}
