#include "verify/error_map.h"

#include "catch.h"

using namespace kerlab;

namespace {

/// An output of which every element was looked at; `wrong` says of a row and a column whether it is.
template <typename Wrong>
ErrorMap map_of(const std::vector<std::int64_t>& shape, const Wrong& wrong) {
  const Tensor output{"D", DType::bf16, Role::output, shape};
  ErrorMap map(output);
  const std::int64_t columns = shape.back();
  for (std::int64_t i = 0; i < output.elements(); ++i) map.see(i, wrong(i / columns, i % columns));
  return map;
}

template <typename Wrong>
std::string sentence(const Wrong& wrong, const std::vector<std::int64_t>& shape = {256, 256}) {
  return map_of(shape, wrong).sentence();
}

}  // namespace

TEST_CASE("where errors lie is said in one sentence", "[verify]") {
  CHECK(sentence([](auto, auto) { return false; }).empty());
  CHECK(sentence([](auto, auto) { return true; }) == "every element is wrong");
  CHECK(sentence([](auto r, auto c) { return r == 17 && c == 3; }) == "one element");
  CHECK(sentence([](auto, auto c) { return c == 255; }) == "last column only");
  CHECK(sentence([](auto r, auto) { return r == 0; }) == "first row only");
  CHECK(sentence([](auto, auto c) { return c >= 252; }) == "columns from 252 on (the last 4) only");
  CHECK(sentence([](auto r, auto) { return r % 16 >= 8; }) == "rows 8..15 of every 16 only (as one warp's rows are)");
  CHECK(sentence([](auto, auto c) { return c % 8 == 7; }) == "columns 7 of every 8 only");
  CHECK(sentence([](auto r, auto) { return r == 3 || r == 90 || r == 101; }) == "rows 3, 90, 101 only");
  CHECK(sentence([](auto r, auto c) { return r == 255 && c >= 250; }) ==
        "last row, columns from 250 on (the last 6) only");
}

TEST_CASE("tiles are recognised, also where some elements are right by chance", "[verify]") {
  CHECK(sentence([](auto r, auto c) { return (r / 64 == 1 && c / 64 == 2) || (r / 64 == 2 && c / 64 == 3); }) ==
        "tile-aligned: every element of the 64 x 64 tiles (1, 2), (2, 3)");
  CHECK(sentence([](auto r, auto c) { return r / 64 == 3 && c / 128 == 0; }) ==
        "tile-aligned: every element of the 64 x 128 tile (3, 0)");
  CHECK(sentence([](auto r, auto c) { return r / 64 == 1 && c / 64 == c % 2 + 1 && (r * 7 + c * 3) % 10 != 0; }) != "");
  CHECK(sentence([](auto r, auto c) { return r / 32 == 5 && c / 32 == 2 && (r * 7 + c * 3) % 10 != 0; }) ==
        "tile-aligned: 90 % of the elements of the 32 x 32 tile (5, 2)");
}

TEST_CASE("what has no shape is called scattered", "[verify]") {
  const std::string text = sentence([](auto r, auto c) { return (r * 131 + c * 17) % 251 == 0; });
  CHECK_THAT(text, Catch::Contains("scattered: ") && Catch::Contains("%)"));
}

TEST_CASE("an output of one dimension, and several matrices", "[verify]") {
  const Tensor line{"y", DType::fp32, Role::output, {10000}};
  ErrorMap map(line);
  for (std::int64_t i = 0; i < 10000; ++i) map.see(i, i >= 9984);
  CHECK(map.sentence() == "elements from 9984 on (the last 16) only");
  REQUIRE(map.picture().size() == 14);  // 16 elements a character, 48 characters a line
  CHECK(map.scale() == "a character is 16 elements");
  CHECK(map.picture().back() == "#");  // 13 lines are 9984

  const ErrorMap batch = map_of({3, 8, 8}, [](auto r, auto c) { return r == 8 && c == 2; });
  CHECK(batch.sentence() == "one element");
  CHECK(batch.picture()[0] == "..#.....");
  CHECK(batch.scale() == "a character is 1 x 1 element, of 3 matrices one above the other");
}

TEST_CASE("the picture has at most 16 lines of 48, and blanks where nobody looked", "[verify]") {
  const ErrorMap map = map_of({1000, 5000}, [](auto r, auto c) { return r >= 960 && c >= 4992; });
  CHECK(map.picture().size() <= 16);
  CHECK(map.picture().front().size() <= 48);
  CHECK(map.scale() == "a character is 64 x 128 elements");
  CHECK(map.picture().back().back() == '#');
  const Tensor output{"D", DType::bf16, Role::output, {4, 4}};
  ErrorMap few(output);
  few.see(5, true);
  few.see(6, false);
  CHECK(few.picture() == std::vector<std::string>{"    ", " #. ", "    ", "    "});
}

TEST_CASE("indices in words", "[verify]") {
  CHECK(describe_indices({0, 1, 2}, 3, "row").text.empty());
  CHECK(describe_indices({5}, 9, "row").text == "row 5");
  CHECK(describe_indices({0, 1, 2}, 9, "row").text == "rows up to 2");
  CHECK(describe_indices({4, 5}, 9, "row").text == "rows 4..5");
  CHECK(describe_indices({1, 3, 5, 7}, 9, "row").text == "rows 1 of every 2");
  CHECK(completed({1, 2, 4, 5}, 100) == std::vector<std::int64_t>{1, 2, 3, 4, 5});
  CHECK(completed({1, 2, 40}, 100) == std::vector<std::int64_t>{1, 2, 40});
  CHECK(completed({1, 5, 13, 17, 21, 25}, 28) == std::vector<std::int64_t>{1, 5, 9, 13, 17, 21, 25});
  CHECK(describe_indices({1, 3, 5, 7}, 9, "row").periodic);
  CHECK_FALSE(describe_indices({1, 2, 4, 8, 16, 32, 64}, 100, "row").complete);
  CHECK(describe_indices({1, 2, 4, 8, 16, 32, 64}, 100, "row").text == "rows 1, 2, 4, 8, 16, 32 and 1 more");
}
