// wgmma.mma_async through its handlers, against a model that computes element by element from the matrices, which were
// laid into shared memory by other code than the handlers'.
#include <algorithm>
#include <chrono>
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

// 64 x 256 by the k of one instruction, from shared memory, as in the loop of a GEMM: the four warps one after the
// other, four instructions each (a k of 128 bytes).
TEST_CASE("speed of wgmma", "[.bench][wgmma-bench]") {
  std::vector<Form> forms = {{Type::f32, Type::bf16, Type::bf16}, {Type::f32, Type::f16, Type::f16},
                             {Type::f16, Type::f16, Type::f16},   {Type::f32, Type::tf32, Type::tf32},
                             {Type::f32, Type::e4m3, Type::e4m3}, {Type::s32, Type::s8, Type::s8}};
  for (const WgmmaIsa& isa : wgmma_isas()) {
    for (Form form : forms) {
      form.n = 256;
      form.image_bytes = 45056;
      for (const int kind : {int{cases::integers}, int{cases::normal}, int{cases::wide}}) {
        cases::Random random(5);
        Case one = cases::random_case(random, form, kind, kind, kind == cases::integers ? cases::zeros : cases::normal);
        cases::pack(form, one, 1, 1);
        WgmmaLab lab(form, isa.select);
        lab.load(one);
        double best = 1;
        for (int repeat = 0; repeat < (isa.select == portable::select_wgmma ? 2 : 40); ++repeat) {
          // Sums that keep the size they have in a GEMM.
          lab.load(one);
          constexpr int kRounds = 4;
          const auto start = std::chrono::steady_clock::now();
          for (int round = 0; round < kRounds; ++round) {
            for (std::size_t w = 0; w < 4; ++w)
              for (int k = 0; k < 4; ++k) lab.run_warp(w);
          }
          best = std::min(
              best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / (4 * kRounds));
          for (std::size_t w = 0; w < 4; ++w) wait_wgmma(lab.warp(w), lab.op(), 0);
          lab.cta().wgmma.clear();
        }
        std::printf("%-9s %-28s %-8s %8.2f us %7.1f GFLOP/s\n", isa.name, form.describe().c_str(),
                    kind == cases::integers ? "integers"
                    : kind == cases::normal ? "normals"
                                            : "wide",
                    best * 1e6, 2.0 * 64 * form.n * form.k() / best * 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace kerlab::emu
