// Elements that are compared where not all are.
#include <algorithm>
#include <set>

#include "catch.h"
#include "verify/emulated/chosen_elements.h"

using namespace kerlab::verify;

namespace {

std::set<std::int64_t> rows_of(const std::vector<std::int64_t>& elements, std::int64_t width) {
  std::set<std::int64_t> rows;
  for (const std::int64_t element : elements) rows.insert(element / width);
  return rows;
}

}  // namespace

TEST_CASE("rows: few of many, each whole, the first and the last among them", "[verify]") {
  const std::vector<Stride> strides = {{128 * 10, 128 * 1000}, {128 * 5000, 128 * 2000}};
  const std::vector<std::int64_t> elements = whole_rows(strides, 128, {256, 1 << 16});
  CHECK(elements.size() == std::size_t{256} * 128);
  CHECK(std::ranges::is_sorted(elements));
  const std::set<std::int64_t> rows = rows_of(elements, 128);
  CHECK(rows.size() == 256);
  CHECK(*rows.begin() < 10 + 4);
  CHECK(*rows.rbegin() > 7000 - 4);
  CHECK(std::ranges::none_of(rows, [](std::int64_t row) { return row < 10 || (row >= 1010 && row < 5000); }));
  CHECK(std::ranges::count_if(rows, [](std::int64_t row) { return row < 1010; }) > 60);
}

TEST_CASE("rows: of what was written of them, and of long ones some elements", "[verify]") {
  const std::vector<std::int64_t> halves = whole_rows({{0, 64}, {128, 64}, {256, 64}}, 128, {256, 1 << 16});
  CHECK(halves.size() == 3 * 64);
  CHECK(std::ranges::none_of(halves, [](std::int64_t element) { return element % 128 >= 64; }));
  const std::vector<std::int64_t> some = whole_rows({{0, 100'000 * 8}}, 100'000, {256, 4096});
  CHECK(some.size() == 4096);
  CHECK(rows_of(some, 100'000).size() == 8);
  CHECK(whole_rows({}, 128, {256, 4096}).empty());
}

TEST_CASE("thinned: all of few, of many so many, spread evenly", "[verify]") {
  CHECK(thinned(std::vector<Stride>{{5, 3}, {20, 2}}, 10) == std::vector<std::int64_t>{5, 6, 7, 20, 21});
  const std::vector<std::int64_t> chosen = thinned(std::vector<Stride>{{0, 1'000'000}}, 1000);
  REQUIRE(chosen.size() == 1000);
  for (std::size_t i = 0; i < chosen.size(); ++i) CHECK(chosen[i] / 1000 == static_cast<std::int64_t>(i));
}
