#include <fmt/format.h>
#include <algorithm>
#include <cstring>

#include "base/file.h"
#include "catch.h"
#include "plan/plan_identity.h"
#include "spec/spec_fixture.h"
#include "worker/plan_text.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {
/// Instance of the fixture's family with `variant`, at its default configuration.
Instance instance_of(const std::string& variant, const ProblemRequest& request = {}) {
  const KernelFolder folder = load_specs(kFamily, variant);
  const Variant& first = folder.variants.front();
  return instantiate(folder.family, first, make_problem(folder.family, request), default_configuration(first), h200());
}

bool has(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

template <typename Value>
Value scalar_value(const Argument& argument) {
  const auto& bytes = std::get<ScalarArgument>(argument).bytes;
  REQUIRE(bytes.size() == sizeof(Value));
  Value value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::string launches(const std::string& launch_text) {
  return kVariant.substr(0, kVariant.find("[[launch]]")) + launch_text;
}
}  // namespace

TEST_CASE("instance: defines", "[spec]") {
  const Instance instance = instance_of(kVariant);
  for (const char* define : {"-DDTYPE=bf16_t", "-DDTYPE_BF16=1", "-DDTYPE_BYTES=2", "-DKERLAB_DTYPE_ID=3",
                             "-DTRANS_A=0", "-DBM=32", "-DBN=16", "-DTHREADS=128"}) {
    CAPTURE(define);
    CHECK(has(instance.defines, define));
  }
  CHECK(instance.defines.size() == 8);
}

TEST_CASE("instance: grid, block and arguments", "[spec]") {
  ProblemRequest request;
  request.dimensions = {{"M", 100}, {"N", 50}, {"K", 7}};
  request.scalars["alpha"] = 0.5;
  const Instance instance = instance_of(kVariant, request);
  REQUIRE(instance.plan.launches.size() == 1);
  const Launch& launch = instance.plan.launches[0];
  CHECK(launch.kernel == "tile");
  CHECK(launch.grid == Dim3{4, 4, 1});
  CHECK(launch.block == Dim3{128, 1, 1});
  CHECK(launch.cluster == Dim3{});
  REQUIRE(launch.arguments.size() == 6);
  CHECK(std::get<TensorArgument>(launch.arguments[0]) == TensorArgument{"A", 0});
  CHECK(scalar_value<std::int32_t>(launch.arguments[2]) == 100);
  CHECK(std::get<ScalarArgument>(launch.arguments[2]).text == "M = 100");
  CHECK(scalar_value<float>(launch.arguments[5]) == 0.5f);
}

TEST_CASE("instance: repetition, groups, ping-pong, workspaces", "[spec]") {
  const Instance instance = instance_of(launches(R"toml(
[[workspace]]
name = "ping"
bytes = "M * 4"
init = "zero"
[[workspace]]
name = "pong"
bytes = "M * 4"
[[launch]]
kernel = "count"
group = "pass"
repeat = 3
grid = ["M / pow(4, i)"]
block = [32]
arguments = ["ping|pong", "i", "i64: M * i", "A + 2 * i"]
[[launch]]
kernel = "scatter"
group = "pass"
when = "i != 1"
grid = 1
block = 32
arguments = ["pong|ping + 16", 7]
[[launch]]
kernel = "last"
grid = [1]
block = [32]
)toml"));
  const LaunchPlan& plan = instance.plan;
  REQUIRE(plan.workspaces.size() == 2);
  CHECK(plan.workspaces[0] == Workspace{"ping", 256, WorkspaceInit::zero});
  std::string order;
  for (const Launch& launch : plan.launches) order += launch.kernel + " ";
  CHECK(order == "count scatter count count scatter last ");
  CHECK(plan.launches[3].grid.x == 4);
  CHECK(std::get<WorkspaceArgument>(plan.launches[0].arguments[0]).workspace == "ping");
  CHECK(std::get<WorkspaceArgument>(plan.launches[2].arguments[0]).workspace == "pong");
  CHECK(scalar_value<std::int32_t>(plan.launches[3].arguments[1]) == 2);
  CHECK(scalar_value<std::int64_t>(plan.launches[3].arguments[2]) == 128);
  CHECK(std::get<TensorArgument>(plan.launches[3].arguments[3]) == TensorArgument{"A", 4});
  CHECK(std::get<WorkspaceArgument>(plan.launches[1].arguments[0]) == WorkspaceArgument{"pong", 0});
  CHECK(scalar_value<std::int32_t>(plan.launches[1].arguments[1]) == 7);
}

TEST_CASE("instance: an empty grid leaves the launch out", "[spec]") {
  CHECK(instance_of(launches("[[launch]]\nkernel = \"k\"\ngrid = [\"M - 64\"]\nblock = [32]\n")).plan.launches.empty());
}

TEST_CASE("instance: tensor maps", "[spec]") {
  const std::string text = launches(R"toml([[tensor_map]]
name = "map_a"
tensor = "A"
dims = ["K", "M"]
strides = ["K * dtype.bytes"]
box = [64, "BM"]
swizzle = "64 * dtype.bytes"
promotion = 256
[[launch]]
kernel = "k"
grid = [1]
block = [32]
cluster = [2]
shared = "BM * 64 * dtype.bytes"
arguments = ["@map_a"]
)toml");
  const Launch launch = instance_of(text).plan.launches.at(0);
  CHECK(launch.cluster == Dim3{2, 1, 1});
  CHECK(launch.dynamic_shared == 4096);
  const TensorMapSpec map = std::get<TensorMapArgument>(launch.arguments.at(0)).map;
  CHECK(map.tensor == "A");
  CHECK(map.dtype == DType::bf16);
  CHECK(map.dims == std::vector<std::uint64_t>{32, 64});
  CHECK(map.stride_bytes == std::vector<std::uint64_t>{64});
  CHECK(map.box == std::vector<std::uint32_t>{64, 32});
  CHECK(map.swizzle == Swizzle::b128);
  CHECK(map.promotion == L2Promotion::b256);
  CHECK_THROWS_WITH(
      instance_of(replaced(text, "promotion = 256", "promotion = 100")),
      Catch::Contains("promotion = 100 is not one of 0, 64, 128, 256 ('promotion' of tensor_map 'map_a')"));
}

TEST_CASE("instance: an argument may depend on a condition, the elements of a map on a flag", "[spec]") {
  const std::string text = launches(R"toml([[tensor_map]]
name = "map_a"
tensor = "A"
dims = ["K", "M"]
strides = ["K * 4"]
box = [8, "BM"]
dtype = { bf16 = "fp16", "layout.tn" = "fp32" }
[[launch]]
kernel = "k"
grid = [1]
block = [32]
arguments = ["@map_a", "if TRANS_A: M", "if BM == 32 || N < 0: i64: N"]
)toml");
  const auto arguments = [&](const char* layout) {
    const KernelFolder folder = load_specs(kFamily, text);
    ProblemRequest request;
    request.dimensions = {{"M", 64}};
    request.flags["layout"] = layout;
    const Variant& variant = folder.variants.at(0);
    return instantiate(folder.family, variant, make_problem(folder.family, request), default_configuration(variant),
                       h200())
        .plan.launches.at(0)
        .arguments;
  };
  REQUIRE(arguments("nn").size() == 2);
  CHECK(scalar_value<std::int64_t>(arguments("nn")[1]) == 64);
  CHECK(std::get<TensorMapArgument>(arguments("nn")[0]).map.dtype == DType::fp16);
  REQUIRE(arguments("tn").size() == 3);
  CHECK(std::get<TensorMapArgument>(arguments("tn")[0]).map.dtype == DType::fp32);
}

TEST_CASE("instance: the elements of a tensor map are those of its tensor, or the problem's", "[spec]") {
  const KernelFolder gemm = Catalogue({share_folder() / "kernels"}).find("gemm");
  const auto last_launch = [&](const std::string& name, std::int64_t size) {
    const auto variant = std::find_if(gemm.variants.begin(), gemm.variants.end(),
                                      [&](const Variant& candidate) { return candidate.name == name; });
    REQUIRE(variant != gemm.variants.end());
    ProblemRequest request;
    request.dimensions = {{"M", size}};
    request.flags["layout"] = "nt";
    request.dtype = "int8";
    const Problem problem = make_problem(gemm.family, request);
    return instantiate(gemm.family, *variant, problem, default_configuration(*variant, problem, h200()), h200())
        .plan.launches.back();
  };
  const Launch whole = last_launch("gemm_sm90", 512);
  CHECK(std::get<TensorMapArgument>(whole.arguments.at(0)).map.dtype == DType::int8);
  CHECK(std::get<TensorMapArgument>(whole.arguments.at(2)).map.dtype == DType::int32);
  const Launch ragged = last_launch("gemm_sm90_unaligned", 511);  // maps of workspaces
  CHECK(std::get<TensorMapArgument>(ragged.arguments.at(0)).map.tensor == "aligned_A");
  CHECK(std::get<TensorMapArgument>(ragged.arguments.at(0)).map.dtype == DType::int8);
}

TEST_CASE("instance: what cannot be launched is an error with its place", "[spec]") {
  const auto error = [](const std::string& lines) {
    try {
      (void)instance_of(launches("[[launch]]\nkernel = \"k\"\n" + lines));
    } catch (const SpecError& failure) {
      const std::string what = failure.what();
      return what.substr(what.find(".toml") + 6);
    }
    return std::string("no error");
  };
  CHECK(error("grid = [\"M - 65\"]\nblock = [32]\n") == "17:10: M - 65 = -1 is below 0 ('grid' of launch 'k')");
  CHECK(error("grid = [4294967296]\nblock = [32]\n") ==
        "17:9: 4294967296 = 4294967296 is above 4294967295 ('grid' of launch 'k')");
  CHECK(error("grid = [1]\nblock = [\"M - 64\"]\n") == "15:1: an extent of block or cluster of 'k' is 0 (launch 'k')");
  CHECK(error("grid = [1]\nblock = [32]\nshared = -1\n") == "19:10: shared = -1 is below 0 ('shared' of launch 'k')");
  CHECK(error("grid = [1]\nblock = [32]\nrepeat = 100000\n") ==
        "19:10: repeat = 100000 is above 65536 ('repeat' of launch 'k')");
  CHECK(
      error("grid = [1]\nblock = [32]\narguments = [\"M * 100000000\"]\n") ==
      "19:15: argument M * 100000000 = 6400000000 does not fit 32 bits; write 'i64:M * 100000000' and take a long long "
      "('arguments' of launch 'k')");
  CHECK(error("grid = [1]\nblock = [32]\narguments = [\"A + 4097\"]\n") ==
        "19:19: offset = 4097 is above 4096 ('arguments' of launch 'k')");
}

TEST_CASE("reference: plan of a problem", "[spec]") {
  const Family family = load_specs(kFamily, kVariant).family;
  const Problem problem = make_problem(family, {});
  DeviceInfo device = h200();
  const ReferenceInstance exact = instantiate_reference(family, problem, device);
  CHECK(has(exact.defines, "-DACC=double"));
  CHECK(has(exact.defines, "-DACC_IS_FLOAT=0"));
  CHECK(has(exact.defines, "-DTRANS_A=0"));
  CHECK(exact.plan.key == problem.key());
  CHECK(exact.plan.tensors.size() == 2);
  CHECK(exact.plan.flops == 2.0 * 64 * 64 * 32);
  CHECK(exact.plan.minimum_us == 0);
  REQUIRE(exact.plan.references.size() == 1);
  const ReferencePlan& plan = exact.plan.references[0];
  CHECK(plan.output == "D");
  CHECK(plan.accumulator == DType::fp64);
  CHECK(plan.launch.grid == Dim3{16, 1, 1});
  CHECK(std::get<ReferenceSlot>(plan.launch.arguments.at(5)) == ReferenceSlot::index);
  CHECK(std::get<ReferenceSlot>(plan.launch.arguments.at(8)) == ReferenceSlot::scale);
  REQUIRE(exact.plan.recipes.size() == 6);  // those of every check, and harder ones
  CHECK(exact.plan.recipes[0].name == "normal");
  CHECK(exact.plan.recipes[2].name == "small_integer");
  CHECK(exact.plan.recipes[2].exact);

  device.fp64_ratio = 1.0 / 64;
  const ReferenceInstance in_float = instantiate_reference(family, problem, device);
  CHECK(has(in_float.defines, "-DACC=float"));
  CHECK(has(in_float.defines, "-DACC_IS_FLOAT=1"));
  CHECK(in_float.plan.references[0].accumulator == DType::fp32);
  CHECK(in_float.plan.references[0].tolerance.value_factor > plan.tolerance.value_factor);
}

TEST_CASE("reference: of integers of 32 bits that become some of 64 large ones are tried", "[spec]") {
  const auto recipes = [](const char* of_output) {
    const std::string text = replaced(replaced(kFamily, "[\"bf16\", \"fp32\"]", "[\"int32\"]"), "role = \"output\"",
                                      std::string("role = \"output\"\n") + of_output);
    const Family family = load_specs(text, kVariant).family;
    return instantiate_reference(family, make_problem(family, {}), h200()).plan.recipes;
  };
  const auto large = [](const std::vector<Recipe>& all) { return all.back().name == "large_integers"; };
  CHECK_FALSE(large(recipes("")));
  const std::vector<Recipe> into_64 = recipes("dtype = \"int64\"");
  REQUIRE(large(into_64));
  REQUIRE(into_64.back().plants.size() == 2);
  CHECK(into_64.back().plants[1].value == 1 << 30);
}

TEST_CASE("reference: small integers are exact only where fp32 sums are", "[spec]") {
  const Family family = load_specs(kFamily, kVariant).family;
  const auto exact = [&](std::int64_t k, double alpha) {
    ProblemRequest request;
    request.dimensions = {{"M", 8}, {"K", k}};
    request.scalars["alpha"] = alpha;
    return instantiate_reference(family, make_problem(family, request), h200()).plan.recipes.at(2).exact;
  };
  CHECK(exact(0, 1));
  CHECK(exact(131072, -1));
  CHECK_FALSE(exact(2000000, 1));
  CHECK_FALSE(exact(64, 0.3));
}

TEST_CASE("reference: rows, own recipes", "[spec]") {
  const std::string rows = replaced(
      replaced(kFamily, "output = \"D\"\n", "output = \"D\"\noutputs_per_index = \"N\"\n"), "[cost]",
      "[[recipe]]\nname = \"uniform\"\nseed = 7\n[[recipe]]\nname = \"small_integer\"\nexact = \"K < 10\"\n[cost]");
  const Family family = load_specs(rows, kVariant).family;
  const ProblemPlan plan = instantiate_reference(family, make_problem(family, {}), h200()).plan;
  CHECK(plan.references[0].outputs_per_index == 64);
  CHECK(plan.references[0].launch.grid.x == 1);
  REQUIRE(plan.recipes.size() == 2);
  CHECK(plan.recipes[0].seed == 7);
  CHECK_FALSE(plan.recipes[1].exact);
  CHECK(plan.recipes[1].parameters == std::vector<double>{4});
  const Family bad = load_specs(replaced(rows, "outputs_per_index = \"N\"", "outputs_per_index = 3"), kVariant).family;
  CHECK_THROWS_WITH(instantiate_reference(bad, make_problem(bad, {}), h200()),
                    Catch::Contains("3 outputs per index do not divide the 4096 elements of 'D'"));
}

TEST_CASE("reference: the first recipe that holds is timed, which a problem's dimensions may choose", "[spec]") {
  const std::string text = replaced(kFamily, "[cost]",
                                    "[[recipe]]\nname = \"normal\"\nseed = 9\nwhen = \"K > 9\"\n"
                                    "[[recipe]]\nname = \"normal\"\n[cost]");
  const Family family = load_specs(text, kVariant).family;
  const auto seeds = [&](std::int64_t k) {
    ProblemRequest request;
    request.dimensions["K"] = k;
    std::vector<std::uint64_t> found;
    const ProblemPlan plan = instantiate_reference(family, make_problem(family, request), h200()).plan;
    for (const Recipe& recipe : plan.recipes) found.push_back(recipe.seed);
    return found;
  };
  CHECK(seeds(8) == std::vector<std::uint64_t>{1});
  CHECK(seeds(16) == std::vector<std::uint64_t>{9, 1});
}

TEST_CASE("reference: recipes plant what their conditions say, into the inputs of the problem", "[spec]") {
  const std::string text = replaced(kFamily, "[cost]",
                                    "[[recipe]]\nname = \"normal\"\n"
                                    "[[recipe]]\nname = \"mine\"\nbase = \"uniform\"\nwhen = \"K > 1\"\n"
                                    "[[recipe.plant]]\nwhat = \"value\"\nvalue = -inf\nlines = [1, 3]\n"
                                    "[[recipe.plant]]\nwhat = \"mirror\"\ntensor = \"A\"\nalong = \"columns\"\n"
                                    "when = \"TRANS_A\"\n[cost]");
  const Family family = load_specs(text, kVariant).family;
  const auto recipes = [&](const char* layout, std::int64_t k) {
    ProblemRequest request;
    request.flags["layout"] = layout;
    request.dimensions["K"] = k;
    return instantiate_reference(family, make_problem(family, request), h200()).plan.recipes;
  };
  CHECK(recipes("nn", 1).size() == 1);
  const std::vector<Recipe> plain = recipes("nn", 8), transposed = recipes("tn", 8);
  REQUIRE(plain.size() == 2);
  CHECK(plain[0].plain());
  CHECK_FALSE(plain[1].plain());
  CHECK(plain[1].base == "uniform");
  REQUIRE(plain[1].plants.size() == 1);
  CHECK(plain[1].plants[0] == Plant{"value", "A", false, 3, 1, 4, -HUGE_VAL});
  REQUIRE(transposed[1].plants.size() == 2);
  CHECK(transposed[1].plants[1] == Plant{"mirror", "A", true, 1, 0, 4, -1});
  CHECK_FALSE(recipes("tn", 8) != transposed);
}

TEST_CASE("instance: a kernel's template is named with values of the configuration", "[spec]") {
  const std::string templated = replaced(kVariant, "kernel = \"tile\"", "kernel = \"ns::tile<{DTYPE}, {BM * 2}>\"");
  const Instance instance = instance_of(templated);
  CHECK(instance.plan.launches.at(0).kernel == "ns::tile<__nv_bfloat16, 64>");
  CHECK(has(instance.defines, "--instantiate=ns::tile<__nv_bfloat16, 64>"));
}

TEST_CASE("instance: a parameter with define = false is no macro", "[spec]") {
  const Instance instance = instance_of(replaced(kVariant, "name = \"BM\"", "name = \"BM\"\ndefine = false"));
  CHECK_FALSE(has(instance.defines, "-DBM=32"));
  CHECK(has(instance.defines, "-DBN=16"));
}

TEST_CASE("instance: a derived value with define = false is no macro, and launches know it", "[spec]") {
  const std::string with = "[[derived]]\nname = \"TILES\"\nvalue = \"ceil_div(M, BM)\"\n";
  const auto made = [&](const std::string& keys, std::int64_t rows) {
    std::string text = kVariant;
    text.insert(text.find("[[launch]]"), with + keys);
    text = replaced(text, "\nblock = [", "\nshared = \"TILES * 16\"\nblock = [");
    ProblemRequest request;
    request.dimensions["M"] = rows;
    return instance_of(text, request);
  };
  const Instance one = made("define = false\n", 64), other = made("define = false\n", 6400);
  CHECK(one.defines == other.defines);  // one program for all shapes
  CHECK(one.plan.launches.at(0).dynamic_shared == 32);
  CHECK(other.plan.launches.at(0).dynamic_shared == 3200);
  CHECK(has(made("", 64).defines, "-DTILES=2"));
  CHECK(has(made("define = true\n", 6400).defines, "-DTILES=200"));
  const std::string family = kFamily + "[[derived]]\nname = \"HALF\"\nvalue = \"M / 2\"\n";
  for (const bool defined : {true, false}) {
    const KernelFolder folder = load_specs(family + (defined ? "" : "define = false\n"), kVariant);
    const Problem problem = make_problem(folder.family, {});
    CHECK(problem.environment.at("HALF") == problem.environment.at("M") / 2);
    CHECK(has(instantiate_reference(folder.family, problem, h200()).defines,
              "-DHALF=" + std::to_string(problem.environment.at("HALF"))) == defined);
  }
  CHECK_THAT(load_error(family + "define = 1\n", kVariant),
             Catch::Contains("family.toml") && Catch::Contains("define"));
}

TEST_CASE("instance: an option of the compiler may hold a parameter, behind what is allowed", "[spec]") {
  const auto with = [](const std::string& options) { return "options = [" + options + "]\n" + kVariant; };
  const Instance instance = instance_of(with("\"--fmad=true\", \"--maxrregcount={BM * 2}\""));
  CHECK(has(instance.defines, "--maxrregcount=64"));
  CHECK_FALSE(has(instance.defines, "--fmad=true"));  // the same for every configuration
  for (const char* option : {"{BM}", "-I{BM}", "--max{BM}"})
    CHECK_THAT(load_error(kFamily, with(fmt::format("\"{}\"", option))),
               Catch::Contains("tile.toml:1:13: option '" + std::string(option) + "' is not allowed"));
  CHECK_THAT(load_error(kFamily, with("\"--maxrregcount={REGS}\"")),
             Catch::Contains("tile.toml:1") && Catch::Contains("REGS"));
  CHECK_THAT(load_error(kFamily, with("\"--maxrregcount={BM\"")), Catch::Contains("a { without its }"));
}

TEST_CASE("folder: a variant that cannot be read stops those alone who ask for it", "[spec]") {
  const TemporaryFolder folder;
  write_atomic(folder.path() / "family.toml", kFamily);
  for (const char* name : {"good", "old", "bad"}) write_atomic(folder.path() / (std::string(name) + ".toml"), kVariant);
  for (const char* name : {"good.cu", "old.cu", "bad.cu", "reference.cu"}) write_atomic(folder.path() / name, "");
  write_atomic(folder.path() / "old.toml", "formerly = [\"older\"]\n" + kVariant);
  write_atomic(folder.path() / "bad.toml", "dok = 1\n" + kVariant);
  const auto loads = [&](const std::vector<std::string>& named) {
    try {
      return fmt::format("{} variants", load_folder(folder.path(), named).variants.size());
    } catch (const SpecError& error) {
      return std::string(error.what());
    }
  };
  CHECK(loads({"good"}) == "2 variants");
  CHECK(loads({"older", "good"}) == "2 variants");
  for (const std::vector<std::string>& named :
       std::vector<std::vector<std::string>>{{}, {"bad"}, {"good", "bad"}, {"all"}, {"nobody"}})
    CHECK_THAT(loads(named), Catch::Contains("bad.toml:1:1") && Catch::Contains("dok"));
}

TEST_CASE("instantiate: a variant with an image has a file for each configuration, and no defines", "[spec]") {
  const std::string image = "image = \"tile_{BM}x{2 * BN}_{DTYPE}.ptx\"\n" + kVariant;
  const KernelFolder folder = load_specs(kFamily, image);
  const Variant& variant = folder.variants.at(0);
  CHECK(variant.source.filename() == "tile_*x*_*.ptx");
  const Problem problem = make_problem(folder.family, {});
  const Instance instance = instantiate(folder.family, variant, problem, parse_configuration(variant, ""), h200());
  CHECK(instance.defines == std::vector<std::string>{"--image=tile_32x32_bf16.ptx"});
  CHECK(load_error(kFamily, "options = [\"--use_fast_math\"]\n" + image) ==
        "tile.toml:1:11: a variant with an image is not compiled ('options' of variant)");
  CHECK(load_error(kFamily, "source = \"tile.cu\"\n" + image) ==
        "tile.toml:1:10: a variant with an image is not compiled ('source' of variant)");
  for (const char* name : {"../k.ptx", "/etc/k.ptx", "k_*.ptx", "k.cu", ".ptx", "a/k.ptx"})
    CHECK_THAT(
        load_error(kFamily, fmt::format("image = \"{}\"\n", name) + kVariant),
        Catch::Contains("tile.toml:1:9: '" + std::string(name) + "' is not the name of a .ptx file beside this"));
  CHECK_THAT(load_error(kFamily, "image = \"k_{BQ}.ptx\"\n" + kVariant),
             Catch::StartsWith("tile.toml:1:13: unknown name 'BQ'"));
  CHECK_THAT(load_error(kFamily, "image = \"k_{BM.ptx\"\n" + kVariant),
             Catch::StartsWith("tile.toml:1:12: a { without its }"));
}

TEST_CASE("instance: what is prepared is part of a plan, and of a trial's identity, but no launch of a run", "[spec]") {
  const std::string prepared =
      replaced(kVariant, "[[launch]]",
               "[[workspace]]\nname = \"w\"\nbytes = \"4 * M\"\n[[symbol]]\nname = \"ns::s\"\ntensor = \"A\"\n"
               "[[prepare]]\nkernel = \"pack\"\ngrid = [\"M\"]\nblock = [32]\narguments = [\"A\", \"w\"]\n[[launch]]");
  const LaunchPlan plan = instance_of(prepared).plan, plain = instance_of(kVariant).plan;
  CHECK(plan.launches == plain.launches);
  REQUIRE(plan.prepare.size() == 1);
  CHECK(plan.prepare[0].kernel == "pack");
  CHECK(plan.prepare[0].arguments.size() == 2);
  CHECK(plan.symbols == std::vector<SymbolCopy>{{"ns::s", "A"}});
  LaunchPlan without = plan;
  without.prepare.clear();
  CHECK(plan_digest(without) != plan_digest(plan));
  without.symbols.clear();
  without.workspaces.clear();
  CHECK(plan_digest(without) == plan_digest(plain));
  CHECK(worker::parse_plan_text(worker::plan_text(plan)) == plan);
  CHECK(untimed_text(load_specs(kFamily, prepared).variants.at(0)) == "not timed: pack (prepare), ns::s (holds A)");
}

TEST_CASE("instance: launches that overlap the one before, and preferred shared memory", "[spec]") {
  const auto plan_of = [](const std::string& programmatic, const std::string& carveout) {
    return instance_of(launches(fmt::format(R"toml(
[[launch]]
kernel = "first"
grid = [1]
block = [32]
[[launch]]
kernel = "pass"
repeat = 2
grid = [2]
block = [32]
programmatic = "{}"
carveout = "{}"
)toml",
                                            programmatic, carveout)))
        .plan;
  };
  const LaunchPlan plan = plan_of("i > 0", "BM + 18");
  REQUIRE(plan.launches.size() == 3);
  CHECK_FALSE(plan.launches[0].programmatic);
  CHECK_FALSE(plan.launches[0].carveout);
  CHECK_FALSE(plan.launches[1].programmatic);
  CHECK(plan.launches[2].programmatic);
  CHECK(plan.launches[2].carveout == 50);
  // Whoever leaves both to the driver has the plan of one who does not mention them.
  const LaunchPlan without = plan_of("0", "-1");
  CHECK_FALSE(without.launches[1].carveout);
  CHECK_THAT(worker::plan_text(without), !Catch::Contains("programmatic") && !Catch::Contains("carveout"));
  CHECK_THAT(worker::plan_text(plan), Catch::Contains("\"carveout\":50") && Catch::Contains("\"programmatic\":true"));
  for (const LaunchPlan& one : {plan, without}) CHECK(worker::parse_plan_text(worker::plan_text(one)) == one);
  CHECK(plan_digest(plan) != plan_digest(without));
  CHECK_THROWS_WITH(plan_of("1", "101"), Catch::Contains("carveout = 101 is above 100"));
  CHECK_THROWS_WITH(plan_of("1", "-2"), Catch::Contains("carveout = -2 is below -1"));
  CHECK_THROWS_WITH(instance_of(launches(R"toml(
[[launch]]
kernel = "maybe"
when = "M == 0"
grid = [1]
block = [32]
[[launch]]
kernel = "second"
grid = [1]
block = [32]
programmatic = true
)toml")),
                    Catch::Contains("'second' is the first launch of the plan"));
}

TEST_CASE("instance: a grid of the clusters that are resident at once", "[spec]") {
  const std::string variant = launches(R"toml(
[[launch]]
kernel = "persistent"
grid = ["4 * min(M, device.max_active_clusters(4))"]
block = [32]
cluster = [4]
)toml");
  const KernelFolder folder = load_specs(kFamily, variant);
  const Variant& first = folder.variants.front();
  DeviceInfo device = h200();
  device.max_active_clusters = {132, 66, 30, 15, 7};
  const Problem problem = make_problem(folder.family, {});
  const auto grid = [&] {
    return instantiate(folder.family, first, problem, default_configuration(first), device).plan.launches.at(0).grid.x;
  };
  CHECK(grid() == 120);
  device = device.with_sms(9);
  CHECK(grid() == 8);
}
