// Problems that were added because a wrong kernel had passed without them.
#include <algorithm>
#include <set>

#include "base/file.h"
#include "catch.h"
#include "device/emu/emu_device_profile.h"
#include "plan/shared_workspaces.h"
#include "session/check/check_fixture.h"
#include "session/shapes/adversarial.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/thin.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// A shipped variant with a configuration, and what of its family is changed.
struct Chooser {
  explicit Chooser(const char* family_name, const char* variant_name, const char* dtype_name = "")
      : folder(load_folder(share_folder() / "kernels" / family_name)),
        variant(*std::ranges::find(folder.variants, variant_name, &Variant::name)),
        device(emu::read_emulated_device(emu::profile_folder(), "h200")) {
    request.dtype = dtype_name;
  }
  [[nodiscard]] AdversarialShapes shapes(const char* configuration = "") const {
    return shapes(configuration, limits_for(device));
  }
  [[nodiscard]] AdversarialShapes shapes(const char* configuration, const ShapeLimits& limits) const {
    const Problem asked = make_problem(folder.family, request);
    const Configuration chosen = *configuration != 0 ? parse_configuration(variant, asked, device, configuration)
                                                     : default_configuration(variant, asked, device);
    return adversarial_shapes({folder.family, variant, chosen, device}, asked, limits);
  }
  KernelFolder folder;
  const Variant& variant;
  DeviceInfo device;
  ProblemRequest request;
};

std::set<std::int64_t> extents_along(const AdversarialShapes& found, const char* dimension) {
  std::set<std::int64_t> extents;
  for (const ProblemRequest& shape : requests_for(found, MadeFor::edges))
    extents.insert(shape.dimensions.at(dimension));
  return extents;
}

}  // namespace

TEST_CASE("workspaces: words that begin as zeros are shared, 16 bytes that nobody sets are not", "[check]") {
  LaunchPlan plan;
  CHECK_FALSE(blocks_share(plan));
  plan.workspaces = {{"parts", 16, WorkspaceInit::none}, {"words", 0, WorkspaceInit::zero_once}};
  CHECK_FALSE(blocks_share(plan));
  plan.workspaces[1].bytes = 16;
  CHECK(blocks_share(plan));
  plan.workspaces = {{"parts", 17, WorkspaceInit::none}};
  CHECK(blocks_share(plan));
}

TEST_CASE("flags: each value meets others of all other flags, and what is added", "[check]") {
  const AdversarialShapes found = Chooser("gemm", "smem_tile", "fp32").shapes();
  for (const char* activation : {"relu", "gelu", "silu"})
    CHECK(std::ranges::any_of(requests_for(found, MadeFor::edges), [&](const ProblemRequest& shape) {
      return shape.flags.at("activation") == activation && shape.flags.at("bias") == "yes" &&
             shape.flags.at("layout") != "nn" && shape.scalars.at("beta") > 2;
    }));
}

TEST_CASE("extents: powers of two are tried each where nothing else is valid", "[check]") {
  Chooser rows("softmax", "naive", "fp32");
  rows.folder.family.constraints.push_back({"power", "", Expression::parse("N == pow(2, ilog2(N))", {}), {}});
  const std::set<std::int64_t> extents = extents_along(rows.shapes(), "N");
  for (const std::int64_t power : {2, 4, 16, 32, 64, 512, 1024}) CHECK(extents.contains(power));
}

TEST_CASE("extents: where the default is what heads have, others of them are tried", "[check]") {
  const std::set<std::int64_t> extents = extents_along(Chooser("rope", "naive", "fp32").shapes(), "D");
  for (const std::int64_t head : {64, 80, 96, 112, 128, 192, 256}) CHECK(extents.contains(head));
}

TEST_CASE("edges: what is tried beside a factor of 0 or an empty sum is tried without as well", "[check]") {
  Chooser gemm("gemm", "smem_tile", "fp32");
  gemm.request.dimensions["M"] = 64;
  std::set<std::int64_t> all, seen;
  for (const ProblemRequest& shape : requests_for(gemm.shapes(), MadeFor::edges)) {
    const bool hidden =
        shape.scalars.at("alpha") == 0 || shape.scalars.at("scale_d") == 0 || shape.dimensions.at("K") == 0;
    all.insert(shape.dimensions.at("N") % 16);
    if (!hidden) seen.insert(shape.dimensions.at("N") % 16);
  }
  CHECK(seen.contains(15));
  CHECK(seen == all);
}

TEST_CASE("edges: an empty sum is tried beside what is added to it", "[check]") {
  Chooser gemm("gemm", "naive", "fp32");
  gemm.request.dimensions["M"] = 32;
  CHECK(std::ranges::any_of(requests_for(gemm.shapes(), MadeFor::edges), [](const ProblemRequest& shape) {
    return shape.dimensions.at("K") == 0 && shape.scalars.at("beta") != 0 && shape.dimensions.at("M") > 8;
  }));
}

TEST_CASE("few multiprocessors: of twelve tiles a worker has four", "[check]") {
  const Chooser gemm("gemm", "persistent", "bf16");
  ProblemRequest request = gemm.request;
  request.dimensions = {{"M", 256}, {"N", 384}, {"K", 1040}};
  const Problem problem = make_problem(gemm.folder.family, request);
  const Configuration chosen = default_configuration(gemm.variant, problem, gemm.device);
  const auto few = device_of_few(gemm.folder.family, gemm.variant, problem, chosen, gemm.device);
  const auto tiles = shape_plan({gemm.folder.family, gemm.variant, chosen, gemm.device}, problem, gemm.device);
  REQUIRE((few && tiles));
  CHECK(tiles->launches[0].grid.x > 3U * static_cast<unsigned>(few->sms));
}

TEST_CASE("thin: where outputs are integers there are several", "[check]") {
  Chooser rows("softmax", "naive", "fp32");
  Family& family = rows.folder.family;
  family.dimensions.push_back({"limit", "", Expression::parse("64", {}), 1, 1 << 30, false, {}});
  family.flops = Expression::parse("limit", {});
  for (TensorDecl& tensor : family.tensors)
    if (tensor.role == Role::output) tensor.dtype = {{}, {}, DType::int32};
  CHECK(std::ranges::any_of(requests_for(rows.shapes(), MadeFor::long_extent), [](const ProblemRequest& shape) {
    return shape.dimensions.at("limit") > 65536 && shape.dimensions.at("M") > 1 && shape.dimensions.at("N") > 1;
  }));
}

TEST_CASE("costly: wide tiles go along more than 65536", "[check]") {
  for (const char* variant : {"mma_sync", "smem_tile"}) {
    INFO(variant);
    const AdversarialShapes found = Chooser("gemm", variant, "bf16").shapes();
    const auto is_long = [](const ProblemRequest& shape) { return shape.dimensions.at("K") > 65536; };
    CHECK((std::ranges::any_of(requests_for(found, MadeFor::costly_extent), is_long) ||
           std::ranges::any_of(requests_for(found, MadeFor::long_extent), is_long)));
  }
}

TEST_CASE("costly: of all pairs of more than 65536 some blocks are executed", "[check]") {
  for (const char* variant : {"naive", "tile", "registers"})
    CHECK(std::ranges::any_of(requests_for(Chooser("nbody", variant).shapes(), MadeFor::costly_extent),
                              [](const ProblemRequest& shape) { return shape.dimensions.at("N") > 65536; }));
}

TEST_CASE("costly: rows that have a block each, in one of several launches, are more than 65536", "[check]") {
  CHECK(std::ranges::any_of(
      requests_for(Chooser("layernorm_backward", "row_per_block", "bf16").shapes(), MadeFor::costly_extent),
      [](const ProblemRequest& shape) { return shape.dimensions.at("M") > 65536; }));
}

TEST_CASE("few multiprocessors: where tiles are shared out, three by three of them are no multiple", "[check]") {
  const Chooser gemm("gemm", "gemm_sm90", "bf16");
  ProblemRequest request = gemm.request;
  request.dimensions = {{"M", 264}, {"N", 264}, {"K", 1032}};
  const Problem problem = make_problem(gemm.folder.family, request);
  const Configuration chosen =
      parse_configuration(gemm.variant, problem, gemm.device, "BM=128,BN=128,STAGES=6,STREAM_K=1");
  const auto few = device_of_few(gemm.folder.family, gemm.variant, problem, chosen, gemm.device);
  REQUIRE(few);
  CHECK(few->sms > 1);
  CHECK(9 % few->sms != 0);
}

TEST_CASE("shared workspaces: where blocks share them, three of a batch do", "[check]") {
  const Chooser gemm("gemm", "gemm_sm90", "bf16");
  const AdversarialShapes found = gemm.shapes("BM=128,BN=128,STAGES=6,STREAM_K=1");
  const auto batches = problems_for(found, MadeFor::shared_workspaces);
  REQUIRE(batches.size() == 1);
  CHECK(batches[0].request.dimensions.at("batch") == 3);
  CHECK(batches[0].sms > 1);
  CHECK(batches[0].thoroughness == Thoroughness::thorough);
  CHECK(problems_for(gemm.shapes(), MadeFor::shared_workspaces).empty());  // of whole tiles nothing is shared
}

TEST_CASE("winner: emulated, of what costs more than others it meets the recipes that tell", "[check]") {
  const Chooser attention("attention", "naive", "fp32");
  const auto flops = [&](const CheckedProblem& one) {
    return flops_of(attention.folder.family, make_problem(attention.folder.family, one.request));
  };
  const ShapeLimits limits = limits_for_winner(attention.device);
  std::set<Thoroughness> met;
  for (const CheckedProblem& one : attention.shapes("", limits).problems) {
    met.insert(one.thoroughness);
    if (one.thoroughness == Thoroughness::usual) CHECK(flops(one) <= limits.usual_flops);
    if (one.thoroughness == Thoroughness::telling) CHECK(flops(one) > limits.usual_flops);
  }
  CHECK(met.contains(Thoroughness::usual));
  CHECK(met.contains(Thoroughness::telling));
  Chooser gpu("attention", "naive", "fp32");
  gpu.device.is_slow = false;
  for (const CheckedProblem& one : gpu.shapes().problems) CHECK(one.thoroughness != Thoroughness::telling);
  CHECK(limits_for_winner(gpu.device).usual_flops == limits_for(gpu.device).usual_flops);
}

TEST_CASE("winner: an odd extent meets fours of another", "[check]") {
  Chooser coalesced("gemm", "coalesced", "fp32");
  coalesced.request.dimensions = {{"M", 32}};
  CHECK(std::ranges::any_of(
      requests_for(coalesced.shapes("", limits_for_winner(coalesced.device)), MadeFor::edges),
      [](const auto& shape) { return shape.dimensions.at("N") % 2 == 1 && shape.dimensions.at("K") % 8 == 4; }));
}

TEST_CASE("other dtypes: every value of a flag, other quiet extents, and several tiles", "[check]") {
  const auto of_dtype = [](const Chooser& kernel) {
    const Problem asked = make_problem(kernel.folder.family, kernel.request);
    std::vector<ProblemRequest> requests;
    for (CheckedProblem& one :
         shapes_of_dtype({kernel.folder.family, kernel.variant,
                          default_configuration(kernel.variant, asked, kernel.device), kernel.device},
                         asked, limits_for(kernel.device)))
      requests.push_back(std::move(one.request));
    return requests;
  };
  std::set<std::string> types;
  for (const ProblemRequest& shape : of_dtype(Chooser("cast", "streamed", "fp16"))) types.insert(shape.flags.at("out"));
  for (const char* type : {"bf16", "e4m3", "e5m2", "int8"}) CHECK(types.contains(type));

  std::set<std::int64_t> sides;
  for (const ProblemRequest& shape : of_dtype(Chooser("bsr_spmm", "merge_path", "bf16")))
    sides.insert(shape.dimensions.at("S"));
  CHECK(sides.contains(32));

  const auto is_long = [](const ProblemRequest& shape) {
    return shape.dimensions.at("M") > 2048 && shape.dimensions.at("Z") > 2048;
  };
  CHECK(std::ranges::any_of(of_dtype(Chooser("spmv", "merge_path", "fp64")), is_long));

  std::set<std::int64_t> residues;
  const std::vector<ProblemRequest> rows = of_dtype(Chooser("softmax", "naive", "fp16"));
  for (const ProblemRequest& shape : rows) residues.insert(shape.dimensions.at("N") % 8);
  CHECK(residues.size() == 8);
  CHECK(std::ranges::any_of(rows, [](const auto& shape) { return shape.dimensions.at("N") > 65'536; }));

  CHECK(std::ranges::any_of(of_dtype(Chooser("reduce", "one_launch", "bf16")), [](const ProblemRequest& shape) {
    return shape.flags.at("op") == "max" && shape.dimensions.at("N") > 16'384;
  }));
}

TEST_CASE("thin: of whole accesses there are several rows", "[check]") {
  const Chooser kernel("softmax", "row_per_block", "fp32");
  CHECK(std::ranges::any_of(kernel.shapes().problems, [](const CheckedProblem& one) {
    return one.request.dimensions.at("N") > 65'536 && one.request.dimensions.at("M") >= 4 &&
           one.thoroughness == Thoroughness::usual;  // every recipe
  }));
}

TEST_CASE("extents: shares of a tile, and rows between those that a block holds and the longest", "[check]") {
  const std::set<std::int64_t> rows = extents_along(Chooser("gemm", "gemm_sm90", "bf16").shapes(), "M");
  for (const std::int64_t rest : {32, 64})
    CHECK(std::ranges::any_of(rows, [&](std::int64_t extent) { return extent > 128 && extent % 128 == rest; }));
  CHECK(std::ranges::any_of(requests_for(Chooser("add_rmsnorm", "row_tile", "bf16").shapes(), MadeFor::long_extent),
                            [](const ProblemRequest& shape) {
                              return shape.dimensions.at("N") > 8192 && shape.dimensions.at("N") <= 16'384 &&
                                     shape.dimensions.at("M") >= 4;
                            }));
}

TEST_CASE("extents: what mostly stays at its default has every residue, and other heads", "[check]") {
  std::set<std::int64_t> residues;
  for (const std::int64_t extent : extents_along(Chooser("top_k", "bitonic", "bf16").shapes(), "K"))
    residues.insert(extent % 8);
  CHECK(residues.size() == 8);
  const std::set<std::int64_t> heads = extents_along(Chooser("attention_decode", "split", "bf16").shapes(), "depth");
  for (const std::int64_t head : {64, 80, 192}) CHECK(heads.contains(head));
}

TEST_CASE("emulated: of what starts more than 2^17 warps few recipes are tried, though little is computed", "[check]") {
  const Chooser attention("attention", "naive", "fp32");
  bool met = false;
  for (const CheckedProblem& one : attention.shapes().problems) {
    const Problem problem = make_problem(attention.folder.family, one.request);
    const Configuration chosen = default_configuration(attention.variant, problem, attention.device);
    const auto plan =
        shape_plan({attention.folder.family, attention.variant, chosen, attention.device}, problem, attention.device);
    double warps = 0;
    for (const Launch& launch : plan->launches) warps += warps_in_grid(launch);
    if (warps <= 1 << 17 || one.thoroughness == Thoroughness::thorough) continue;
    met = true;
    CHECK(one.thoroughness <= Thoroughness::quick);
  }
  CHECK(met);
}

TEST_CASE("extents: an odd number of steps, and rows shorter than what is sought in them, or as long", "[check]") {
  CHECK(extents_along(Chooser("add_rmsnorm", "row_tile", "bf16").shapes(), "N").contains(768));
  const AdversarialShapes found = Chooser("top_k", "passes", "fp32").shapes();
  bool shorter = false, all = false;
  for (const ProblemRequest& shape : requests_for(found, MadeFor::edges)) {
    shorter = shorter || shape.dimensions.at("N") < 8;
    all = all || (shape.dimensions.at("K") == shape.dimensions.at("N") && shape.dimensions.at("K") > 16);
  }
  CHECK(shorter);
  CHECK(all);
}

TEST_CASE("parts: many are tried under other flags as well", "[check]") {
  const AdversarialShapes found = Chooser("reduce", "one_launch", "fp32").shapes();
  std::set<std::string> operators;
  for (const ProblemRequest& shape : requests_for(found, MadeFor::many_parts)) operators.insert(shape.flags.at("op"));
  CHECK(operators == std::set<std::string>{"sum", "max", "min"});
}

TEST_CASE("extents: those that are valid beside another value of a flag alone", "[check]") {
  const AdversarialShapes found = Chooser("rope", "heads", "bf16").shapes();
  CHECK(std::ranges::any_of(requests_for(found, MadeFor::edges),
                            [](const ProblemRequest& shape) { return shape.dimensions.at("D") % 16 == 8; }));
}

TEST_CASE("extents: each of very few, as a filter's radius, meets every residue of the others", "[check]") {
  std::set<std::pair<std::int64_t, bool>> met;
  for (const ProblemRequest& shape :
       requests_for(Chooser("implicit_gemm", "mma_sync", "bf16").shapes(), MadeFor::edges))
    met.insert({shape.dimensions.at("R"), shape.dimensions.at("C") % 32 == 0});
  for (const std::int64_t radius : {0, 1, 2, 3}) {
    CAPTURE(radius);
    CHECK(met.contains({radius, false}));
    CHECK(met.contains({radius, true}));
  }
}

TEST_CASE("thin: whole accesses that are no whole tiles, and scalars that are nothing by default", "[check]") {
  Chooser kernel("activation", "vectorised", "fp32");
  const std::vector<ProblemRequest> shapes =
      requests_for(kernel.shapes("", limits_for(kernel.device)), MadeFor::long_extent);
  CHECK(std::ranges::any_of(shapes, [](const ProblemRequest& shape) {
    const std::int64_t n = shape.dimensions.at("N");
    return n > 65'536 && n % 16 == 0 && n % 512 != 0;
  }));
  Chooser product("gemm", "naive", "fp32");
  const auto is_with_c = [](const ProblemRequest& shape) {
    return shape.scalars.at("beta") != 0 && shape.dimensions.at("M") > 65'536;
  };
  CHECK(std::ranges::any_of(requests_for(product.shapes("", limits_for(product.device)), MadeFor::long_extent),
                            is_with_c));
}

TEST_CASE("extents: all elements together have every residue", "[check]") {
  Chooser kernel("activation", "vectorised", "bf16");
  std::set<std::int64_t> residues;
  for (const ProblemRequest& shape : requests_for(kernel.shapes("", limits_for(kernel.device)), MadeFor::edges))
    residues.insert(shape.dimensions.at("M") * shape.dimensions.at("N") % 8);
  CHECK(residues.size() == 8);
}

TEST_CASE("extents: one access of 16 bytes, and one element more than whole tiles beside several of the other",
          "[check]") {
  const auto has = [](const std::vector<ProblemRequest>& shapes, const auto& wanted) {
    return std::ranges::any_of(shapes, [&](const ProblemRequest& shape) {
      return wanted(shape.dimensions.at("M"), shape.dimensions.at("N"));
    });
  };
  Chooser tiled("transpose_2d", "tiled", "fp32");
  const std::vector<ProblemRequest> shapes = requests_for(tiled.shapes("", limits_for(tiled.device)), MadeFor::edges);
  CHECK(has(shapes, [](std::int64_t, std::int64_t n) { return n == 4; }));
  CHECK(has(shapes, [](std::int64_t m, std::int64_t) { return m == 4; }));
  CHECK(has(shapes, [](std::int64_t m, std::int64_t n) { return m > 64 && m % 32 == 1 && n > 128; }));
  CHECK(has(shapes, [](std::int64_t m, std::int64_t n) { return n > 64 && n % 32 == 1 && m > 128; }));
}

TEST_CASE("extents: beside what is nothing by default the others are tried around their tiles", "[check]") {
  Chooser splits("attention", "split_kv", "bf16");  // v_depth = 0: values as deep as keys
  splits.request.dimensions = {{"queries", 2}, {"keys", 490}, {"depth", 64}, {"heads", 4}, {"kv_heads", 2}};
  const AdversarialShapes found = splits.shapes("SPLITS=64 WARPS=2 BN=16 STAGES=2");
  const std::set<std::int64_t> keys = extents_along(found, "keys");
  CHECK(std::ranges::any_of(keys, [](std::int64_t extent) { return extent > 2048 && extent % 8 != 0; }));
  std::set<std::int64_t> residues;
  for (const std::int64_t extent : keys) residues.insert(extent % 8);
  CHECK(residues.size() == 8);
  CHECK(found.left.size() < found.goals / 4);
}

TEST_CASE("flags: what is large in one thing has those asked for, where a tune's winner is checked", "[check]") {
  const Chooser rows("dequantize", "streamed", "e4m3");
  const auto scales = [](const AdversarialShapes& found) {
    std::set<std::string> values;
    for (const ProblemRequest& shape : requests_for(found, MadeFor::long_extent))
      values.insert(shape.flags.at("scales"));
    return values;
  };
  CHECK(scales(rows.shapes()).size() > 1);
  CHECK(scales(rows.shapes("", limits_for_winner(rows.device))).size() == 1);
}
