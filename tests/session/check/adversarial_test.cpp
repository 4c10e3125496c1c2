#include <algorithm>
#include <set>

#include "base/file.h"
#include "catch.h"
#include "session/check/check.h"
#include "session/run/problem_setup.h"
#include "session/run/valid_shape.h"

using namespace kerlab;

namespace {

const Family& family_of(const char* name) {
  static std::map<std::string, Family> families;
  const auto found = families.find(name);
  if (found != families.end()) return found->second;
  return families.emplace(name, load_folder(share_folder() / "kernels" / name).family).first->second;
}

std::vector<ProblemRequest> shapes(const char* family, const char* dtype, std::int64_t tile = 128) {
  ProblemRequest request;
  request.dtype = dtype;
  return adversarial_shapes(family_of(family), make_problem(family_of(family), request), tile).shapes;
}

bool has(const std::vector<ProblemRequest>& shapes, const std::map<std::string, std::int64_t>& extents) {
  return std::any_of(shapes.begin(), shapes.end(), [&](const ProblemRequest& shape) {
    return std::all_of(extents.begin(), extents.end(),
                       [&](const auto& extent) { return shape.dimensions.at(extent.first) == extent.second; });
  });
}

}  // namespace

TEST_CASE("shapes break tiles, pipelines and what counts on work to be there", "[check]") {
  const auto gemm = shapes("gemm", "bf16");
  for (const std::int64_t extent : {1, 127, 128, 129, 136})
    CHECK(has(gemm, {{"M", extent}, {"N", extent}, {"K", extent}}));
  CHECK(has(gemm, {{"M", 129}, {"K", 0}}));
  CHECK(has(gemm, {{"M", 129}, {"K", 1}}));
  // The same in multiples of 8, without which wide loads are never tried.
  CHECK(has(gemm, {{"M", 136}, {"K", 0}}));
  CHECK(has(gemm, {{"M", 136}, {"N", 136}, {"K", 8}}));
  CHECK(has(gemm, {{"M", 8}, {"N", 136}, {"K", 136}}));
  CHECK(has(gemm, {{"M", 136}, {"N", 152}, {"K", 184}}));
  for (const ProblemRequest& shape : shapes("softmax", "fp32")) CHECK(shape.dimensions.at("N") > 0);
}

TEST_CASE("two shapes have padded rows; where padding was asked for all have", "[check]") {
  const auto padded = [](const std::vector<ProblemRequest>& all) {
    return std::count_if(all.begin(), all.end(), [](const ProblemRequest& shape) { return shape.row_padding > 0; });
  };
  CHECK(padded(shapes("gemm", "bf16")) == 2);
  CHECK(has(shapes("gemm", "bf16"), {{"M", 136}, {"N", 152}, {"K", 184}}));
  ProblemRequest request;
  request.row_padding = 48;
  const auto all = adversarial_shapes(family_of("gemm"), make_problem(family_of("gemm"), request), 128).shapes;
  CHECK(padded(all) == static_cast<std::ptrdiff_t>(all.size()));
}

TEST_CASE("uneven shapes are larger than the tile: with other scalars and padded rows too", "[check]") {
  const auto large = adversarial_shapes(family_of("gemm"), make_problem(family_of("gemm"), {}), 256).shapes;
  const auto here = [](const ProblemRequest& shape) {
    return shape.dimensions.at("M") == 264 && shape.dimensions.at("N") == 280 && shape.dimensions.at("K") == 296;
  };
  CHECK(std::ranges::count_if(large, here) >= 4);  // as asked for, with two sets of scalars, with padded rows
  CHECK(std::ranges::any_of(large, [&](const auto& shape) { return here(shape) && shape.row_padding > 0; }));
  CHECK(std::ranges::any_of(large, [&](const auto& shape) { return here(shape) && shape.scalars.at("beta") != 0; }));
}

TEST_CASE("shapes for types of one byte have rows of whole 16 bytes", "[check]") {
  const auto bytes = shapes("gemm", "e4m3");
  CHECK(has(bytes, {{"M", 272}, {"N", 304}, {"K", 368}}));
  CHECK(has(bytes, {{"M", 144}, {"N", 144}, {"K", 16}}));
}

TEST_CASE("a few shapes come with other scalars, whole where the family wants them so", "[check]") {
  const auto scalars = [](const char* family, const char* dtype) {
    std::set<std::pair<double, double>> found;
    for (const ProblemRequest& shape : shapes(family, dtype))
      found.insert({shape.scalars.at("alpha"), shape.scalars.at("beta")});
    return found;
  };
  CHECK(scalars("gemm", "bf16") == std::set<std::pair<double, double>>{{1, 0}, {1.25, 0}, {1.25, -0.75}});
  CHECK(scalars("gemm", "int8") == std::set<std::pair<double, double>>{{1, 0}, {2, 0}, {2, -1}});
}

TEST_CASE("indices beyond 2^31 are tried where memory allows, and said not to be elsewhere", "[check]") {
  DeviceInfo device;
  device.kind = DeviceKind::cuda;
  device.memory_bytes = std::int64_t{140} << 30;
  for (const char* family : {"gemm", "softmax", "gemm_grouped"}) {
    CAPTURE(family);
    const Problem asked = make_problem(family_of(family), {});
    const FarShape far = far_shape(family_of(family), asked, device);
    REQUIRE(far.request);
    const auto tensors = tensors_of(family_of(family), make_problem(family_of(family), *far.request));
    CHECK(std::any_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return t.elements() > (1LL << 31); }));
  }
  device.memory_bytes = std::int64_t{8} << 30;
  const Problem asked = make_problem(family_of("gemm"), {});
  CHECK_THAT(far_shape(family_of("gemm"), asked, device).why_not, Catch::Contains("fits this device"));
  device.kind = DeviceKind::emulated;
  CHECK_THAT(far_shape(family_of("gemm"), asked, device).why_not, Catch::Contains("emulated"));
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
  for (const char* condition : {"N % 4 == 0", "N % 48 == 0", "M % 1024 == 0", "M % 16 == 0 && N % 16 == 0", "N >= M"}) {
    INFO(condition);
    const Family family = bound(condition);
    ProblemRequest request;
    request.dimensions = {{"M", 2048}, {"N", 4096 * 3}};
    const Problem asked = make_problem(family, request);
    const auto found = adversarial_shapes(family, asked, 128).shapes;
    CHECK(found.size() >= 8);
    for (const ProblemRequest& shape : found) CHECK_NOTHROW(make_problem(family, shape));
    for (const ProblemRequest& shape : small_shapes(family, asked)) {
      const auto near = nearest_problem(family, shape, asked);
      REQUIRE(near);
      CHECK(near->dimensions[0].second * near->dimensions[1].second < 2048 * 4096 * 3);
    }
  }
  const Family impossible = bound("M == 7 && N == 9");
  ProblemRequest request;
  request.dimensions = {{"M", 7}, {"N", 9}};
  CHECK(adversarial_shapes(impossible, make_problem(impossible, request), 128).shapes.size() <= 2);
}

TEST_CASE("every residue modulo 8 of every dimension is among the shapes", "[check]") {
  for (const char* name : {"M", "N", "K"}) {
    std::set<std::int64_t> residues;
    for (const ProblemRequest& shape : shapes("gemm", "bf16")) residues.insert(shape.dimensions.at(name) % 8);
    CHECK(residues.size() == 8);
  }
}

TEST_CASE("shapes of which a reference would take long are left out, and counted", "[check]") {
  const Family& gemm = family_of("gemm");
  const auto few = adversarial_shapes(gemm, make_problem(gemm, {}), 128);
  CHECK(few.left_out == 0);
  Family costly = gemm;
  costly.flops = Expression::parse("M * N * K * 1000000", {});
  const auto cut = adversarial_shapes(costly, make_problem(costly, {}), 128);
  CHECK(cut.left_out > 10);
  CHECK(cut.shapes.size() + cut.left_out >= few.shapes.size());
  for (const ProblemRequest& shape : cut.shapes) CHECK(flops_of(costly, make_problem(costly, shape)) <= 4e9);
}
