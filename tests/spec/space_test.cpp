#include <algorithm>
#include <cmath>

#include "catch.h"
#include "spec/space/completed_configuration.h"
#include "spec/space/restrict.h"
#include "spec/space/unsupported.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {
const DeviceInfo kDevice = h200();

std::string constraint(const std::string& name, const std::string& condition) {
  return "[[constraint]]\nname = \"" + name + "\"\ncondition = \"" + condition + "\"\n";
}

std::string parameter(const std::string& name, int values) {
  std::string text = "[[parameter]]\nname = \"" + name + "\"\nvalues = [";
  for (int i = 1; i <= values; ++i) text += std::to_string(i) + (i < values ? ", " : "]\n");
  return text;
}

/// The legal variant with other parameters and constraints.
Variant variant_with(const std::string& text) {
  const std::string launch =
      "[[launch]]\nkernel = \"tile\"\ngrid = [\"M\"]\nblock = [32]\narguments = [\"A\", \"D\"]\n";
  return load_specs(kFamily, text + launch).variants.front();
}

Problem problem() {
  return make_problem(load_specs(kFamily, kVariant).family, {});
}
}  // namespace

TEST_CASE("space: valid configurations in order, and what each constraint cut", "[spec]") {
  const Variant variant =
      variant_with(parameter("X", 6) + parameter("Y", 5) + "[[derived]]\nname = \"AREA\"\nvalue = \"X * Y\"\n" +
                   constraint("even_area", "AREA % 2 == 0") + constraint("x_small", "X <= 3") +
                   constraint("fits", "AREA * 20000 <= device.shared_per_block"));
  const Space space = enumerate(variant, problem(), kDevice);
  CHECK(space.raw == 30);
  // Counted by hand over the 6 x 5 products.
  const std::vector<Space::Cut> cuts = constraint_cuts(variant, problem(), kDevice);
  REQUIRE(cuts.size() == 3);
  CHECK(cuts[0].constraint == "even_area");
  CHECK(cuts[0].remaining == 21);
  CHECK(cuts[1].remaining == 9);
  CHECK(cuts[2].remaining == 8);
  CHECK(space.valid.size() == 8);
  CHECK(space.count == 8);
  CHECK(std::is_sorted(space.valid.begin(), space.valid.end()));
  CHECK(configuration_text(variant, space.valid.front()) == "X=1 Y=2");
}

TEST_CASE("space: pruning on partial configurations agrees with checking each one", "[spec]") {
  const Variant variant =
      variant_with(parameter("X", 7) + parameter("Y", 6) + parameter("Z", 5) + constraint("first", "X % 3 != 0") +
                   constraint("last", "Z == 1 || (X + Z) % Z > 0") + constraint("middle", "X >= Y") +
                   constraint("problem", "M % 2 == 0"));
  const Problem p = problem();
  const Space space = enumerate(variant, p, kDevice);
  std::vector<Configuration> expected;
  for (const std::int64_t x : variant.parameters[0].values)
    for (const std::int64_t y : variant.parameters[1].values)
      for (const std::int64_t z : variant.parameters[2].values)
        if (violated_constraint(variant, p, kDevice, {{x, y, z}}).empty()) expected.push_back({{x, y, z}});
  CHECK(space.valid == expected);
  CHECK_FALSE(expected.empty());
  CHECK(constraint_cuts(variant, p, kDevice).back().remaining == expected.size());
}

TEST_CASE("space: an earlier constraint guards a later one", "[spec]") {
  const Variant variant = variant_with("[[parameter]]\nname = \"X\"\nvalues = [0, 1, 2]\n" + parameter("Y", 2) +
                                       constraint("guard", "X * Y > 0") + constraint("use", "8 / X == 4"));
  CHECK(enumerate(variant, problem(), kDevice).valid.size() == 2);
}

TEST_CASE("space: a constraint that rejects everything is named", "[spec]") {
  const Variant variant = variant_with(parameter("X", 4) + constraint("some", "X > 2") + constraint("none", "X < 2"));
  CHECK_THROWS_WITH(enumerate(variant, problem(), kDevice),
                    Catch::Contains("tile.toml:8:8: constraint 'none' rejects all 2 configurations that reach it"));
}

TEST_CASE("space: evaluation errors have the constraint's name", "[spec]") {
  const Variant variant = variant_with(parameter("X", 4) + constraint("bad", "M / (X - 2) > 0"));
  CHECK_THROWS_WITH(enumerate(variant, problem(), kDevice),
                    Catch::Contains("tile.toml:6:16: 64 / 0: division by zero ('condition' of constraint 'bad')"));
}

TEST_CASE("space: a million configurations are enumerated in a few steps each", "[spec]") {
  std::string text;
  for (const char* name : {"P1", "P2", "P3", "P4", "P5", "P6"}) text += parameter(name, 10);
  const Variant variant = variant_with(text + constraint("sum", "(P1 + P2 + P3 + P4 + P5 + P6) % 7 == 0") +
                                       constraint("order", "P1 * P6 <= 32"));
  const Space space = enumerate(variant, problem(), kDevice);
  CHECK(space.raw == 1000000);
  CHECK(constraint_cuts(variant, problem(), kDevice)[0].remaining == 142849);
  CHECK(space.steps < 12 * space.raw);
}

/// Six parameters as a tiled kernel has them, and the constraints that such kernels have, the last ones first.
std::string tiled(int values) {
  std::string text;
  for (const char* name : {"STAGES", "ORDER", "SWIZZLE", "GROUP", "SPLIT", "WM", "WN"}) text += parameter(name, values);
  return text + "[[derived]]\nname = \"THREADS\"\nvalue = \"WM * WN * 32\"\n" +
         constraint("shared", "STAGES * (WM + WN) * 4096 <= 98304") + constraint("warps", "THREADS % 128 == 0") +
         constraint("few", "THREADS <= 640") + constraint("swizzled", "SWIZZLE % 4 == 0 || ORDER == 1");
}

TEST_CASE("space: of ten million combinations hardly more is looked at than is valid, in the file's order", "[spec]") {
  const Variant variant = variant_with(tiled(10));
  const Space space = enumerate(variant, problem(), kDevice);
  CHECK(space.raw == 10'000'000);
  // shared, warps and few leave 53 triples of STAGES, WM and WN; swizzled 28 of 100 pairs; GROUP and SPLIT are free.
  CHECK(space.count == 53U * 28 * 100);
  CHECK(space.valid.size() == space.count);
  CHECK_FALSE(space.sampled);
  CHECK(std::is_sorted(space.valid.begin(), space.valid.end()));
  CHECK(space.steps < 2 * space.count);
}

TEST_CASE("space: one beyond enumeration is counted and sampled", "[spec]") {
  std::string text;
  for (int i = 0; i < 15; ++i) text += parameter("P" + std::to_string(i), 10);
  const Variant variant =
      variant_with(text + constraint("few", "P0 + P1 + P2 < 6") + constraint("chain", "P3 % 2 == 0 || P4 == 1") +
                   constraint("more", "P4 + P5 == 7") + constraint("last", "P13 > P14"));
  const Problem p = problem();
  SpaceLimits limits;
  limits.sampled = 500;
  const Space space = enumerate(variant, p, kDevice, limits);
  CHECK(space.raw == 1'000'000'000'000'000U);
  // 10 triples; P4 + P5 == 7 has 6 pairs, of which P4 == 1 takes any P3 (10) and others 5; 45 pairs P13 > P14; 10^7.
  CHECK(space.count == 10ULL * (10 + 5 * 5) * 45 * 10'000'000);
  CHECK(space.sampled);
  REQUIRE(space.valid.size() == 500);
  CHECK(std::is_sorted(space.valid.begin(), space.valid.end()));
  CHECK(std::adjacent_find(space.valid.begin(), space.valid.end()) == space.valid.end());
  for (const Configuration& configuration : space.valid)
    REQUIRE(violated_constraint(variant, p, kDevice, configuration).empty());
  CHECK(enumerate(variant, p, kDevice, limits).valid == space.valid);
  limits.seed = 2;
  CHECK(enumerate(variant, p, kDevice, limits).valid != space.valid);
}

TEST_CASE("space: a parameter may have more values than 16 bits count", "[spec]") {
  // By lines: one may have 4096 bytes.
  std::string text = "[[parameter]]\nname = \"X\"\nvalues = [\n";
  for (int i = 1; i <= 100'000; ++i) text += std::to_string(i) + (i % 100 == 0 ? ",\n" : ", ");
  const Variant variant = variant_with(text + "]\n" + constraint("late", "X >= 99998"));
  CHECK(enumerate(variant, problem(), kDevice).valid == std::vector<Configuration>{{{99998}}, {{99999}}, {{100'000}}});
}

TEST_CASE("space: what takes too long to count is an error after bounded work, however large each expression is",
          "[spec]") {
  // Nothing can be said of the sum before its last term has a value.
  std::string text, sum = "0";
  for (int i = 0; i < 60; ++i) {
    text += parameter("P" + std::to_string(i), 2);
    sum += " + P" + std::to_string(i);
  }
  const Variant hopeless = variant_with(text + constraint("sum", sum + " == 63"));
  SpaceLimits limits;
  limits.steps = 20'000'000;
  CHECK_THROWS_WITH(enumerate(hopeless, problem(), kDevice, limits),
                    Catch::Contains("too many combinations to look at"));
  const Variant variant = variant_with(parameter("X", 10) + parameter("Y", 10) + constraint("few", "X * Y <= 10"));
  const Space space = enumerate(variant, problem(), kDevice);
  CHECK(space.steps >= 10 + 100 * 6);  // values, and five operands and operators of each pair
  limits.steps = space.steps - 1;
  CHECK_THROWS_WITH(enumerate(variant, problem(), kDevice, limits), Catch::Contains("too many combinations"));
}

TEST_CASE("space: thousands of parameters with a constraint each are put in order at once", "[spec]") {
  std::string text, constraints;
  for (int i = 0; i < 4000; ++i) {
    text += parameter("P" + std::to_string(i), i == 1000 ? 3 : 1);
    constraints += constraint("c" + std::to_string(i), "P" + std::to_string(i) + " <= 2");
  }
  CHECK(enumerate(variant_with(text + constraints), problem(), kDevice).valid.size() == 2);
}

TEST_CASE("space: every valid configuration is sampled as often as any other", "[spec]") {
  // Subtrees of very different sizes: uniform choices from the root down would be far off.
  const Variant variant =
      variant_with(parameter("X", 8) + parameter("FREE", 3) + parameter("Y", 8) + parameter("Z", 4) +
                   constraint("triangle", "Y < X") + constraint("guard", "Y != 2") +
                   constraint("far", "X * Z > 6 || (Z + Y) % 2 == 0") + constraint("guarded", "X / (Y - 2) < 4"));
  const Problem p = problem();
  const std::vector<Configuration> all = enumerate(variant, p, kDevice).valid;
  SpaceLimits limits;
  limits.enumerated = 10;
  limits.sampled = 20;
  std::map<Configuration, double> drawn;
  const int rounds = 2000;
  for (limits.seed = 1; limits.seed <= rounds; ++limits.seed)
    for (const Configuration& configuration : enumerate(variant, p, kDevice, limits).valid) drawn[configuration] += 1;
  REQUIRE(drawn.size() == all.size());
  const double expected = 20.0 * rounds / static_cast<double>(all.size());
  double chi_square = 0;
  for (const auto& [configuration, times] : drawn) chi_square += (times - expected) * (times - expected) / expected;
  // Drawing without replacement varies less than chi square: below the mean; five standard deviations above it is
  // wrong.
  const double freedom = static_cast<double>(all.size() - 1);
  CHECK(chi_square < freedom + 5 * std::sqrt(2 * freedom));
  CHECK(chi_square > freedom / 2);
}

TEST_CASE("space: a constraint that others guard may come first in the walk", "[spec]") {
  // 'use' alone decides X, so it is evaluated first, and cannot be for X = 0.
  const std::string text = "[[parameter]]\nname = \"X\"\nvalues = [0, 1, 2]\n" + parameter("Y", 3) + parameter("Z", 2);
  const Variant guarded =
      variant_with(text + constraint("guard", "X * Y * Z > 0") + constraint("use", "8 / X == 4 || X == 1"));
  CHECK(enumerate(guarded, problem(), kDevice).valid.size() == 12);
  const Variant open = variant_with(text + constraint("some", "X * Y * Z >= 0") + constraint("use", "8 / X == 4"));
  CHECK_THROWS_WITH(enumerate(open, problem(), kDevice), Catch::Contains("8 / 0: division by zero"));
}

TEST_CASE("configuration: what is not typed gives way to constraints, what is typed does not", "[spec]") {
  const Variant variant = variant_with(parameter("P", 4) + parameter("Q", 4) + parameter("R", 4) +
                                       constraint("sum", "P + Q + R == 6 && R < 3"));
  const auto nearest = [&](const std::string& text) {
    return configuration_text(variant, complete_configuration(variant, problem(), kDevice, text).configuration);
  };
  CHECK(nearest("P=4") == "P=4 Q=1 R=1");  // valid with the defaults of the others
  CHECK(nearest("P=3") == "P=3 Q=1 R=2");  // the first of those that differ in one
  CHECK(nearest("P=2 R=1") == "P=2 Q=3 R=1");
  CHECK(nearest("R=4") == "P=1 Q=1 R=4");  // no valid one has it: as typed
}

TEST_CASE("configuration: what was changed to be valid is told, with what rejects what was typed", "[spec]") {
  const Variant variant = variant_with(parameter("P", 4) + parameter("Q", 4) + parameter("R", 4) +
                                       constraint("sum", "P + Q + R == 6") + constraint("small", "R < 3"));
  const auto complete = [&](const std::string& text) {
    return complete_configuration(variant, problem(), kDevice, text);
  };
  const CompletedConfiguration as_typed = complete("P=4");
  CHECK(as_typed.valid);
  CHECK(as_typed.changes.empty());
  CHECK(completion_remark(as_typed).empty());

  CHECK(completion_remark(complete("P=2")) ==
        "not valid as typed: constraint 'sum': P + Q + R == 6 does not hold; nearest valid: Q 1 -> 3");
  CHECK(completion_remark(complete("")).starts_with("the default is not valid here: constraint 'sum'"));
  CHECK_NOTHROW(require_valid(complete("P=2"), variant, problem()));

  // 'small' alone rejects what was typed, whatever P and Q are: it is named, and the nearest takes a typed value back.
  const CompletedConfiguration impossible = complete("R=4");
  CHECK_FALSE(impossible.valid);
  CHECK(impossible.broken == "constraint 'small': R < 3 does not hold");
  CHECK(changes_text(impossible.changes) == "Q 1 -> 3, R 4 -> 2");
  CHECK_THROWS_WITH(require_valid(impossible, variant, problem()),
                    Catch::Contains("R < 3 does not hold; nearest valid: Q 1 -> 3, R 4 -> 2"));
  CHECK(complete("R=9").broken == "parameter 'R': 9 is not one of 1, 2, 3, 4");
}

TEST_CASE("configuration: text both ways", "[spec]") {
  const Variant variant = load_specs(kFamily, kVariant).variants.front();
  CHECK(configuration_text(variant, default_configuration(variant)) == "BM=32 BN=16");
  CHECK(parse_configuration(variant, "BN=32,BM=64").values == std::vector<std::int64_t>{64, 32});
  CHECK(parse_configuration(variant, " BM=64 ").values == std::vector<std::int64_t>{64, 16});
  CHECK(parse_configuration(variant, "").values == default_configuration(variant).values);
  CHECK_THROWS_WITH(parse_configuration(variant, "BX=1"), Catch::Contains("no parameter 'BX', did you mean 'BM'?"));
  CHECK_THROWS_WITH(parse_configuration(variant, "BM"), Catch::Contains("'BM' is not NAME=VALUE"));
  CHECK_THROWS_WITH(parse_configuration(variant, "BM=12x"), Catch::Contains("'12x' is not an integer"));
  CHECK_THROWS_WITH(parse_configuration(variant, "BM=16 BM=32"), Catch::Contains("given twice"));
}

TEST_CASE("configuration: the first constraint it violates", "[spec]") {
  const Variant variant = load_specs(kFamily, kVariant).variants.front();
  CHECK(violated_constraint(variant, problem(), kDevice, {{32, 32}}).empty());
  CHECK(violated_constraint(variant, problem(), kDevice, {{32, 16}}) == "constraint 'square': BM == BN does not hold");
  CHECK(violated_constraint(variant, problem(), kDevice, {{48, 16}}) == "parameter 'BM': 48 is not one of 16, 32, 64");
}

TEST_CASE("configuration: valid is what no constraint forbids, on a device and a problem that the variant takes",
          "[spec]") {
  const Variant square = load_specs(kFamily, kVariant).variants.front();
  CHECK(is_valid_on(square, problem(), kDevice, {{32, 32}}));
  CHECK_FALSE(is_valid_on(square, problem(), kDevice, {{32, 16}}));
  CHECK_FALSE(is_valid_on(square, problem(), kDevice, {{48, 48}}));
  const Variant newer = load_specs(kFamily, "minimum_cc = 100\n" + kVariant).variants.front();
  CHECK_FALSE(is_valid_on(newer, problem(), kDevice, {{32, 32}}));

  const std::string divides = "[[derived]]\nname = \"Q\"\nvalue = \"8 / (X - 1)\"\n" + parameter("X", 3);
  const Variant guarded = variant_with(divides + constraint("first", "X != 1") + constraint("last", "Q > 5"));
  CHECK_FALSE(is_valid_on(guarded, problem(), kDevice, {{1}}));
  CHECK(is_valid_on(guarded, problem(), kDevice, {{2}}));
  CHECK_FALSE(is_valid_on(guarded, problem(), kDevice, {{3}}));
  const Variant never = variant_with(divides + constraint("first", "Q > 3") + constraint("problem", "M < 0"));
  CHECK_FALSE(is_valid_on(never, problem(), kDevice, {{1}}));  // what concerns the problem alone counts first
  const Variant fails = variant_with(divides + constraint("first", "Q > 3"));
  CHECK_THROWS_WITH(is_valid_on(fails, problem(), kDevice, {{1}}), Catch::Contains("division by zero"));
}

TEST_CASE("variant: why it cannot run a problem", "[spec]") {
  const std::string head = "dtypes = [\"fp32\"]\nminimum_cc = 80\nmaximum_cc = 90\nrequires = [\"layout=tn\"]\n";
  const KernelFolder folder = load_specs(kFamily, head + kVariant + constraint("multiple", "K % 8 == 0"));
  const Variant& variant = folder.variants.front();
  ProblemRequest request;
  const auto reason = [&](const DeviceInfo& device) {
    return unsupported_reason(variant, make_problem(folder.family, request), device);
  };
  CHECK(reason(kDevice) == "variant 'tile' has no bf16 (it has fp32)");
  request.dtype = "fp32";
  CHECK(reason(kDevice) == "variant 'tile' does not support layout=nn (it supports layout=tn)");
  request.flags["layout"] = "tn";
  CHECK(reason(kDevice).empty());
  request.dimensions["K"] = 12;
  CHECK(reason(kDevice) == "variant 'tile' needs K % 8 == 0 (constraint 'multiple')");
  DeviceInfo other = kDevice;
  other.cc_major = 7;
  CHECK(reason(other) == "variant 'tile' needs sm_80 or newer, the device is sm_70");
  other.cc_major = 10;
  CHECK(reason(other) == "variant 'tile' needs sm_90 or older, the device is sm_100");
}

TEST_CASE("space: the quick part of a variant, for emulated devices", "[spec]") {
  const std::string parameters =
      parameter("X", 6) + parameter("Y", 5) + "[[derived]]\nname = \"AREA\"\nvalue = \"X * Y\"\n";
  const Variant all = variant_with(parameters);
  CHECK(quick_part(all, problem(), kDevice, enumerate(all, problem(), kDevice)).size() == 30);
  const Variant quick = variant_with("quick = [\"X <= 2\", \"AREA % 2 == 0\"]\n" + parameters);
  const Space space = enumerate(quick, problem(), kDevice);
  CHECK(space.valid.size() == 30);
  // X = 1: Y = 2, 4; X = 2: any Y.
  const std::vector<Configuration> part = quick_part(quick, problem(), kDevice, space);
  CHECK(part.size() == 7);
  CHECK(configuration_text(quick, part.front()) == "X=1 Y=2");
  // Better the whole space than nothing.
  const Variant none = variant_with("quick = [\"X > 100\"]\n" + parameters);
  CHECK(quick_part(none, problem(), kDevice, enumerate(none, problem(), kDevice)).size() == 30);
}

TEST_CASE("space: the quick part of a space too large to list is looked for beyond the sample", "[spec]") {
  const Variant quick = variant_with("quick = [\"X == 3\", \"Y == X\"]\n" + parameter("X", 60) + parameter("Y", 60) +
                                     parameter("Z", 20) + constraint("odd", "(X + Y + Z) % 2 == 1"));
  const Space space = enumerate(quick, problem(), kDevice, {1000, 50, 1});
  CHECK(space.sampled);
  const std::vector<Configuration> part = quick_part(quick, problem(), kDevice, space);
  REQUIRE(part.size() == 10);
  CHECK(configuration_text(quick, part.front()) == "X=3 Y=3 Z=1");
  // More than were drawn of the whole space: as many are drawn of the part.
  const Variant large =
      variant_with("quick = [\"X == 3\"]\n" + parameter("X", 60) + parameter("Y", 60) + parameter("Z", 20));
  CHECK(quick_part(large, problem(), kDevice, enumerate(large, problem(), kDevice, {1000, 50, 1})).size() == 50);
}

TEST_CASE("space: how an emulated device samples a variant", "[spec]") {
  const auto sampling = [](const char* text) {
    return variant_with(std::string("sample = \"") + text + "\"\n" + parameter("X", 2)).sampling;
  };
  CHECK(variant_with(parameter("X", 2)).sampling == Sampling::automatic);
  CHECK(sampling("cta") == Sampling::blocks);
  CHECK(sampling("none") == Sampling::small);
  CHECK_THROWS_WITH(sampling("some"), Catch::Contains("'some' is none of auto, cta, cluster, none"));
  CHECK_THROWS_WITH(variant_with("quick = [\"Z > 1\"]\n" + parameter("X", 2)), Catch::Contains("Z"));
}

TEST_CASE("space: how the launches of a variant begin goes into its plan", "[spec]") {
  const auto started = [](const std::string& text) {
    const Variant variant = variant_with(text + parameter("X", 2));
    return instantiate(load_specs(kFamily, kVariant).family, variant, problem(), default_configuration(variant),
                       kDevice)
        .plan.start;
  };
  CHECK(started("") == Start::held);
  CHECK(started("start = \"host\"\n") == Start::host);
  CHECK(started("start = \"graph\"\n") == Start::graph);
  CHECK_THROWS_WITH(started("rung = 1\nstart = \"graphs\"\n"),
                    Catch::Contains(":2:") && Catch::Contains("'graphs' is none of held, host, graph"));
}

TEST_CASE("space: a typed condition is one more constraint of the variants that have its names", "[spec]") {
  const auto folder = [] {
    KernelFolder specs = load_specs(kFamily, kVariant);
    specs.variants = {variant_with(parameter("X", 6) + parameter("Y", 5)), variant_with(parameter("X", 3))};
    specs.variants[0].name = "both";
    specs.variants[1].name = "one";
    return specs;
  };
  KernelFolder specs = folder();
  restrict_spaces(specs, {"X > 1 && X <= device.sms", "X % 2 == 0"}, {});
  REQUIRE(specs.variants.size() == 2);
  CHECK(enumerate(specs.variants[0], problem(), kDevice).valid.size() == 15);
  CHECK(enumerate(specs.variants[1], problem(), kDevice).valid.size() == 1);
  specs = folder();
  restrict_spaces(specs, {"Y == 5"}, {});
  REQUIRE(specs.variants.size() == 1);
  CHECK(specs.variants[0].name == "both");
  specs = folder();
  CHECK_THROWS_WITH(restrict_spaces(specs, {"Y == 5"}, {"one"}), Catch::Contains("Y") && Catch::Contains("of one"));
  specs = folder();
  CHECK_THROWS_WITH(restrict_spaces(specs, {"STAGE == 5"}, {}), Catch::Contains("no variant of"));
  specs = folder();
  CHECK_THROWS_WITH(restrict_spaces(specs, {"X =="}, {}), Catch::Contains("--where:1:"));
}
