// Kernels that take ids of a range, on the emulated device: under some recipe an index that is clamped, or an element
// that should be ignored, is told.

#include "catch.h"
#include "session/check/check_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

TEST_CASE("integers of a range: a clamped index, and one that is not ignored, are wrong", "[session][emulated]") {
  // 1: the last row is taken for the last but one; 2: nothing is ignored; 3: the first of a warp is everyone's.
  check_bugs_are_told(
      {.name = "pick",
       .dimensions = {{"N", 1001}, {"V", 5000}},
       .inputs = {{"table", "float", "", "\"V\""},
                  {"ids", "long long", "dtype = \"int64\"\nrange = [\"1 - V\", 1]\nignored = \"V + 7\""}},
       .more = "[[recipe]]\nname = \"normal\"\n[[recipe]]\nname = \"small_integer\"\n"
               "[[recipe]]\nname = \"sorted_ids\"\nbase = \"normal\"\nintegers = \"sorted\"",
       .bytes = "8 * N + 8 * N",
       .reference = "value[j] = ids[i] == V + 7 ? ACC(0) : ACC(table[-ids[i]]);\n  scale[j] = 0;",
       .kernel = "const long long id = ids[BUG == 3 ? i / 32 * 32 : i];\n"
                 "  long long row = -id;\n"
                 "  if (BUG == 1 && V > 1) row = row < V - 2 ? row : V - 2;\n"
                 "  if (BUG == 2 && id == V + 7) row = 0;\n"
                 "  y[i] = id == V + 7 && BUG != 2 ? 0 : table[row];",
       .bugs = 3});
}

TEST_CASE("integers of 32 bits, added up in no more: wrong, without any recipe of the family", "[session][emulated]") {
  // 1: in 32 bits; 2: in fp32.
  check_bugs_are_told(
      {.name = "int_sum",
       .dtypes = "\"int32\"",
       .dimensions = {{"M", 20}, {"N", 300}},
       .inputs = {{"x", "int", "", "\"M\", \"N\""}},
       .output = {"y", "long long", "dtype = \"int64\"", "\"M\""},
       .flops = "M * N",
       .bytes = "4 * M * N",
       .reference = "ACC sum = 0;\n  for (int k = 0; k < N; ++k) sum += x[i * N + k];\n"
                    "  value[j] = sum;\n  scale[j] = 0;",
       .kernel =
           "long long sum = 0;\n  unsigned short_sum = 0;\n  float float_sum = 0;\n"
           "  for (int k = 0; k < N; ++k) {\n"
           "    const int term = x[static_cast<long long>(i) * N + k];\n"
           "    sum += term, short_sum += term, float_sum += term;\n  }\n"
           "  y[i] = BUG == 1 ? static_cast<int>(short_sum) : BUG == 2 ? static_cast<long long>(float_sum) : sum;",
       .bugs = 2,
       .threads = "M"});
}
