#include "session/shapes/adversarial.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>

#include "base/file.h"
#include "base/interrupt.h"
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/run/problem_setup.h"
#include "session/shapes/few_sms.h"
#include "session/shapes/small_shapes.h"
#include "session/shapes/valid_shape.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

const KernelFolder& folder_of(const std::string& name) {
  static std::map<std::string, KernelFolder> folders;
  const auto found = folders.find(name);
  if (found != folders.end()) return found->second;
  return folders.emplace(name, load_folder(share_folder() / "kernels" / name)).first->second;
}

const Family& family_of(const std::string& name) {
  return folder_of(name).family;
}

const Variant& variant_of(const char* family, const char* name) {
  const auto& variants = folder_of(family).variants;
  return *std::ranges::find(variants, name, &Variant::name);
}

/// Something like an H200.
DeviceInfo hopper(DeviceKind kind = DeviceKind::cuda) {
  DeviceInfo device;
  device.set_kind(kind);
  device.cc_major = 9;
  device.sms = 132;
  device.memory_bytes = std::int64_t{140} << 30;
  device.l2_bytes = 50 << 20;
  device.shared_per_block = 232448;
  device.shared_per_sm = 233472;
  device.shared_reserved = 1024;
  device.registers_per_block = device.registers_per_sm = 65536;
  device.threads_per_block = 1024;
  device.threads_per_sm = 2048;
  device.blocks_per_sm = 32;
  return device;
}

AdversarialShapes shapes(const char* family, const char* variant, const char* dtype,
                         const std::map<std::string, std::int64_t>& extents, const char* configuration = "",
                         DeviceKind kind = DeviceKind::emulated) {
  ProblemRequest request;
  request.dtype = dtype;
  request.dimensions = extents;
  const DeviceInfo device = hopper(kind);
  const Problem asked = make_problem(family_of(family), request);
  const Variant& made = variant_of(family, variant);
  const Configuration chosen = *configuration != 0 ? parse_configuration(made, asked, device, configuration)
                                                   : default_configuration(made, asked, device);
  return adversarial_shapes({family_of(family), made, chosen, device}, asked, limits_for(device));
}

std::set<std::int64_t> residues(const AdversarialShapes& found, const char* dimension, std::int64_t modulus) {
  std::set<std::int64_t> residues;
  for (const ProblemRequest& shape : requests_for(found, MadeFor::edges))
    residues.insert(shape.dimensions.at(dimension) % modulus);
  return residues;
}

bool has(const std::set<std::int64_t>& numbers, std::initializer_list<std::int64_t> wanted) {
  return std::ranges::all_of(wanted, [&](std::int64_t number) { return numbers.contains(number); });
}

std::int64_t alignment(std::int64_t extent) {
  return extent % 8 == 0 ? 8 : extent % 4 == 0 ? 4 : extent % 2 == 0 ? 2 : 1;
}

}  // namespace

TEST_CASE("each dimension is tried around its own tile, and at every residue of the widest access", "[check]") {
  const auto gemm = shapes("gemm", "smem_tile", "fp32", {{"M", 512}}, "BM=32,BN=16,BK=32");
  for (const char* d : {"M", "N", "K"}) CHECK(residues(gemm, d, 8).size() == 8);
  CHECK(has(residues(gemm, "M", 32), {31, 0, 1}));
  CHECK(has(residues(gemm, "N", 16), {15, 0, 1}));
  CHECK(has(residues(gemm, "K", 32), {31, 0, 1}));
  const auto least = [&](const char* d, std::int64_t extent) {
    return std::ranges::any_of(requests_for(gemm, MadeFor::edges),
                               [&](const auto& shape) { return shape.dimensions.at(d) == extent; });
  };
  CHECK((least("M", 1) && least("N", 1) && least("K", 0) && least("K", 1)));
  CHECK(gemm.left.empty());
  // A last tile of one row that is not the first as well.
  for (const std::int64_t rest : {1, 31})
    CHECK(std::ranges::any_of(requests_for(gemm, MadeFor::edges), [&](const auto& shape) {
      const std::int64_t extent = shape.dimensions.at("M");
      return extent > 32 && extent % 32 == rest;
    }));
  const auto rows = shapes("softmax", "row_tile", "fp32", {{"M", 64}, {"N", 256}}, "ROWS=4");
  CHECK(has(residues(rows, "M", 4), {3, 0, 1}));
}

TEST_CASE("shares of blocks are tried where as many blocks as possible have one, and where one is a step longer",
          "[check]") {
  const auto extents = [](const AdversarialShapes& found, const char* dimension) {
    std::set<std::int64_t> all;
    for (const ProblemRequest& shape : requests_for(found, MadeFor::edges)) all.insert(shape.dimensions.at(dimension));
    return all;
  };
  const auto split = shapes("attention", "split_kv", "bf16", {{"queries", 2}}, "SPLITS=64,WARPS=2,BN=16,STAGES=2");
  CHECK(has(extents(split, "keys"), {64 * 2 * 16 - 1, 64 * 2 * 16 + 1}));
  // Of few segments one is as long as what a block holds.
  for (const std::int64_t held : {2048, 8192}) {
    const std::string configuration = "HELD=" + std::to_string(held);
    const auto sorted = shapes("segmented_sort", "bitonic", "uint32", {{"N", 20001}}, configuration.c_str());
    CHECK(has(extents(sorted, "N"), {held, held + 1}));
  }
}

TEST_CASE("an extent that is valid beside few others is tried beside these", "[check]") {
  const Family& family = family_of("aos_to_soa");
  Variant variant = variant_of("aos_to_soa", "packets");
  const auto whole = std::ranges::find(variant.constraints, "whole_packets", &Constraint::name);
  whole->condition = Expression::parse("N * F % 4 == 0", {});
  ProblemRequest request;
  request.dtype = "fp32";
  request.dimensions = {{"N", 1024}};
  const Problem asked = make_problem(family, request);
  const DeviceInfo device = hopper(DeviceKind::emulated);
  const Configuration configuration = default_configuration(variant, asked, device);
  const AdversarialShapes found =
      adversarial_shapes({family, variant, configuration, device}, asked, limits_for(device));
  CHECK(has(residues(found, "N", 4), {0, 1, 2, 3}));
}

TEST_CASE("alignments come in pairs over the dimensions", "[check]") {
  const auto gemm = shapes("gemm", "naive", "bf16", {{"M", 512}});
  for (const auto& [a, b] : {std::pair{"M", "N"}, std::pair{"M", "K"}, std::pair{"N", "K"}}) {
    std::set<std::pair<std::int64_t, std::int64_t>> pairs;
    for (const ProblemRequest& shape : requests_for(gemm, MadeFor::edges))
      pairs.insert({alignment(shape.dimensions.at(a)), alignment(shape.dimensions.at(b))});
    CHECK(pairs.size() >= 14);
  }
}

TEST_CASE("every dimension is long and ragged once, however small the problem asked for", "[check]") {
  for (const auto& [family, variant] : {std::pair{"softmax", "naive"}, std::pair{"gemm", "naive"}}) {
    const auto found = shapes(family, variant, "fp32", {{"M", 16}, {"N", 16}});
    for (const char* d : {"M", "N"})
      CHECK(std::ranges::any_of(requests_for(found, MadeFor::edges), [&](const ProblemRequest& shape) {
        return shape.dimensions.at(d) > 2048 && shape.dimensions.at(d) % 8 != 0;
      }));
  }
}

TEST_CASE("scalars have 24 bits, are 0, -1 and 1, and whole where the family wants them so", "[check]") {
  const auto scalars = [](const char* dtype, const char* name) {
    std::set<double> found;
    for (const ProblemRequest& shape : requests_for(shapes("gemm", "naive", dtype, {{"M", 64}}), MadeFor::edges))
      found.insert(shape.scalars.at(name));
    return found;
  };
  for (const char* name : {"alpha", "beta"}) {
    const std::set<double> of_bf16 = scalars("bf16", name), of_int8 = scalars("int8", name);
    for (const double one : {0.0, -1.0, 1.0}) CHECK((of_bf16.contains(one) && of_int8.contains(one)));
    CHECK(std::ranges::any_of(of_bf16, [](double x) { return x != static_cast<double>(static_cast<int>(x)); }));
    for (const double x : of_int8) CHECK(x == static_cast<double>(static_cast<int>(x)));
  }
}

TEST_CASE("every value of every flag is tried, pairs of them too; with other scalars; in a batch", "[check]") {
  const auto gemm = shapes("gemm", "naive", "bf16", {{"M", 64}});
  std::set<std::string> flags;
  std::set<std::int64_t> batches;
  for (const ProblemRequest& shape : requests_for(gemm, MadeFor::edges)) {
    for (const auto& [flag, value] : shape.flags) flags.insert(flag + "=" + value);
    batches.insert(shape.dimensions.at("batch"));
  }
  for (const char* flag : {"layout=nn", "layout=nt", "layout=tn", "layout=tt", "bias=yes", "activation=relu",
                           "activation=gelu", "activation=silu", "out=fp16", "out=fp32", "out=e4m3"})
    CHECK(flags.contains(flag));
  CHECK(batches == std::set<std::int64_t>{1, 3});
}

TEST_CASE("what mostly stays at its default is tried with few and with many, alone and in groups", "[check]") {
  std::set<std::int64_t> queries, depths, groups;
  std::int64_t most_rows = 0;  // that share keys
  for (const ProblemRequest& shape : requests_for(shapes("attention_decode", "packed", "bf16", {}), MadeFor::edges)) {
    const std::int64_t group = shape.dimensions.at("heads") / shape.dimensions.at("kv_heads");
    queries.insert(shape.dimensions.at("queries"));
    depths.insert(shape.dimensions.at("depth"));
    groups.insert(group);
    most_rows = std::max(most_rows, group * shape.dimensions.at("queries"));
  }
  CHECK(has(queries, {1, 3, 16}));
  CHECK(has(depths, {8, 16, 40}));
  CHECK(has(groups, {1, 2, 3}));
  CHECK(most_rows > 16);  // more than a tile
  std::set<std::int64_t> few;
  for (const ProblemRequest& shape : requests_for(shapes("top_k", "bitonic", "fp32", {}), MadeFor::edges))
    few.insert(shape.dimensions.at("K"));
  CHECK(has(few, {1, 3, 16, 32}));
}

TEST_CASE("what is usually left alone is tried at its most, beside several tiles as well", "[check]") {
  const auto top_k = shapes("top_k", "bitonic", "fp32", {});
  CHECK(std::ranges::any_of(requests_for(top_k, MadeFor::edges),
                            [](const auto& shape) { return shape.dimensions.at("K") == 256; }));
  std::set<std::int64_t> radii;
  bool beside_tiles = false;
  for (const ProblemRequest& shape : requests_for(shapes("convolution_1d", "window", "fp32", {}), MadeFor::edges)) {
    radii.insert(shape.dimensions.at("R"));
    beside_tiles = beside_tiles || (shape.dimensions.at("R") == 64 && shape.dimensions.at("N") >= 2 * 896);
  }
  CHECK(has(radii, {0, 1, 3, 64}));
  CHECK(beside_tiles);
  std::set<std::int64_t> of_few;
  for (const ProblemRequest& shape : requests_for(shapes("convolution", "tile", "fp32", {}), MadeFor::edges))
    of_few.insert(shape.dimensions.at("R"));
  CHECK(has(of_few, {0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_CASE("more than 17 bits are tried where that is cheap, a batch of more than 8, and the end of what ends before",
          "[check]") {
  const auto longest = [](const char* family, const char* variant, const char* dtype, const char* dimension) {
    std::int64_t most = 0;
    for (const ProblemRequest& shape : requests_for(shapes(family, variant, dtype, {}), MadeFor::long_extent))
      most = std::max(most, shape.dimensions.at(dimension));
    return most;
  };
  CHECK(longest("argmax", "warp_per_row", "fp32", "N") > 1 << 18);
  CHECK(longest("attention_decode", "packed", "bf16", "batch") == 261);
  CHECK(longest("spmm", "merge_path", "fp32", "N") == 65528);  // of whole packets
}

TEST_CASE("other flags meet whole tiles and long rows", "[check]") {
  const auto quantize = shapes("quantize", "row_tile", "bf16", {});
  CHECK(std::ranges::any_of(requests_for(quantize, MadeFor::edges), [](const auto& shape) {
    return shape.flags.at("scales") == "block" && shape.dimensions.at("N") % 128 == 0 && shape.dimensions.at("M") > 1;
  }));
  CHECK(std::ranges::any_of(
      requests_for(shapes("dequantize", "streamed", "e4m3", {}), MadeFor::long_extent),
      [](const auto& shape) { return shape.flags.at("scales") == "mx" && shape.dimensions.at("N") > 8192; }));
}

TEST_CASE("what matters under one value of a flag alone is tried there with and without a power of two", "[check]") {
  std::set<bool> powers;
  for (const ProblemRequest& shape : requests_for(shapes("attention_decode", "packed", "bf16", {}), MadeFor::edges)) {
    const std::int64_t page = shape.dimensions.at("page");
    if (shape.flags.at("cache") == "paged") powers.insert((page & (page - 1)) == 0);
  }
  CHECK(powers == std::set<bool>{false, true});
}

TEST_CASE("of one dimension the small problem is as long as its work allows", "[check]") {
  ProblemRequest request;
  request.dtype = "fp32";
  const auto extent = [&](const char* family) {
    const Problem asked = make_problem(family_of(family), request);
    return small_shape(family_of(family), asked, SmallShapes::freely, 1)->dimensions.at("N");
  };
  CHECK(extent("axpy") == 100'003);
  CHECK(extent("nbody") == 1031);  // its work grows with the square
}

TEST_CASE("a dimension that ends early is tried at its end", "[check]") {
  const auto chain = shapes("chain", "fused", "fp32", {{"N", 70001}});
  CHECK(std::ranges::any_of(requests_for(chain, MadeFor::edges),
                            [](const auto& shape) { return shape.dimensions.at("n") == 1024; }));
}

TEST_CASE("scalars are tried at what their family lists, small ones much smaller", "[check]") {
  const auto numbers = [](const char* family, const char* variant, const char* dtype, const char* name) {
    std::set<double> found;
    for (const ProblemRequest& shape : requests_for(shapes(family, variant, dtype, {}), MadeFor::edges))
      found.insert(shape.scalars.at(name));
    return found;
  };
  const auto limits = numbers("select", "look_back", "int32", "limit");
  CHECK((limits.contains(3e9) && limits.contains(-3e9) && limits.contains(2147483648)));
  CHECK(numbers("rope", "heads", "bf16", "theta").contains(500000));
  CHECK(numbers("chain", "fused", "fp32", "a").contains(1));  // who leaves out a factor of 1
  CHECK(*numbers("layernorm", "row_tile", "fp32", "epsilon").begin() == 1e-5 / 64);
}

TEST_CASE("what is few by default is tried at every small extent", "[check]") {
  std::set<std::int64_t> fields;
  for (const ProblemRequest& shape : requests_for(shapes("aos_to_soa", "shared", "fp32", {}), MadeFor::edges))
    fields.insert(shape.dimensions.at("F"));
  CHECK(has(fields, {1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_CASE("tiles are walked in bands, each way round, the last of them lower", "[check]") {
  std::set<std::pair<std::int64_t, std::int64_t>> extents;
  for (const ProblemRequest& shape :
       requests_for(shapes("gemm", "naive", "bf16", {{"M", 4096}}), MadeFor::bands_of_tiles)) {
    extents.insert({shape.dimensions.at("M"), shape.dimensions.at("N")});
    CHECK(shape.dimensions.at("K") <= 64);
  }
  CHECK(extents == std::set<std::pair<std::int64_t, std::int64_t>>{{2312, 520}, {520, 2312}});
  CHECK(requests_for(shapes("softmax", "naive", "fp32", {}), MadeFor::bands_of_tiles).empty());
}

TEST_CASE("what changes no tensor's size is tried beyond 16 bits", "[check]") {
  const auto most = [](const char* family, const char* variant, const char* dimension) {
    std::int64_t found = 0;
    for (const ProblemRequest& shape : requests_for(shapes(family, variant, "fp32", {}), MadeFor::edges))
      found = std::max(found, shape.dimensions.at(dimension));
    return found;
  };
  CHECK(most("segmented_scan", "look_back", "KEYS") > 65536);
  CHECK(most("gemm", "naive", "batch") == 3);
}

TEST_CASE("a limit of 0 is tried between two integers, above the lower one in whatever way it is rounded", "[check]") {
  CHECK(std::ranges::any_of(requests_for(shapes("select", "look_back", "int32", {}), MadeFor::edges),
                            [](const ProblemRequest& shape) {
                              const double limit = shape.scalars.at("limit"), lower = std::floor(limit);
                              return lower > 0 && limit > lower && limit < lower + 0.5;
                            }));
}

TEST_CASE("rows with gaps behind them are tried with variants that take a pitch", "[check]") {
  const auto padded = [](const AdversarialShapes& all, RowPadding::Whole whole) {
    return std::ranges::count_if(requests_for(all, MadeFor::edges), [&](const ProblemRequest& shape) {
      return shape.row_padding.bytes > 0 && shape.row_padding.whole == whole;
    });
  };
  for (const auto whole :
       {RowPadding::Whole::none, RowPadding::Whole::all, RowPadding::Whole::first, RowPadding::Whole::others}) {
    CHECK(padded(shapes("gemm", "naive", "bf16", {{"M", 64}}), whole) > 0);
    CHECK(padded(shapes("gemm", "smem_tile", "bf16", {{"M", 64}}), whole) == 0);
  }
}

TEST_CASE("less work than a device has workers is tried, and a piece more, with all of its multiprocessors",
          "[check]") {
  const auto of = [](const char* family, const char* variant, const char* dtype) {
    return problems_for(shapes(family, variant, dtype, {}), MadeFor::idle_workers);
  };
  const auto rows = of("rmsnorm_backward", "row_tile", "bf16");
  REQUIRE(rows.size() == 2);
  for (const CheckedProblem& one : rows) CHECK(one.sms == hopper().sms);
  const std::int64_t half = rows[0].request.dimensions.at("M"), more = rows[1].request.dimensions.at("M");
  CHECK(half >= more / 2);
  CHECK(half < more / 2 + 10);
  CHECK(more % hopper().sms == 1);
  CHECK(of("softmax", "naive", "fp32").empty());
  CHECK(of("gemm", "smem_tile", "bf16").empty());
}

TEST_CASE("a check makes no more than 57 problems; what they leave out is named", "[check]") {
  for (const char* variant : {"naive", "smem_tile", "gemm_sm90", "gemm_sm80"}) {
    INFO(variant);
    const auto gemm = shapes("gemm", variant, "bf16", {{"M", 4096}});
    const auto of_edges = problems_for(gemm, MadeFor::edges);
    CHECK(of_edges.size() >= 8);
    CHECK(of_edges.size() <= 57);
    CHECK(of_edges.front().thoroughness == Thoroughness::thorough);
    CHECK(std::ranges::count(of_edges, Thoroughness::thorough, &CheckedProblem::thoroughness) == 1);
    CHECK(gemm.goals > 20);
  }
  // TMA wants rows of whole 16 bytes.
  const auto sm90_shapes = shapes("gemm", "gemm_sm90", "bf16", {{"M", 4096}});
  CHECK(std::ranges::count(sm90_shapes.lost, "K % 8 = 1") == 1);
  CHECK(residues(sm90_shapes, "M", 8).size() == 8);
  CHECK(residues(sm90_shapes, "K", 8) == std::set<std::int64_t>{0});
}

TEST_CASE("of each dimension more than 65536 are tried where that is cheap", "[check]") {
  const auto longest = [](const AdversarialShapes& all) {
    std::set<std::string> dimensions;
    for (const ProblemRequest& shape : requests_for(all, MadeFor::long_extent))
      for (const auto& [dimension, extent] : shape.dimensions)
        if (extent > 65536) dimensions.insert(dimension);
    return dimensions;
  };
  CHECK(longest(shapes("outer", "naive", "fp32", {})) == std::set<std::string>{"M", "N"});
  CHECK(longest(shapes("softmax", "row_per_block", "fp32", {})).contains("N"));
  CHECK(longest(shapes("gemm", "gemm_sm90", "bf16", {})).empty());  // whole tiles: seconds on an emulated device
  CHECK(longest(shapes("gemm", "gemm_sm90", "bf16", {}, "", DeviceKind::cuda)) == std::set<std::string>{"K", "M", "N"});
  CHECK(longest(shapes("nbody", "tile", "fp32", {}, "", DeviceKind::cuda)).contains("N"));  // all pairs
}

TEST_CASE("each of the blocks that share out a reduction has more than 16 bits count", "[check]") {
  const auto longest = [](const AdversarialShapes& found) {
    std::int64_t most = 0;
    for (const ProblemRequest& shape : requests_for(found, MadeFor::long_extent))
      most = std::max(most, shape.dimensions.at("N"));
    return most;
  };
  CHECK(longest(shapes("histogram", "privatised", "uint32", {{"N", 1 << 20}})) > 2 * 65536);
  // More of these numbers are more blocks: each has no more than before.
  CHECK(longest(shapes("activation", "vectorised", "fp32", {})) < 2 * 65536 * 32);
}

TEST_CASE("no problem with a long extent is there twice", "[check]") {
  // A single block has all of the numbers along K, as each block of those that would share them out.
  for (const auto& [family, variant] : {std::pair{"gemm", "naive"}, std::pair{"softmax", "row_per_block"}}) {
    std::map<std::string, int> times;
    for (const ProblemRequest& shape : requests_for(shapes(family, variant, "fp32", {}), MadeFor::long_extent))
      ++times[make_problem(family_of(family), shape).key()];
    REQUIRE_FALSE(times.empty());
    for (const auto& [problem, count] : times) {
      INFO(problem);
      CHECK(count == 1);
    }
  }
}

TEST_CASE("more work than a device has places for is tried, though it takes 9 MB", "[check]") {
  const auto all = requests_for(shapes("reduce", "one_launch", "fp32", {}), MadeFor::idle_workers);
  CHECK(std::ranges::any_of(all, [](const ProblemRequest& shape) { return shape.dimensions.at("N") > 528 * 4096; }));
}

TEST_CASE("more partial results than threads are tried where a later launch gathers them", "[check]") {
  const auto dot = shapes("dot", "two_pass", "fp32", {}, "THREADS=256 UNROLL=1 BLOCKS=4");
  const auto parts = problems_for(dot, MadeFor::many_parts);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].request.dimensions.at("N") > 256 * 256 * 4);
  CHECK(parts[0].sms == 132);
  CHECK(requests_for(shapes("softmax", "naive", "fp32", {}), MadeFor::many_parts).empty());  // one launch
  // 132 multiprocessors have fewer blocks than threads there: that device cannot be wrong.
  CHECK(requests_for(shapes("dot", "two_pass", "fp32", {}, "THREADS=512 BLOCKS=2"), MadeFor::many_parts).empty());
}

TEST_CASE("partial results of three rounds are tried, with a smaller configuration where those are too many",
          "[check]") {
  const auto of_scan = [](const char* configuration) {
    return problems_for(shapes("scan", "reduce_then_scan", "fp32", {}, configuration), MadeFor::many_rounds);
  };
  const auto scan = of_scan("THREADS=256 ROUNDS=4"), small = of_scan("THREADS=128 ROUNDS=1");
  REQUIRE((scan.size() == 1 && scan[0].configuration));
  CHECK(configuration_text(variant_of("scan", "reduce_then_scan"), *scan[0].configuration) == "THREADS=128 ROUNDS=1");
  constexpr std::int64_t kTile = 128 * 4;
  CHECK(scan[0].request.dimensions.at("N") > 2 * kTile * kTile);
  REQUIRE((small.size() == 1 && !small[0].configuration));
  CHECK(small[0].request.dimensions == scan[0].request.dimensions);
  CHECK(requests_for(shapes("softmax", "naive", "fp32", {}), MadeFor::many_rounds).empty());  // one launch
}

TEST_CASE("partial results of three rounds are also tried where all are of a few rows", "[check]") {
  const auto rounds = problems_for(shapes("spmv", "merge_path", "fp32", {}), MadeFor::many_rounds);
  REQUIRE(rounds.size() == 2);
  const auto &few = rounds[0].request.dimensions, &many = rounds[1].request.dimensions;
  CHECK((few.at("M") == 3 && many.at("M") > 100));
  CHECK(few.at("Z") == many.at("Z"));
}

TEST_CASE("where a loop takes rounds, the last one is tried nearly whole", "[check]") {
  const auto lengths = [](const char* configuration) {
    std::set<std::int64_t> found;
    for (const ProblemRequest& one :
         requests_for(shapes("cross_entropy", "packets", "bf16", {}, configuration), MadeFor::edges))
      if (one.dimensions.at("M") == 1) found.insert(one.dimensions.at("V"));
    return found;
  };
  const auto single = lengths("LANES=256 ROWS=1 VEC=1 UNROLL=4");
  CHECK((single.contains(2 * 1024 - 1) && single.contains(2 * 1024 - 8)));
  CHECK(lengths("LANES=128 ROWS=2 VEC=8 UNROLL=4").contains(2 * 8192 - 8));
}

namespace {
/// A family of two dimensions with constraints on them.
Family bound(const std::string& condition) {
  Family family = family_of("softmax");
  family.constraints.push_back({"bound", "", Expression::parse(condition, {}), {}});
  return family;
}
}  // namespace

TEST_CASE("shapes within a family's constraints are found dimension by dimension", "[check]") {
  const Variant& naive = variant_of("softmax", "naive");
  const DeviceInfo device = hopper();
  for (const char* condition : {"N % 4 == 0", "N % 48 == 0", "M % 1024 == 0", "M % 16 == 0 && N % 16 == 0", "N >= M"}) {
    INFO(condition);
    const Family family = bound(condition);
    ProblemRequest request;
    request.dimensions = {{"M", 2048}, {"N", 4096 * 3}};
    const Problem asked = make_problem(family, request);
    const auto found =
        adversarial_shapes({family, naive, default_configuration(naive), device}, asked, limits_for(device));
    CHECK(requests_for(found, MadeFor::edges).size() >= 8);
    for (const ProblemRequest& shape : requests_for(found, MadeFor::edges)) CHECK_NOTHROW(make_problem(family, shape));
    for (const ProblemRequest& shape : small_shapes(family, asked)) {
      const auto near = nearest_problem(family, shape, asked);
      REQUIRE(near);
      CHECK(near->dimensions[0].second * near->dimensions[1].second < 2048 * 4096 * 3);
    }
  }
}

TEST_CASE("shapes of which a reference would take long are left out", "[check]") {
  const Family& gemm = family_of("gemm");
  Family costly = gemm;
  costly.flops = Expression::parse("M * N * K * 1000000", {});
  const Variant& naive = variant_of("gemm", "naive");
  const DeviceInfo device = hopper();
  const auto cut = adversarial_shapes({costly, naive, default_configuration(naive), device}, make_problem(costly, {}),
                                      limits_for(device));
  const auto of_edges = requests_for(cut, MadeFor::edges);
  for (std::size_t i = 1; i < of_edges.size(); ++i) CHECK(flops_of(costly, make_problem(costly, of_edges[i])) <= 4e9);
}

TEST_CASE("plans of small problems are made for so few multiprocessors that blocks have several tiles", "[check]") {
  const DeviceInfo device = hopper();
  struct Case {
    const char* variant;
    const char* configuration;
    int most;  // multiprocessors
  };
  for (const auto& [variant, configuration, most] :
       {Case{"persistent", "", 4}, Case{"gemm_sm90", "CLUSTER_M=2,CLUSTER_N=2", 8}, Case{"gemm_sm90", "IDLE_SMS=4", 8},
        Case{"gemm_sm80", "PERSISTENT=1", 3}}) {
    CAPTURE(variant, configuration);
    const Variant& made = variant_of("gemm", variant);
    const Problem asked = make_problem(family_of("gemm"), {});
    const Configuration chosen = parse_configuration(made, asked, device, configuration);
    ProblemRequest request;
    request.dimensions = {{"M", 512}, {"N", 768}, {"K", 1040}};
    const Problem small = make_problem(family_of("gemm"), request);
    const auto few = device_of_few(family_of("gemm"), made, small, chosen, device);
    REQUIRE(few);
    CHECK(few->sms <= most);
    const LaunchPlan plan = instantiate(family_of("gemm"), made, small, chosen, *few).plan;
    REQUIRE(plan.launches.size() == 1);
    CHECK(plan.launches[0].grid.x > 0);
  }
  // What does not depend on them stays as it is; so does what needs as many.
  const Variant& naive = variant_of("gemm", "naive");
  const Problem asked = make_problem(family_of("gemm"), {});
  CHECK(device_of_few(family_of("gemm"), naive, asked, default_configuration(naive), device) == device);
}

TEST_CASE("each dimension of the small problem has a multiple of its own", "[check]") {
  const KernelFolder& gemm = folder_of("gemm");
  KernelFolder sm90{gemm.family, {variant_of("gemm", "gemm_sm90")}};  // N and K in whole 16 bytes, M anything
  ProblemRequest request;
  request.dtype = "bf16";
  const auto small = choose_small_problem(sm90, make_problem(gemm.family, request), hopper());
  REQUIRE(small);
  CHECK(small->problem.title() == "gemm 391x264x1040 bf16 nn");
}

TEST_CASE("a small problem keeps the extents that decide the program", "[check]") {
  const KernelFolder& varlen = folder_of("attention_varlen");
  ProblemRequest request;
  request.dtype = "bf16";  // DEPTH = round_up(depth, 16) is a define
  const auto small = choose_small_problem(varlen, make_problem(varlen.family, request), hopper());
  REQUIRE(small);
  CHECK(small->problem.title() == "attention_varlen 391x263x8x128 bf16 none heads=3");
  // Where no variant supports the problem, none is a small one of it.
  const KernelFolder columns{folder_of("reduce_axis").family, {variant_of("reduce_axis", "columns")}};
  CHECK_FALSE(choose_small_problem(columns, make_problem(columns.family, {}), hopper()));
}

TEST_CASE("adversarial shapes: an interruption ends the search for them", "[check]") {
  const InterruptedWaitsEnd at_once;
  std::raise(SIGINT);
  CHECK_THROWS_WITH(shapes("gemm", "reg2d", "fp32", {{"M", 512}, {"N", 512}, {"K", 512}}), "interrupted");
}
