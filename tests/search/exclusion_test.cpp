// The constraint that failures suggest: found where there is one, in the simplest form that says it, and not where
// chance made a pattern.

#include "search/exclusion.h"

#include <ctime>
#include <functional>

#include "base/random.h"
#include "catch.h"

using namespace kerlab;

namespace {

using Row = std::vector<std::int64_t>;

const std::vector<std::string> kNames{"BM", "BN", "BK", "TM", "TN", "STAGES", "PAD", "DB"};
const std::vector<Row> kValues{{64, 128, 256}, {64, 128, 256},  {8, 16, 32}, {4, 8},
                               {4, 8},         {2, 3, 4, 5, 6}, {0, 4},      {0, 1}};
enum Column { BM, BN, BK, TM, TN, STAGES, PAD, DB };

ExclusionData drawn(std::size_t count, const std::function<bool(const Row&, std::uint64_t&)>& fails,
                    std::uint64_t seed = 1, const std::vector<std::string>& names = kNames,
                    const std::vector<Row>& values = kValues) {
  ExclusionData data;
  data.parameters = names;
  for (std::size_t i = 0; i < count; ++i) {
    Row row;
    for (const Row& choices : values) row.push_back(choices[random_below(seed, choices.size())]);
    (fails(row, seed) ? data.failed : data.healthy).push_back(row);
  }
  return data;
}

std::string only_condition(const ExclusionData& data) {
  const std::vector<Exclusion> found = find_exclusions(data);
  REQUIRE(found.size() == 1);
  CHECK(found.front().excluded == data.failed.size());
  CHECK(found.front().chance < kMostChance);
  return found.front().condition;
}

std::string condition_where(const std::function<bool(const Row&)>& fails) {
  return only_condition(drawn(160, [&](const Row& row, std::uint64_t&) { return fails(row); }));
}

}  // namespace

TEST_CASE("exclusion: one comparison", "[search]") {
  CHECK(condition_where([](const Row& r) { return r[STAGES] >= 5; }) == "STAGES < 5");
  CHECK(condition_where([](const Row& r) { return r[STAGES] <= 2; }) == "STAGES > 2");
  CHECK(condition_where([](const Row& r) { return r[BM] == 128; }) == "BM != 128");
  CHECK(condition_where([](const Row& r) { return r[STAGES] != 4; }) == "STAGES == 4");
  CHECK(condition_where([](const Row& r) { return r[STAGES] % 2 != 0; }) == "STAGES % 2 == 0");
  CHECK(condition_where([](const Row& r) { return r[DB] == 1; }) == "DB == 0");
  CHECK(condition_where([](const Row& r) { return r[DB] == 0; }) == "DB == 1");
}

TEST_CASE("exclusion: conjunctions of two and of three", "[search]") {
  CHECK(condition_where([](const Row& r) { return r[BN] == 128 && r[DB] == 1; }) == "BN != 128 || DB == 0");
  CHECK(condition_where([](const Row& r) { return r[STAGES] % 2 == 1 && r[PAD] == 4; }) ==
        "STAGES % 2 == 0 || PAD < 4");
  CHECK(condition_where([](const Row& r) { return r[BN] == 128 && r[DB] == 1 && r[PAD] == 0; }) ==
        "BN != 128 || PAD > 0 || DB == 0");
}

TEST_CASE("exclusion: products, sums and quotients against a round bound", "[search]") {
  CHECK(condition_where([](const Row& r) { return r[BM] * r[STAGES] > 512; }) == "BM * STAGES <= 512");
  CHECK(condition_where([](const Row& r) { return r[BM] * r[BK] * r[STAGES] > 16384; }) == "BM * BK * STAGES <= 16384");
  CHECK(condition_where([](const Row& r) { return (r[BM] + r[BN]) * r[BK] * r[STAGES] * 4 > 98304; }) ==
        "(BM + BN) * BK * STAGES <= 24576");
  CHECK(condition_where([](const Row& r) { return r[BM] * r[BN] / (r[TM] * r[TN]) > 512; }) ==
        "BM * BN / (TM * TN) <= 512");
  CHECK(condition_where([](const Row& r) { return r[BM] * r[BN] < 8192; }) == "BM * BN >= 8192");
}

TEST_CASE("exclusion: two causes at once are two constraints, and some failures may be left", "[search]") {
  const auto fails = [](const Row& r, std::uint64_t& state) {
    return r[STAGES] == 6 || (r[BM] == 64 && r[DB] == 1) || random_below(state, 40) == 0;
  };
  const ExclusionData data = drawn(400, fails);
  const std::vector<Exclusion> found = find_exclusions(data);
  REQUIRE(found.size() == 2);
  CHECK(found[0].condition == "STAGES < 6");
  CHECK(found[1].condition == "BM > 64 || DB == 0");
  CHECK(found[0].excluded + found[1].excluded < data.failed.size());
}

TEST_CASE("exclusion: what it says is true of the data", "[search]") {
  // Whatever fails, at most what is claimed is excluded, and nothing healthy: judged by the data it was made of.
  const ExclusionData data = drawn(160, [](const Row& r, std::uint64_t&) { return r[BK] * r[TM] * r[TN] > 500; });
  CHECK(only_condition(data) == "BK * TM * TN <= 256");
  for (const Row& row : data.healthy) CHECK(row[BK] * row[TM] * row[TN] <= 256);
  for (const Row& row : data.failed) CHECK(row[BK] * row[TM] * row[TN] > 256);
}

TEST_CASE("exclusion: chance is not a pattern", "[search]") {
  std::size_t claims = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const std::uint64_t share = 2 + seed % 19;
    const auto fails = [share](const Row&, std::uint64_t& state) { return random_below(state, share) == 0; };
    claims += find_exclusions(drawn(160, fails, seed)).size();
  }
  CHECK(claims == 0);
}

TEST_CASE("exclusion: too few failures, too few healthy ones, all of them failed", "[search]") {
  const auto fails = [](const Row& r, std::uint64_t&) { return r[STAGES] == 6; };
  ExclusionData data = drawn(160, fails);
  data.failed.resize(2);
  CHECK(find_exclusions(data).empty());
  data = drawn(160, fails);
  data.failed.resize(3);
  CHECK(only_condition(data) == "STAGES < 6");
  data.healthy.resize(7);  // three of ten: half of all predicates would do
  CHECK(find_exclusions(data).empty());
  data.healthy.clear();
  CHECK(find_exclusions(data).empty());
}

TEST_CASE("exclusion: 5,000 configurations of 20 parameters take a moment", "[search]") {
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back("P" + std::to_string(i));
  const std::vector<Row> values(20, Row{8, 16, 32, 64, 128, 256});
  const auto half = [](const Row&, std::uint64_t& state) { return random_below(state, 2) == 0; };
  const auto three = [](const Row& r, std::uint64_t&) { return r[3] >= 64 && r[7] <= 16 && r[11] == 32; };
  const std::clock_t begun = std::clock();
  CHECK(find_exclusions(drawn(5000, half, 1, names, values)).empty());
  CHECK(only_condition(drawn(5000, three, 1, names, values)) == "P3 < 64 || P7 > 16 || P11 != 32");
  // 0.2 s each where nothing slows it; instrumented builds take longer.
  CHECK(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC < 5);
}
