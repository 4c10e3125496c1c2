// What figures may grow by, and what a change of them amounts to.

#include "session/find/regress_margins.h"
#include "catch.h"

using namespace kerlab;
using Judgement = FigureChange::Judgement;

namespace {

Judgement judged(const std::vector<Figure>& before, const std::vector<Figure>& after, const std::string& name,
                 const Margins& margins = {}) {
  for (const FigureChange& change : compare_figures(before, after, margins))
    if (change.name == name) return change.judgement;
  return Judgement::untold;
}

}  // namespace

TEST_CASE("regress: figures are judged by margins of their own", "[session][regress]") {
  CHECK(judged({{"instructions", 1000}}, {{"instructions", 1010}}, "instructions") == Judgement::within);
  CHECK(judged({{"instructions", 1000}}, {{"instructions", 1011}}, "instructions") == Judgement::worse);
  CHECK(judged({{"instructions", 1000}}, {{"instructions", 980}}, "instructions") == Judgement::better);
  CHECK(judged({{"flops", 1000}}, {{"flops", 1001}}, "flops") == Judgement::worse);
  CHECK(judged({}, {{"spill_bytes", 4}}, "spill_bytes") == Judgement::worse);
  CHECK(judged({{"atomics", 7}}, {}, "atomics") == Judgement::better);
  // More registers alone are nothing; fewer threads at once are.
  CHECK(judged({{"registers", 32}}, {{"registers", 64}}, "registers") == Judgement::untold);
  CHECK(judged({{"occupancy", 2048}}, {{"occupancy", 1024}}, "occupancy") == Judgement::worse);
  CHECK(judged({{"occupancy", 1024}}, {{"occupancy", 2048}}, "occupancy") == Judgement::better);
  CHECK(judged({{"a figure of tomorrow", 1}}, {{"a figure of tomorrow", 2}}, "a figure of tomorrow") ==
        Judgement::untold);
}

TEST_CASE("regress: classes of instructions count where they matter", "[session][regress]") {
  const auto with = [](double all, double integer) {
    return std::vector<Figure>{{"instructions", all}, {"instructions_integer", integer}};
  };
  CHECK(judged(with(100000, 50), with(100000, 90), "instructions_integer") == Judgement::within);
  CHECK(judged(with(100000, 5000), with(100000, 5200), "instructions_integer") == Judgement::worse);
  // More of one class and less on the whole is no loss.
  CHECK(judged(with(100000, 5000), with(90000, 5200), "instructions_integer") == Judgement::within);
}

TEST_CASE("regress: worse comes first, and more of it before less", "[session][regress]") {
  const auto changes =
      compare_figures({{"flops", 10}, {"instructions", 100}, {"registers", 8}, {"global_sectors", 10}},
                      {{"flops", 9}, {"instructions", 150}, {"registers", 9}, {"global_sectors", 40}}, {});
  REQUIRE(changes.size() == 4);
  CHECK(changes[0].name == "global_sectors");
  CHECK(changes[1].name == "instructions");
  CHECK(changes[2].name == "flops");
  CHECK(changes[3].name == "registers");
}

TEST_CASE("regress: margins as typed and from files", "[session][regress]") {
  Margins margins;
  CHECK(margins.text().empty());
  margins.set("instructions=5%");
  CHECK(judged({{"instructions", 1000}}, {{"instructions", 1040}}, "instructions", margins) == Judgement::within);
  margins.set("instructions=0.001");
  CHECK(judged({{"instructions", 1000}}, {{"instructions", 1002}}, "instructions", margins) == Judgement::worse);
  margins.set("instructions=off");
  CHECK(judged({{"instructions", 1000}}, {{"instructions", 9000}}, "instructions", margins) == Judgement::untold);
  margins.set("registers=10 %");
  CHECK(judged({{"registers", 100}}, {{"registers", 120}}, "registers", margins) == Judgement::worse);

  Margins again;
  again.read(parse_toml(margins.text(), "margins.toml").items.front());
  CHECK(again.text() == margins.text());
  CHECK_THROWS_WITH(margins.set("instruction=1%"), Catch::Contains("did you mean instructions?"));
  CHECK_THROWS_WITH(margins.set("instructions"), Catch::Contains("FIGURE=SHARE"));
  for (const std::string wrong :
       {"instructions=", "instructions=-1", "instructions=nan", "instructions=1e999", "instructions=5 percent"})
    CHECK_THROWS_AS(margins.set(wrong), UsageError);
  CHECK_THROWS_WITH(margins.read(parse_toml("[margins]\nflops = true\n", "m.toml").items.front()),
                    Catch::Contains("m.toml:2:1"));
}

TEST_CASE("regress: a kernel may not become less exact", "[session][regress]") {
  CHECK_FALSE(less_exact(0.2, 0.26, {}));
  CHECK(less_exact(0.2, 0.28, {}));
  CHECK_FALSE(less_exact(0, 0.02, {}));
  CHECK(less_exact(0, 0.03, {}));
  Margins margins;
  margins.set("error_ratio=off");
  CHECK_FALSE(less_exact(0.2, 0.9, margins));
}
