// Every kernel that is shipped, for every dtype and layout, executed whole on the emulated device at small ragged
// shapes.

#include <fmt/format.h>

#include "catch.h"
#include "session/check.h"
#include "session/session_fixture.h"

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

/// Checks every variant's default configuration, or one configuration of one variant; what is wrong, a line each.
std::string failures(const std::string& family, const std::string& dtype, Arguments arguments,
                     const std::string& variant = "all", const std::string& configuration = "") {
  SessionFixture fixture;
  CheckOptions options;
  options.rig = fixture.options().rig;
  options.rig.device = "emu:h200";
  options.rig.target = family;
  options.dtype = dtype;
  options.variants = {variant};
  options.configuration = configuration;
  options.arguments = std::move(arguments);
  options.only_asked = true;
  CheckSession session(options, fixture.database());
  while (session.step()) {
  }
  std::string lines;
  for (const CheckRow& row : session.rows()) {
    if (row.trial.status == TrialStatus::passed) continue;
    lines += fmt::format("{} {} {}: {} {}\n", row.problem.title(), row.trial.variant, row.trial.configuration,
                         name(row.trial.status), row.trial.message);
  }
  if (session.rows().empty()) lines = "nothing was checked";
  return lines;
}

void check_family(const std::string& name, const std::vector<Arguments>& shapes) {
  const KernelFolder folder = open_catalogue({}).find(name);
  for (const DType dtype : folder.family.dtypes) {
    for (const Arguments& flags : flag_choices(folder.family)) {
      for (const Arguments& shape : shapes) {
        Arguments arguments = shape;
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        CHECK(failures(name, std::string(kerlab::name(dtype)), arguments) == "");
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
  for (const std::string activation : {"none", "relu", "gelu", "silu"})
    for (const std::string bias : {"no", "yes"})
      // Whole 16 bytes and fours for the rungs that want them; rows of odd lengths.
      for (const Arguments& shape :
           {Arguments{{"M", "72"}, {"N", "136"}, {"K", "64"}}, Arguments{{"M", "37"}, {"N", "69"}, {"K", "43"}}}) {
        Arguments arguments = shape;
        arguments.insert(arguments.end(), {{"bias", bias},
                                           {"activation", activation},
                                           {"layout", layouts[turn % 4]},
                                           {"alpha", "0.5"},
                                           {"beta", turn % 2 == 0 ? "0" : "-1.5"}});
        CHECK(failures("gemm", dtypes[turn++ / 2 % 4], arguments) == "");
      }
  CHECK(failures("gemm", "bf16", {{"M", "5"}, {"N", "96"}, {"K", "64"}, {"bias", "yes"}, {"activation", "silu"}}) ==
        "");
}

TEST_CASE("emulated kernels: gemm in int8, exact, with whole alpha and beta", "[emulated][kernels]") {
  for (const std::string layout : {"nn", "nt", "tn", "tt"}) {
    CHECK(failures("gemm", "int8", {{"M", "144"}, {"N", "80"}, {"K", "208"}, {"layout", layout}, {"alpha", "-3"}}) ==
          "");
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

TEST_CASE("emulated kernels: gemm, configurations that go other ways than the defaults", "[emulated][kernels]") {
  const Arguments odd = {{"M", "131"}, {"N", "67"}, {"K", "1149"}, {"batch", "2"}, {"bias", "yes"}, {"beta", "-1"}};
  const Arguments whole = {{"M", "256"}, {"N", "384"}, {"K", "96"}, {"layout", "nt"}};
  for (const std::string reduce : {"REDUCE=0", "REDUCE=1", "REDUCE=2"}) {
    CHECK(failures("gemm", "bf16", odd, "split_k", reduce) == "");
    CHECK(failures("gemm", "int8", whole, "split_k", reduce + ",BK=64,BM=128,BN=128,WM=64") == "");
  }
  // More tiles than multiprocessors, so that some blocks stay for a second one.
  const Arguments many = {{"M", "1416"}, {"N", "1544"}, {"K", "72"}, {"layout", "tn"}};
  CHECK(failures("gemm", "fp16", many, "mma_pipe", "STAY=1") == "");
  for (const std::string layout : {"nn", "nt", "tn", "tt"}) {
    const Arguments few = {{"M", "7"}, {"N", "520"}, {"K", "1032"}, {"layout", layout}};
    const Arguments sixteen = {{"M", "16"}, {"N", "72"}, {"K", "80"}, {"layout", layout}, {"activation", "gelu"}};
    CHECK(failures("gemm", "bf16", few, "gemv_mma", "WARPS_N=2,WARPS_K=4,TILES=2,STAGES=3") == "");
    CHECK(failures("gemm", "tf32", sixteen, "gemv_mma", "SPLIT_K=1,STAGES=8") == "");
  }
  CHECK(failures("gemm", "int8", {{"M", "3"}, {"N", "99"}, {"K", "320"}, {"layout", "nt"}}, "gemv_mma") == "");
}

TEST_CASE("emulated kernels: gemm_grouped, every variant, dtype and layout", "[emulated][kernels]") {
  check_family("gemm_grouped", {{{"tokens", "299"}, {"N", "72"}, {"K", "104"}, {"groups", "7"}},
                                {{"tokens", "5"}, {"N", "45"}, {"K", "83"}, {"groups", "9"}}});
}

TEST_CASE("emulated kernels: gemm_grouped, every value of every parameter", "[emulated][kernels]") {
  const std::string configurations[] = {"BM=16,BN=256,SWAP=1,STAGES=5,GROUP=16,PIECES=2",
                                        "BM=32,BN=128,SWAP=1,STAGES=8,CLUSTER=2,PIECES=4",
                                        "BM=48,BN=64,SWAP=1,CONSUMERS=1,STAGES=10,PIECES=1,TAKE=1",
                                        "BM=96,BN=128,SWAP=1,STAGES=6,CLUSTER=4,PIECES=4",
                                        "BM=192,BN=128,SWAP=1",
                                        "BM=256,BN=128,STAGES=3,CLUSTER=2,PIECES=8",
                                        "BM=128,BN=256,STAGES=4,TAKE=1",
                                        "BM=64,BN=64,BK=128,CONSUMERS=1,GROUP=4",
                                        "BM=256,BN=64,CONSUMERS=1"};
  std::size_t turn = 0;
  for (const std::string& configuration : configurations) {
    const std::string layout = turn % 2 == 0 ? "nn" : "nt", dtype = turn % 4 < 2 ? "bf16" : "fp16";
    ++turn;
    // K is no multiple of BK, N none of BN; groups of several tiles, the last of them ragged.
    const Arguments large = {{"tokens", "700"}, {"N", "200"}, {"K", "168"}, {"groups", "4"}, {"layout", layout}};
    CHECK(failures("gemm_grouped", dtype, large, "wgmma_groups", configuration) == "");
  }
  for (const std::string configuration : {"", "BM=48,BN=256,SWAP=1,TAKE=1", "BM=64,BN=128,CONSUMERS=1,CLUSTER=2"}) {
    // Groups of one row and of none; more groups than tokens.
    const Arguments small = {{"tokens", "389"}, {"N", "136"}, {"K", "72"}, {"groups", "60"}};
    const Arguments few = {{"tokens", "13"}, {"N", "72"}, {"K", "64"}, {"groups", "200"}, {"layout", "nt"}};
    CHECK(failures("gemm_grouped", "bf16", small, "wgmma_groups", configuration) == "");
    CHECK(failures("gemm_grouped", "fp16", few, "wgmma_groups", configuration) == "");
  }
}

TEST_CASE("emulated kernels: gemm on wgmma where rows begin anywhere", "[emulated][kernels]") {
  // Tensors that end inside 16 bytes, whole matrices of a batch inside their last.
  for (const std::string layout : {"nn", "nt", "tn", "tt"}) {
    const Arguments few = {{"M", "3"}, {"N", "1"}, {"K", "1"}, {"batch", "5"}, {"layout", layout}};
    const Arguments odd = {{"M", "65"}, {"N", "129"}, {"K", "33"}, {"layout", layout}, {"bias", "yes"}, {"beta", "2"}};
    CHECK(failures("gemm", "bf16", few, "wgmma_direct") == "");
    CHECK(failures("gemm", "fp16", odd, "wgmma_direct", "BM=64,BN=192,DEPTH=4,STAGES=2") == "");
    CHECK(failures("gemm", "fp16", few, "wgmma_ragged", "BM=64,CONSUMERS=1") == "");
    CHECK(failures("gemm", "bf16", odd, "wgmma_ragged", "BM=256,BN=128,CLUSTER=2,GROUP=4") == "");
  }
  // One operand aligned, the other not; more tiles than multiprocessors, so that blocks stay for a second one.
  const Arguments many = {{"M", "1409"}, {"N", "1544"}, {"K", "203"}};
  CHECK(failures("gemm", "bf16", many, "wgmma_ragged", "BM=128,BN=64,STAGES=6,CLUSTER=1") == "");
  CHECK(failures("gemm", "bf16", many, "wgmma_direct", "BM=64,BN=128,CONSUMERS=1,PRODUCERS=1,DEPTH=12") == "");
  const Arguments contiguous = {{"M", "131"}, {"N", "267"}, {"K", "149"}, {"layout", "nt"}, {"batch", "2"}};
  for (const std::string dtype : {"int8", "tf32"}) {
    CHECK(failures("gemm", dtype, contiguous, "wgmma_ragged", "BN=128") == "");
    CHECK(failures("gemm", dtype, contiguous, "wgmma_direct", "BM=128,BN=64,CONSUMERS=2,PRODUCERS=2") == "");
  }
