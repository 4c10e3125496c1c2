// Every kernel that is shipped, for every dtype and layout, executed whole on the emulated device at small ragged
// shapes.

#include <fmt/format.h>

#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/session_fixture.h"
#include "spec/recipes.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

using Arguments = std::vector<ProblemArgument>;

/// Every combination of the values of the family's flags that a problem's name always has; the others at their
/// defaults.
std::vector<Arguments> flag_choices(const Family& family) {
  std::vector<Arguments> choices = {{}};
  for (const Flag& flag : family.flags) {
    if (flag.quiet) continue;
    std::vector<Arguments> more;
    for (const Arguments& known : choices) {
      for (const std::string& value : flag.values) {
        more.push_back(known);
        more.back().push_back({flag.name, value});
      }
    }
    choices = std::move(more);
  }
  return choices;
}

/// Of the recipes of every check those that the family has for this dtype.
std::vector<std::string> usual_recipes(const std::string& name, const std::string& dtype) {
  const Family family = open_catalogue({}).find(name).family;
  ProblemRequest request;
  request.dtype = dtype;
  const Problem problem = make_problem(family, request);
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes_of(family, problem, tensors_of(family, problem)))
    if (recipe.name == "normal" || recipe.name == "uniform" || recipe.name == "small_integer")
      names.push_back(recipe.name);
  return names;
}

/// Checks the default configuration of every variant or of some, or one configuration of one variant, on the recipes of
/// every check or on all; what is wrong, a line each.
std::string failures_of(const std::vector<std::string>& variants, const std::string& family, const std::string& dtype,
                        Arguments arguments, const std::string& configuration, bool every_recipe) {
  SessionFixture fixture;
  CheckOptions options;
  options.rig = fixture.options().rig;
  options.rig.device = "emu:h200";
  options.rig.target = family;
  options.dtype = dtype;
  options.variants = variants;
  options.configuration = configuration;
  options.arguments = std::move(arguments);
  options.only_asked = true;
  if (!every_recipe) options.recipes = usual_recipes(family, dtype);
  const std::vector<CheckRow> rows = checked_rows(fixture, options);
  std::string lines;
  for (const CheckRow& row : rows) {
    if (row.trial.status == TrialStatus::passed) continue;
    lines += fmt::format("{} {} {}: {} {}\n", row.problem.title(), row.trial.variant, row.trial.configuration,
                         name(row.trial.status), row.trial.message);
  }
  if (rows.empty()) lines = "nothing was checked";
  return lines;
}

std::string failures(const std::string& family, const std::string& dtype, Arguments arguments,
                     const std::string& variant = "all", const std::string& configuration = "",
                     bool every_recipe = false) {
  return failures_of({variant}, family, dtype, std::move(arguments), configuration, every_recipe);
}

/// Whether a kernel goes the ways of another of the family's types, with other conversions: then one choice of flags
/// tells as much as all of them.
bool is_like_another(const Family& family, DType dtype) {
  const auto has = [&](DType other) { return std::ranges::find(family.dtypes, other) != family.dtypes.end(); };
  return (dtype == DType::fp16 && has(DType::bf16)) || (dtype == DType::e5m2 && has(DType::e4m3));
}

/// `whole`: types that are like others with every choice of flags too.
void check_family(const std::string& name, const std::vector<Arguments>& shapes, bool whole = false) {
  const KernelFolder folder = open_catalogue({}).find(name);
  for (const DType dtype : folder.family.dtypes) {
    std::vector<Arguments> choices = flag_choices(folder.family);
    if (!whole && is_like_another(folder.family, dtype)) choices.erase(choices.begin() + 1, choices.end());
    for (const Arguments& flags : choices) {
      for (const Arguments& shape : shapes) {
        Arguments arguments = shape;
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        CHECK(failures(name, std::string(kerlab::plan::name(dtype)), arguments) == "");
      }
    }
  }
}

struct OneConfiguration {
  std::string dtype;
  Arguments arguments;
  std::string configuration;
};

void check_configurations(const std::string& variant, const std::vector<OneConfiguration>& all) {
  for (const OneConfiguration& one : all)
    CHECK(failures("gemm", one.dtype, one.arguments, variant, one.configuration) == "");
}

}  // namespace

TEST_CASE("emulated kernels: gemm, every variant, dtype and layout", "[emulated][kernels]") {
  check_family("gemm", {{{"M", "67"}, {"N", "45"}, {"K", "83"}}});
}

TEST_CASE("emulated kernels: gemm with alpha and beta, aligned and not", "[emulated][kernels]") {
  CHECK(failures("gemm", "fp32", {{"M", "128"}, {"N", "64"}, {"K", "32"}, {"alpha", "-1.5"}, {"beta", "0.5"}}) == "");
  CHECK(failures("gemm", "bf16", {{"M", "129"}, {"N", "72"}, {"K", "8"}, {"alpha", "2"}, {"beta", "1"}}) == "");
  CHECK(failures("gemm", "fp16", {{"M", "1"}, {"N", "1"}, {"K", "0"}, {"beta", "1"}}) == "");
}

TEST_CASE("emulated kernels: gemm with every epilogue, in some layouts and dtypes", "[emulated][kernels]") {
  const std::string layouts[] = {"nn", "nt", "tn", "tt"};
  const std::string dtypes[] = {"bf16", "fp32", "fp16", "tf32"};
  std::size_t turn = 0;
  // Whole 16 bytes and fours for the rungs that want them; rows of odd lengths.
  const Arguments whole = {{"M", "72"}, {"N", "136"}, {"K", "64"}}, odd = {{"M", "37"}, {"N", "69"}, {"K", "43"}};
  // Older rungs share one epilogue: each activation and type once.
  const std::vector<std::string> every = {"all"},
                                 tuned = {"gemm_sm90", "gemm_sm90_splitk", "gemm_sm90_unaligned", "gemm_sm80", "reg2d"};
  for (const std::string activation : {"none", "relu", "gelu", "silu"})
    for (const std::string bias : {"no", "yes"}) {
      Arguments arguments = (turn + turn / 2) % 2 == 0 ? whole : odd;  // each activation has both
      arguments.insert(arguments.end(), {{"bias", bias},
                                         {"activation", activation},
                                         {"layout", layouts[(turn + turn / 4) % 4]},
                                         {"alpha", "0.5"},
                                         {"beta", turn % 4 < 2 ? "0" : "-1.5"}});
      const bool all = turn == 0 || turn == 3 || turn == 5 || turn == 6;
      CHECK(failures_of(all ? every : tuned, "gemm", dtypes[turn++ % 4], arguments, "", false) == "");
    }
  CHECK(failures("gemm", "bf16", {{"M", "5"}, {"N", "96"}, {"K", "64"}, {"bias", "yes"}, {"activation", "silu"}}) ==
        "");
}

TEST_CASE("emulated kernels: gemm with D of other types, scaled", "[emulated][kernels]") {
  const Arguments small = {{"M", "72"}, {"N", "144"}, {"K", "80"}, {"bias", "yes"}, {"beta", "0.5"}};
  const auto with = [&](const Arguments& more) {
    Arguments arguments = small;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  for (const std::string variant : {"gemm_sm90", "gemm_sm80"})
    CHECK(failures("gemm", "bf16", with({{"out", "e4m3"}, {"scale_d", "0.1"}, {"activation", "relu"}}), variant) == "");
  CHECK(failures("gemm", "fp16", with({{"out", "fp32"}, {"layout", "tn"}, {"scale_d", "-2"}}), "gemm_sm90") == "");
}

TEST_CASE("emulated kernels: gemm of fp8, promoted and fast, with scales", "[emulated][kernels]") {
  // A ragged last block of scales.
  check_configurations("gemm_sm90", {{"e4m3",
                                      {{"M", "40"}, {"N", "48"}, {"K", "400"}, {"layout", "nt"}, {"scales", "block"}},
                                      "BM=64 BN=64 BK=128 STAGES=8 CONSUMERS=1 IN_FLIGHT=0 PROMOTE=128"}});
  check_configurations(
      "gemm_sm90_splitk",
      {{"e5m2",
        {{"M", "5"}, {"N", "48"}, {"K", "272"}, {"layout", "nt"}, {"scales", "block"}},
        "BM=8 BN=64 BK=128 STAGES=2 SLICES=1 CLUSTER_K=1 REDUCE=0 SWAP_AB=1 BLOCKS_PER_SM=4 PROMOTE=128"},
       {"e4m3",
        {{"M", "5"},
         {"N", "48"},
         {"K", "272"},
         {"layout", "nt"},
         {"scales", "row"},
         {"accumulate", "fast"},
         {"out", "e4m3"}},
        "BM=8 BN=64 BK=128 STAGES=8 SLICES=1 CLUSTER_K=1 REDUCE=0 SWAP_AB=1 PROMOTE=0"}});
}

TEST_CASE("emulated kernels: gemm, sums of one sign that the bias takes away again", "[emulated][kernels]") {
  // The sums lose up to 2 % of themselves, and what is left of them can be smaller than that.
  const Arguments arguments = {
      {"M", "64"},          {"N", "64"},     {"K", "768"},    {"layout", "nt"},      {"accumulate", "fast"},
      {"alpha", "-0.0003"}, {"bias", "yes"}, {"out", "fp32"}, {"activation", "none"}};
  Arguments curved = arguments;
  curved.back().value = "gelu";
  CHECK(failures("gemm", "e4m3", arguments, "gemm_sm90", "", true) == "");
  CHECK(failures("gemm", "e4m3", curved, "gemm_sm90", "", true) == "");
}

TEST_CASE("emulated kernels: gemm in int8, exact, with whole alpha and beta", "[emulated][kernels]") {
  for (const std::string layout : {"nn", "tt"})
    CHECK(failures("gemm", "int8", {{"M", "144"}, {"N", "80"}, {"K", "208"}, {"layout", layout}, {"alpha", "-3"}}) ==
          "");
  for (const std::string layout : {"nt", "tn"}) {
    CHECK(failures("gemm", "int8",
                   {{"M", "77"},
                    {"N", "67"},
                    {"K", "149"},
                    {"layout", layout},
                    {"beta", "2"},
                    {"bias", "yes"},
                    {"activation", "relu"}}) == "");
  }
}

TEST_CASE("emulated kernels: gemm in batches", "[emulated][kernels]") {
  const Arguments aligned = {{"M", "72"}, {"N", "136"}, {"K", "64"}, {"batch", "3"}, {"beta", "1"}, {"bias", "yes"}};
  const Arguments odd = {{"M", "37"}, {"N", "69"}, {"K", "43"}, {"batch", "2"}, {"layout", "nt"}};
  for (const std::string dtype : {"bf16", "fp32", "int8"}) {
    CHECK(failures("gemm", dtype, aligned) == "");
    CHECK(failures("gemm", dtype, odd) == "");
  }
  CHECK(failures("gemm", "fp16", {{"M", "2"}, {"N", "72"}, {"K", "40"}, {"batch", "3"}, {"layout", "nt"}}) == "");
}

TEST_CASE("emulated kernels: gemm, configurations that go other ways than the defaults",
          "[.nightly][emulated][kernels]") {
  const Arguments odd = {{"M", "131"}, {"N", "67"}, {"K", "1149"}, {"batch", "2"}, {"bias", "yes"}, {"beta", "-1"}};
  const Arguments whole = {{"M", "256"}, {"N", "384"}, {"K", "96"}, {"layout", "nt"}};
  for (const std::string reduce : {"REDUCE=0", "REDUCE=1", "REDUCE=2"}) {
    CHECK(failures("gemm", "bf16", odd, "gemm_sm80", reduce + ",SPLIT=4,BM=64,BN=64,WM=32,STAGES=4") == "");
    CHECK(failures("gemm", "int8", whole, "gemm_sm80", reduce + ",SPLIT=4,STAGES=4,BK=64,BM=128,BN=128,WM=64") == "");
  }
  // More tiles than multiprocessors, so that some blocks have a second one.
  const Arguments many = {{"M", "1416"}, {"N", "1544"}, {"K", "72"}, {"layout", "tn"}};
  CHECK(failures("gemm", "fp16", many, "gemm_sm80", "PERSISTENT=1") == "");
  for (const std::string layout : {"nn", "nt", "tn", "tt"}) {
    const Arguments few = {{"M", "7"}, {"N", "520"}, {"K", "1032"}, {"layout", layout}};
    const Arguments sixteen = {{"M", "16"}, {"N", "72"}, {"K", "80"}, {"layout", layout}, {"activation", "gelu"}};
    CHECK(failures("gemm", "bf16", few, "gemv", "MMA=1,WARPS_N=2,WARPS_K=4,TILES=2,STAGES=3") == "");
    CHECK(failures("gemm", "tf32", sixteen, "gemv", "MMA=1,SPLIT_K=1,STAGES=8") == "");
  }
  CHECK(failures("gemm", "int8", {{"M", "3"}, {"N", "99"}, {"K", "320"}, {"layout", "nt"}}, "gemv") == "");
}

TEST_CASE("emulated kernels: gemm_sm90, a consumer with several instructions a row", "[emulated][kernels]") {
  const Arguments wide = {{"M", "328"}, {"N", "136"}, {"K", "168"}};
  CHECK(failures("gemm", "bf16", wide, "gemm_sm90", "SWAP_AB=1,BM=320,BN=128,STAGES=3,CLUSTER_M=1") == "");
}

TEST_CASE("emulated kernels: gemm_grouped, every variant, dtype and layout", "[emulated][kernels]") {
  check_family("gemm_grouped", {{{"tokens", "299"}, {"N", "72"}, {"K", "104"}, {"groups", "7"}},
                                {{"tokens", "5"}, {"N", "45"}, {"K", "83"}, {"groups", "9"}}});
}

TEST_CASE("emulated kernels: gemm_grouped, every value of every parameter", "[.nightly][emulated][kernels]") {
  const std::string configurations[] = {"BM=16,BN=256,SWAP_AB=1,STAGES=5,GROUP=16",
                                        "BM=32,BN=128,SWAP_AB=1,STAGES=8,CLUSTER=2",
                                        "BM=48,BN=64,SWAP_AB=1,CONSUMERS=1,STAGES=10",
                                        "BM=96,BN=128,SWAP_AB=1,STAGES=6,CLUSTER=4",
                                        "BM=192,BN=128,SWAP_AB=1",
                                        "BM=256,BN=128,STAGES=3,CLUSTER=2",
                                        "BM=128,BN=256,STAGES=4",
                                        "BM=64,BN=64,BK=128,CONSUMERS=1,GROUP=4",
                                        "BM=256,BN=64,CONSUMERS=1"};
  std::size_t turn = 0;
  for (const std::string& configuration : configurations) {
    const std::string layout = turn % 2 == 0 ? "nn" : "nt", dtype = turn % 4 < 2 ? "bf16" : "fp16";
    ++turn;
    // K is no multiple of BK, N none of BN; groups of several tiles, the last of them ragged.
    const Arguments large = {{"tokens", "700"}, {"N", "200"}, {"K", "168"}, {"groups", "4"}, {"layout", layout}};
    CHECK(failures("gemm_grouped", dtype, large, "gemm_grouped_sm90", configuration) == "");
  }
  for (const std::string configuration : {"", "BM=48,BN=256,SWAP_AB=1", "BM=64,BN=128,CONSUMERS=1,CLUSTER=2"}) {
    // Groups of one row and of none; more groups than tokens.
    const Arguments small = {{"tokens", "389"}, {"N", "136"}, {"K", "72"}, {"groups", "60"}};
    const Arguments few = {{"tokens", "13"}, {"N", "72"}, {"K", "64"}, {"groups", "200"}, {"layout", "nt"}};
    CHECK(failures("gemm_grouped", "bf16", small, "gemm_grouped_sm90", configuration) == "");
    CHECK(failures("gemm_grouped", "fp16", few, "gemm_grouped_sm90", configuration) == "");
  }
}

TEST_CASE("emulated kernels: gemm_sm90_unaligned, by TMA and by producer warps", "[emulated][kernels]") {
  const auto failed = [](const std::string& dtype, const Arguments& problem, const std::string& configuration) {
    return failures("gemm", dtype, problem, "gemm_sm90_unaligned", configuration);
  };
  const std::string producers = "CLUSTER_M=1,GROUP=8,";
  // Tensors that end inside 16 bytes, whole matrices of a batch inside their last.
  const Arguments few = {{"M", "3"}, {"N", "1"}, {"K", "1"}, {"batch", "5"}};
  CHECK(failed("bf16", few, producers + "BM=64,BN=64,CONSUMERS=1,PRODUCERS=2") == "");
  const Arguments odd = {{"M", "65"}, {"N", "129"}, {"K", "33"}, {"layout", "nt"}, {"bias", "yes"}, {"beta", "2"}};
  CHECK(failed("fp16", odd, producers + "BM=64,BN=128,STAGES=3,CONSUMERS=1,PRODUCERS=2") == "");
  CHECK(failed("bf16", odd, "BM=256,BN=128,CLUSTER_M=2,GROUP=2") == "");
  // One operand aligned, the other not, D either; more tiles than multiprocessors, so that blocks have a second.
  const Arguments many = {{"M", "705"}, {"N", "776"}, {"K", "75"}};
  CHECK(failed("bf16", many, "BM=64,BN=64,STAGES=6,CLUSTER_M=1,GROUP=8,CONSUMERS=1") == "");
  CHECK(failed("bf16", many, producers + "BM=64,BN=64,CONSUMERS=1,PRODUCERS=1") == "");
  // One operand by warps, the other by TMA, from the tensor or from where it was copied to.
  CHECK(failed("bf16", many, producers + "BM=64,BN=64,CONSUMERS=1,PRODUCERS=3,DIRECT=1") == "");
  CHECK(failed("fp16", odd, producers + "BM=128,BN=64,BK=128,STAGES=3,CONSUMERS=2,PRODUCERS=2,DIRECT=2") == "");
  const Arguments contiguous = {{"M", "131"}, {"N", "267"}, {"K", "149"}, {"layout", "nt"}, {"batch", "2"}};
  CHECK(failed("tf32", contiguous, "BN=128") == "");
  CHECK(failed("int8", contiguous, producers + "BM=128,BN=64,CONSUMERS=2,PRODUCERS=2") == "");
}

TEST_CASE("emulated kernels: gemm_sm90_splitk, every cluster, reduction and tile", "[.nightly][emulated][kernels]") {
  const std::vector<OneConfiguration> cases = {
      {"bf16",
       {{"M", "128"}, {"N", "128"}, {"K", "264"}, {"layout", "nt"}},
       "BM=64,BN=32,STAGES=14,CLUSTER_K=2,CLUSTER_N=4,REDUCE=1,PREFETCH=1"},
      {"bf16",
       {{"M", "60"}, {"N", "96"}, {"K", "264"}, {"layout", "nt"}, {"beta", "2"}},
       "BM=64,BN=96,STAGES=6,CLUSTER_K=4,REDUCE=2,PREFETCH=2"},
      {"fp16", {{"M", "250"}, {"N", "64"}, {"K", "200"}, {"bias", "yes"}}, "BM=256,BN=64,STAGES=4,CLUSTER_K=1"},
      {"bf16", {{"M", "64"}, {"N", "64"}, {"K", "520"}}, "BM=64,BN=64,STAGES=9,CLUSTER_K=8"},
      {"bf16",
       {{"M", "256"}, {"N", "256"}, {"K", "136"}, {"layout", "tn"}},
       "BM=64,BN=256,BK=32,STAGES=7,CLUSTER_K=1,CLUSTER_M=4,REDUCE=1"},
      {"fp16",
       {{"M", "128"}, {"N", "184"}, {"K", "136"}, {"layout", "tt"}},
       "BM=64,BN=192,STAGES=6,CLUSTER_K=1,CLUSTER_M=2"},
      {"bf16",
       {{"M", "64"}, {"N", "128"}, {"K", "1032"}},
       "BM=64,BN=64,BK=256,STAGES=3,CLUSTER_K=1,CLUSTER_N=2,PREFETCH=1"},
      {"tf32", {{"M", "100"}, {"N", "60"}, {"K", "140"}, {"layout", "nt"}}, "BM=64,BN=64,BK=32,STAGES=12,REDUCE=1"},
      {"int8",
       {{"M", "130"}, {"N", "66"}, {"K", "528"}, {"layout", "nt"}},
       "BM=64,BN=128,BK=128,STAGES=8,CLUSTER_K=2,REDUCE=2"},
      {"bf16",
       {{"M", "64"}, {"N", "64"}, {"K", "4224"}, {"layout", "tn"}},
       "BM=64,BN=64,BK=32,STAGES=2,SLICES=132,CLUSTER_K=2,REDUCE=2"},
      {"bf16",
       {{"M", "128"}, {"N", "128"}, {"K", "1928"}, {"layout", "tn"}},
       "BM=64,BN=64,BK=32,STAGES=3,SLICES=30,CLUSTER_K=1,CLUSTER_M=2,CLUSTER_N=2,REDUCE=2"},
      {"bf16",
       {{"M", "64"}, {"N", "64"}, {"K", "136"}, {"layout", "tn"}, {"batch", "60"}},
       "BM=64,BN=64,BK=32,STAGES=3,SLICES=2,CLUSTER_K=1,REDUCE=1"},
  };
  check_configurations("gemm_sm90_splitk", cases);
}

TEST_CASE("emulated kernels: gemm_sm90, stream-K", "[emulated][kernels]") {
  const std::vector<OneConfiguration> cases = {
      {"bf16", {{"M", "264"}, {"N", "200"}, {"K", "520"}}, "BM=128,BN=64,STAGES=8,STREAM_K=1"},
      {"bf16",
       {{"M", "264"}, {"N", "192"}, {"K", "520"}, {"layout", "nt"}, {"beta", "1"}},
       "BM=64,BN=192,STAGES=6,CONSUMERS=1,CLUSTER_M=2,STREAM_K=1"},
      {"bf16",
       {{"M", "256"}, {"N", "128"}, {"K", "264"}, {"layout", "tn"}, {"batch", "2"}},
       "BM=256,BN=128,STAGES=4,STREAM_K=1"},
      {"fp16",
       {{"M", "900"}, {"N", "648"}, {"K", "264"}, {"bias", "yes"}},
       "BM=64,BN=64,BK=128,STAGES=6,CONSUMERS=1,STREAM_K=2"},
      {"bf16", {{"M", "264"}, {"N", "200"}, {"K", "520"}}, "BM=64,BN=64,STAGES=8,PINGPONG=1,STREAM_K=1"},
      {"int8",
       {{"M", "140"}, {"N", "132"}, {"K", "1040"}, {"layout", "nt"}},
       "BM=128,BN=128,BK=128,STAGES=6,STREAM_K=1"},
  };
  check_configurations("gemm_sm90", cases);
}

// Two CTAs of each cluster, ragged edges, more tiles than multiprocessors, and a tile longer than the pipeline.
TEST_CASE("emulated kernels: the Hopper rungs of gemm beyond their defaults", "[emulated][kernels]") {
  const Arguments many = {{"M", "768"}, {"N", "776"}, {"K", "584"}},
                  ragged = {{"M", "264"}, {"N", "136"}, {"K", "200"}};
  CHECK(failures("gemm", "bf16", many, "pingpong", "BM=64,BN=64,STAGES=4") == "");
  CHECK(failures("gemm", "fp16", many, "persistent", "BM=64,BN=64,STAGES=2,CONSUMERS=1,GROUP=4") == "");
  CHECK(failures("gemm", "bf16", ragged, "multicast", "CLUSTER=4,BM=64,BN=64,CONSUMERS=1") == "");
  CHECK(failures("gemm", "bf16", ragged, "multistage", "BM=64,BN=256,STAGES=2") == "");
}

TEST_CASE("emulated kernels: every recipe, on kernels of each kind and a few dtypes", "[.nightly][emulated][kernels]") {
  const Arguments small = {{"M", "72"}, {"N", "40"}, {"K", "72"}};
  for (const char* dtype : {"bf16", "fp16", "fp32", "e4m3", "int8"})
    CHECK(failures("gemm", dtype, small, "naive", "", true) == "");
  for (const char* variant : {"gemm_sm80", "gemm_sm90", "mma_multistage", "pingpong"})
    CHECK(failures("gemm", "bf16", small, variant, "", true) == "");
  CHECK(failures("gemm", "fp32", small, "reg2d", "", true) == "");
  // A subnormal sum is rounded before it is multiplied.
  CHECK(failures("gemm", "fp32",
                 {{"M", "64"}, {"N", "40"}, {"K", "3"}, {"batch", "3"}, {"alpha", "1.2345678"}, {"scale_d", "3"}},
                 "smem_tile", "", true) == "");
  CHECK(failures("gemm", "bf16", {{"M", "72"}, {"N", "40"}, {"K", "72"}, {"layout", "tt"}, {"activation", "gelu"}},
                 "gemm_sm80", "", true) == "");
  CHECK(failures("gemm_grouped", "bf16", {{"tokens", "100"}, {"N", "72"}, {"K", "72"}}, "all", "", true) == "");
  for (const char* dtype : {"fp32", "bf16"}) {
    CHECK(failures("softmax", dtype, {{"M", "33"}, {"N", "200"}}, "all", "", true) == "");
    CHECK(failures("reduce", dtype, {{"N", "3001"}}, "all", "", true) == "");
  }
}

TEST_CASE("emulated kernels: layernorm, rmsnorm and add_rmsnorm, every variant and dtype", "[emulated][kernels]") {
  for (const char* family : {"layernorm", "rmsnorm", "add_rmsnorm"})
    check_family(family, {{{"M", "5"}, {"N", "1003"}}, {{"M", "33"}, {"N", "32"}}});
}

TEST_CASE("emulated kernels: gradients of norms, every variant and dtype", "[emulated][kernels]") {
  for (const char* family : {"rmsnorm_backward", "layernorm_backward"})
    check_family(family, {{{"M", "5"}, {"N", "1003"}}, {{"M", "35"}, {"N", "32"}}});
}

TEST_CASE("emulated kernels: log_softmax and softmax_backward, every variant and dtype", "[emulated][kernels]") {
  for (const char* family : {"log_softmax", "softmax_backward"})
    check_family(family, {{{"M", "5"}, {"N", "1003"}}, {{"M", "33"}, {"N", "32"}}});
}

TEST_CASE("emulated kernels: long sums of rows that tell where they stood", "[emulated][kernels]") {
  CHECK(failures("spmm", "fp32", {{"M", "98"}, {"N", "100"}, {"K", "4099"}, {"Z", "3072"}}, "naive", "", true) == "");
  CHECK(failures("bsr_spmm", "fp32", {{"M", "5"}, {"N", "65536"}, {"K", "3"}, {"Z", "136"}, {"S", "1"}}, "naive", "",
                 true) == "");
}

TEST_CASE("emulated kernels: a quarter of a million values are added in pieces", "[.nightly][emulated][kernels]") {
  SessionFixture fixture;
  CheckOptions options = emulated_check(fixture, "naive");
  options.rig.target = "attention_decode";
  options.dtype = "bf16";
  options.only_asked = true;
  options.recipes = {"sizes"};
  options.arguments = {{"keys", "262149"}, {"heads", "3"},     {"kv_heads", "3"},    {"depth", "3"},
                       {"page", "3"},      {"cache", "paged"}, {"lengths", "varied"}};
  for (const CheckRow& row : checked_rows(fixture, options)) {
    INFO(row.trial.message);
    CHECK(row.trial.status == TrialStatus::passed);
  }
}

TEST_CASE("emulated kernels: embedding, every variant and dtype", "[emulated][kernels]") {
  check_family("embedding", {{{"T", "37"}, {"V", "50"}, {"D", "72"}}, {{"T", "9"}, {"V", "5"}, {"D", "3"}}});
}

TEST_CASE("emulated kernels: embedding_backward, every variant and dtype", "[emulated][kernels]") {
  check_family("embedding_backward", {{{"T", "65"}, {"V", "20"}, {"D", "72"}}, {{"T", "9"}, {"V", "5"}, {"D", "3"}}});
}

TEST_CASE("emulated kernels: cross_entropy and its gradient, every variant and dtype", "[emulated][kernels]") {
  for (const char* family : {"cross_entropy", "cross_entropy_backward"})
    check_family(family, {{{"M", "5"}, {"V", "1003"}}, {{"M", "33"}, {"V", "32"}, {"smoothing", "0"}}});
}

TEST_CASE("emulated kernels: causal_softmax, every variant and dtype", "[emulated][kernels]") {
  check_family("causal_softmax", {{{"B", "2"}, {"M", "5"}, {"N", "1003"}}, {{"M", "41"}, {"N", "32"}}});
}

TEST_CASE("emulated kernels: attention, every variant, dtype and mask", "[emulated][kernels]") {
  // Grouped heads, two tiles of keys, both ends ragged.
  check_family("attention", {{{"queries", "37"},
                              {"keys", "141"},
                              {"depth", "40"},
                              {"batch", "1"},
                              {"heads", "2"},
                              {"kv_heads", "1"},
                              {"layout", "bshd"}}});
}

TEST_CASE("emulated kernels: attention_backward, every variant, dtype and mask", "[emulated][kernels]") {
  // Grouped heads, several tiles, all ends ragged.
  check_family("attention_backward", {{{"queries", "37"},
                                       {"keys", "70"},
                                       {"depth", "40"},
                                       {"batch", "1"},
                                       {"heads", "2"},
                                       {"kv_heads", "1"},
                                       {"layout", "bshd"}}});
}

TEST_CASE("emulated kernels: attention_decode, every variant, dtype and cache", "[emulated][kernels]") {
  check_family(
      "attention_decode",
      {{{"keys", "100"}, {"queries", "2"}, {"depth", "40"}, {"batch", "2"}, {"heads", "4"}, {"kv_heads", "2"}}});
}

TEST_CASE("emulated kernels: softmax, every variant and dtype", "[emulated][kernels]") {
  check_family("softmax", {{{"M", "5"}, {"N", "1003"}}, {{"M", "33"}, {"N", "32"}}});
}

TEST_CASE("emulated kernels: reduce, every variant and dtype", "[emulated][kernels]") {
  check_family("reduce", {{{"N", "100003"}}, {{"N", "1"}}});
}

TEST_CASE("emulated kernels: every variant, dtype and flag, of types that are like others too", "[.nightly]") {
  check_family("gemm", {{{"M", "67"}, {"N", "45"}, {"K", "83"}}}, true);
  check_family("gemm_grouped", {{{"tokens", "100"}, {"N", "72"}, {"K", "72"}}}, true);
  check_family("attention", {{{"queries", "37"}, {"keys", "141"}, {"depth", "40"}, {"batch", "1"}, {"heads", "2"}}},
               true);
  check_family("attention_backward",
               {{{"queries", "37"}, {"keys", "70"}, {"depth", "40"}, {"batch", "1"}, {"heads", "2"}}}, true);
  check_family("attention_decode",
               {{{"keys", "100"}, {"queries", "2"}, {"depth", "40"}, {"batch", "2"}, {"heads", "4"}}}, true);
}

TEST_CASE("emulated kernels: every variant, dtype and flag at large shapes, sampled", "[.nightly]") {
  check_family("gemm", {{{"M", "1024"}, {"N", "1088"}, {"K", "2048"}}, {{"M", "1023"}, {"N", "1025"}, {"K", "1027"}}});
  check_family("softmax", {{{"M", "8192"}, {"N", "8192"}}});
  check_family("reduce", {{{"N", "16777217"}}});
}
