// Integers of a range that have an order within their row: permutations, distinct ids, columns of sparse matrices.
#include <algorithm>
#include <functional>
#include <set>

#include "catch.h"
#include "common/recipe.h"
#include "verify/input/input_value.h"

using namespace kerlab;

namespace {

constexpr std::int64_t kRows = 40, kColumns = 13;

/// `columns` of `range` integers in each of kRows rows; `parts`: rows are uneven parts of as many things.
ProblemPlan plan_with(IntegerOrder order, std::int64_t range, bool parts) {
  ProblemPlan plan;
  plan.key = "ordered";
  plan.tensors = {{"starts", DType::int32, Role::input, {kRows + 1}, kRows * kColumns},
                  {"ids", DType::int32, Role::input, {kRows, kColumns}}};
  plan.tensors[1].range = {100, 100 + range, {}, order, parts ? "starts" : ""};
  if (parts) plan.tensors[1].shape = {kRows * kColumns};
  return plan;
}

Recipe drawn(const std::string& integers, const std::string& parts = "gaps", std::uint64_t seed = 1) {
  Recipe recipe;
  recipe.seed = seed;
  recipe.integers = integers;
  recipe.parts = parts;
  return recipe;
}

/// The integers of each row, less the least of the range.
std::vector<std::vector<std::int64_t>> rows_of(const ProblemPlan& plan, const Recipe& recipe) {
  const InputValues starts(plan, recipe, "starts"), ids(plan, recipe, "ids");
  const bool parts = !plan.tensors[1].range.rows.empty();
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t row = 0; row < kRows; ++row) {
    const auto begin = parts ? static_cast<std::int64_t>(starts.at(row)) : row * kColumns;
    const auto end = parts ? static_cast<std::int64_t>(starts.at(row + 1)) : begin + kColumns;
    rows.emplace_back();
    for (std::int64_t i = begin; i < end; ++i) rows.back().push_back(static_cast<std::int64_t>(ids.at(i)) - 100);
  }
  return rows;
}

}  // namespace

TEST_CASE("distinct integers: none twice in a row; as many as there are make a permutation", "[verify]") {
  for (const auto pattern : kIntegerPatterns)
    for (const std::int64_t range : {kColumns, kColumns + 1, std::int64_t{1000}, std::int64_t{1} << 30}) {
      CAPTURE(pattern, range);
      for (const auto& row : rows_of(plan_with(IntegerOrder::distinct, range, false), drawn(std::string(pattern)))) {
        CHECK(std::set(row.begin(), row.end()).size() == row.size());
        CHECK(*std::ranges::min_element(row) >= 0);
        CHECK(*std::ranges::max_element(row) < range);
      }
    }
}

TEST_CASE("drawn permutations differ from row to row and from seed to seed", "[verify]") {
  const ProblemPlan plan = plan_with(IntegerOrder::distinct, kColumns, false);
  const auto one = rows_of(plan, drawn("uniform")), other = rows_of(plan, drawn("uniform", "gaps", 2));
  CHECK(std::set(one.begin(), one.end()).size() == one.size());
  CHECK(one != other);
  std::set<std::int64_t> first;
  for (const auto& row : one) first.insert(row.front());
  CHECK(first.size() > kColumns / 2);
  CHECK(rows_of(plan, drawn("ramp")).front().at(5) == 5);
  CHECK(rows_of(plan, drawn("equal")).front().front() == kColumns - 1);
  CHECK(std::ranges::is_sorted(rows_of(plan, drawn("reversed")).front(), std::greater<>()));
}

TEST_CASE("rising integers: the columns of a sparse matrix are sorted, and none is there twice where there is room",
          "[verify]") {
  for (const auto pattern : kIntegerPatterns)
    for (const auto parts : kPartsPatterns)
      for (const std::int64_t range : {3, 13, 1000}) {
        CAPTURE(pattern, parts, range);
        const Recipe recipe = drawn(std::string(pattern), std::string(parts));
        std::size_t all = 0;
        for (const auto& row : rows_of(plan_with(IntegerOrder::rising, range, true), recipe)) {
          all += row.size();
          if (row.empty()) continue;
          CHECK(std::ranges::is_sorted(row));
          CHECK(row.front() >= 0);
          CHECK(row.back() < range);
          if (static_cast<std::int64_t>(row.size()) <= range) CHECK(std::ranges::adjacent_find(row) == row.end());
        }
        CHECK(all == kRows * kColumns);
      }
}

TEST_CASE("a banded matrix keeps near its diagonal, and its ends are used", "[verify]") {
  const auto rows = rows_of(plan_with(IntegerOrder::rising, 1000, true), drawn("banded", "even"));
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (const std::int64_t column : rows[row])
      CHECK(std::abs(column - static_cast<std::int64_t>(row) * 1000 / kRows) <= 2 * kColumns);
  const auto ends = rows_of(plan_with(IntegerOrder::rising, 1000, true), drawn("ends", "even"));
  CHECK(ends.front().front() == 0);
  CHECK(ends.front().back() == 999);
}

TEST_CASE("parts: even ones differ by one at most, those of a power law hold half of all in few", "[verify]") {
  const auto sizes = [](const char* parts) {
    std::vector<std::size_t> out;
    for (const auto& row : rows_of(plan_with(IntegerOrder::rising, 1000, true), drawn("uniform", parts)))
      out.push_back(row.size());
    std::ranges::sort(out, std::greater{});
    return out;
  };
  CHECK(sizes("even").front() - sizes("even").back() <= 1);
  const auto power = sizes("power");
  CHECK(power.at(0) + power.at(1) + power.at(2) + power.at(3) > kRows * kColumns / 2);
}

TEST_CASE("all offsets at once are those that each place says", "[verify]") {
  for (const lab::u32 pattern : {lab::kRouted, lab::kGaps, lab::kEven, lab::kPower})
    for (const lab::u64 total : {0ull, 5ull, 4096ull})
      lab::for_each_part(7, 50, total, pattern, [&](lab::u64 part, lab::i64 begin) {
        CHECK(begin == lab::partition_value(7, part, 50, total, pattern));
      });
}
