// wgmma.mma_async through its handlers, against a model that computes element by element from the matrices, which were
// laid into shared memory by other code than the handlers'.
#include <cstdio>
#include <string>
#include <vector>

#include "catch.h"
#include "wgmma_lab.h"

namespace kerlab::emu {
namespace {

using cases::Case;
using cases::Form;
using cases::Suite;
using cases::Type;

/// Elements that differ from the model; says the first.
long differences(const Form& form, const Case& one, const std::vector<std::uint32_t>& got, std::string& first) {
  long wrong = 0;
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < form.n; ++column) {
      const std::uint32_t want = wgmma_model(form, one, row, column);
      const std::uint32_t is = got[static_cast<std::size_t>(row * form.n + column)];
      if (is == want) continue;
      if (wrong++ == 0) {
        char text[96];
        std::snprintf(text, sizeof text, "row %d column %d: %08x instead of %08x", row, column, is, want);
        first = text;
      }
    }
  }
  return wrong;
}

void check_suite(const Suite& suite) {
  for (const WgmmaIsa& isa : wgmma_isas()) {
    WgmmaLab lab(suite.form, isa.select);
    for (std::size_t i = 0; i < suite.cases.size(); ++i) {
      lab.load(suite.cases[i]);
      lab.run();
      std::string first;
      const long wrong = differences(suite.form, suite.cases[i], lab.result(), first);
      INFO(isa.name << ", " << suite.form.describe() << ", case " << i << ": " << first);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("wgmma follows the rule for operands of all kinds and types", "[wgmma]") {
  for (const Suite& suite : cases::suites())
    if (suite.name == "values") check_suite(suite);
}

TEST_CASE("wgmma finds its operands in every layout", "[wgmma]") {
  for (const Suite& suite : cases::suites())
    if (suite.name == "swizzles" && suite.form.n <= 64) check_suite(suite);
}

TEST_CASE("wgmma finds its operands in every layout of many columns", "[wgmma]") {
  for (const Suite& suite : cases::suites())
    if (suite.name == "swizzles" && suite.form.n > 64) check_suite(suite);
}

}  // namespace
}  // namespace kerlab::emu
