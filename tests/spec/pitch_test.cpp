// pitch = [...]: which tensors may have gaps behind their rows, and what a plan makes of it.
#include <cstring>

#include "catch.h"
#include "spec/plan_code.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// The fixture's variant with these lines at its top, and these arguments.
std::string pitched(const std::string& top, const std::string& arguments) {
  return top + "\n" + replaced(kVariant, R"("A", "D", "M", "N", "K", "alpha")", arguments);
}

Instance instance_of(const std::string& variant, const RowPadding& padding, const std::string& dtype = "bf16",
                     const std::string& layout = "nn") {
  const KernelFolder folder = load_specs(kFamily, variant);
  ProblemRequest request;
  request.dimensions = {{"M", 100}, {"N", 50}, {"K", 7}};
  request.dtype = dtype;
  request.flags["layout"] = layout;
  request.row_padding = padding;
  const Variant& first = folder.variants.front();
  return instantiate(folder.family, first, make_problem(folder.family, request), default_configuration(first), h200());
}

/// All arguments that are numbers.
std::vector<std::int64_t> numbers(const Instance& instance) {
  std::vector<std::int64_t> values;
  for (const Argument& argument : instance.plan.launches.at(0).arguments)
    if (const auto* scalar = std::get_if<ScalarArgument>(&argument)) {
      std::int64_t value = 0;
      std::memcpy(&value, scalar->bytes.data(), scalar->bytes.size());
      values.push_back(value);
    }
  return values;
}

}  // namespace

TEST_CASE("pitch: the width where nothing else is asked for, more where rows are padded", "[spec]") {
  const std::string variant =
      pitched(R"(pitch = ["D", "A"])", R"("A", "D + (M - 1) * pitch.D * dtype.bytes", "pitch.A", "i64: M * pitch.D")");
  const Instance dense = instance_of(variant, RowPadding{});
  CHECK(numbers(dense) == std::vector<std::int64_t>{7, 100 * 50});
  CHECK(dense.plan.pitches.empty());
  const Instance padded = instance_of(variant, {48});
  // The second of them has gaps three times as wide.
  CHECK(numbers(padded) == std::vector<std::int64_t>{7 + 24, 100 * (50 + 72)});
  CHECK(padded.plan.pitches == std::vector<Pitch>{{"A", 31}, {"D", 122}});
  CHECK(std::get<TensorArgument>(padded.plan.launches[0].arguments[1]).offset_bytes == 99 * 122 * 2);
  CHECK(padded.defines == dense.defines);  // the program is the same
  CHECK(numbers(instance_of(variant, {48}, "fp32")) == std::vector<std::int64_t>{7 + 12, 100 * (50 + 36)});
  CHECK(numbers(instance_of(variant, {48}, "bf16", "tn"))[0] == 100 + 24);
  // From the next 16 bytes on: 7 and 50 elements of 2 bytes, 50 of 4.
  CHECK(numbers(instance_of(variant, {48, RowPadding::Whole::all})) ==
        std::vector<std::int64_t>{8 + 24, 100 * (56 + 72)});
  CHECK(numbers(instance_of(variant, {48, RowPadding::Whole::all}, "fp32")) ==
        std::vector<std::int64_t>{8 + 12, 100 * (52 + 36)});
  // Of the first alone, and of the others.
  CHECK(numbers(instance_of(variant, {48, RowPadding::Whole::first})) ==
        std::vector<std::int64_t>{8 + 24, 100 * (50 + 72)});
  CHECK(numbers(instance_of(variant, {48, RowPadding::Whole::others})) ==
        std::vector<std::int64_t>{7 + 24, 100 * (56 + 72)});
}

TEST_CASE("pitch: tensor maps have it, tensors that are not named stay dense", "[spec]") {
  const Instance padded = instance_of(pitched(R"(pitch = ["A"])", R"("@map", "D", "N")") + R"(
[[tensor_map]]
name = "map"
tensor = "A"
dims = ["K", "M"]
strides = ["pitch.A * dtype.bytes"]
box = [16, 16]
)",
                                      {32});
  const auto& map = std::get<TensorMapArgument>(padded.plan.launches[0].arguments[0]).map;
  CHECK(map.stride_bytes == std::vector<std::uint64_t>{(7 + 16) * 2});
  CHECK(padded.plan.pitches == std::vector<Pitch>{{"A", 23}});
}

TEST_CASE("pitch: a problem with padded rows is another problem, for those that take them", "[spec]") {
  const KernelFolder folder = load_specs(kFamily, pitched(R"(pitch = ["A"])", R"("A", "D", "pitch.A")"));
  ProblemRequest request;
  request.row_padding = {48};
  const Problem padded = make_problem(folder.family, request);
  CHECK(padded.key() == "demo M=64 N=64 K=32 bf16 layout=nn alpha=1 row-padding=48");
  CHECK(padded.title() == "demo 64x64x32 bf16 nn row-padding=48");
  CHECK(make_problem(folder.family, {}).key() == "demo M=64 N=64 K=32 bf16 layout=nn alpha=1");
  CHECK(unsupported_reason(folder.variants[0], padded, h200()).empty());
  CHECK_THAT(unsupported_reason(load_specs(kFamily, kVariant).variants[0], padded, h200()),
             Catch::Contains("variant 'tile' takes no tensor with padded rows"));
  request.row_padding = {48, RowPadding::Whole::all};
  CHECK(make_problem(folder.family, request).title() == "demo 64x64x32 bf16 nn row-padding=whole+48");
  for (const std::int64_t wrong : {std::int64_t{-16}, std::int64_t{8}, std::int64_t{17}, 2 * kMostRowPadding}) {
    request.row_padding = {wrong};
    CHECK_THROWS_WITH(make_problem(folder.family, request), Catch::Contains("--row-padding " + std::to_string(wrong)));
  }
}

TEST_CASE("pitch: mistakes are told with their places", "[spec]") {
  const auto error = [](const std::string& top, const std::string& arguments, const std::string& family = kFamily) {
    return load_error(family, pitched(top, arguments));
  };
  const std::string plain = R"("A", "D", "M")";
  CHECK(error(R"(pitch = ["A", "D"])", R"("A", "D", "pitch.A", "pitch.D")") == "no error");
  CHECK_THAT(error(R"(pitch = "A")", plain), Catch::StartsWith("tile.toml:1:9: "));
  CHECK_THAT(error(R"(pitch = ["A", "a"])", plain), Catch::StartsWith("tile.toml:1:16: no tensor is called 'a'"));
  CHECK_THAT(error(R"(pitch = ["A", "A"])", plain),
             Catch::StartsWith("tile.toml:1:16: pitch.A is something else already: 'A' is listed twice"));
  CHECK_THAT(error(R"(pitch = ["D"])", R"("A", "D", "pitch.A")"),
             Catch::Contains("unknown name 'pitch.A': launches and tensor maps have it where the variant says pitch = "
                             "[\"A\"]"));
  const std::string row = replaced(kFamily, "[[reference]]",
                                   "[[tensor]]\nname = \"bias\"\nrole = \"input\"\n"
                                   "shape = [\"N\"]\n[[reference]]");
  CHECK_THAT(error(R"(pitch = ["bias"])", plain, row),
             Catch::StartsWith("tile.toml:1:11: tensor 'bias' has 1 dimension: rows with a leading dimension of their "
                               "own need two or more"));
  const std::string flag = replaced(kFamily, "[[scalar]]",
                                    "[[flag]]\nname = \"pitch\"\nvalues = [\"A\", \"x\"]\n"
                                    "[[scalar]]");
  CHECK_THAT(error(R"(pitch = ["A"])", plain, flag), Catch::Contains("a flag or scalar is called pitch"));
  // What decides the program or whether it is valid has no pitch.
  for (const char* more : {"[[constraint]]\nname = \"wide\"\ncondition = \"pitch.A > 8\"\n",
                           "[[derived]]\nname = \"LDA\"\nvalue = \"pitch.A\"\n",
                           "[[workspace]]\nname = \"ws\"\nbytes = \"pitch.A\"\n", "[predicted]\nflops = \"pitch.A\"\n"})
    CHECK_THAT(load_error(kFamily, pitched(R"(pitch = ["A"])", plain) + more),
               Catch::Contains("unknown name 'pitch.A': launches and tensor maps have it"));
}

TEST_CASE("pitch: in code for others rows are dense", "[spec]") {
  const KernelFolder folder =
      load_specs(kFamily, pitched(R"(pitch = ["A", "D"])", R"("A", "D", "pitch.A", "i64: M * pitch.D")"));
  const Variant& variant = folder.variants.front();
  const Problem problem = make_problem(folder.family, {});
  const std::string code = plan_code(folder.family, variant, problem, default_configuration(variant), h200(), {}).body;
  CHECK_THAT(code, Catch::Contains("const std::int64_t pitch_A = v_K;") &&
                       Catch::Contains("const std::int64_t pitch_D = v_N;"));
  CHECK_THAT(code, Catch::Contains("e.int32(pitch_A);"));
}

TEST_CASE("pitch: a padding is read as it is told, and what is none is refused", "[spec]") {
  for (const RowPadding& padding :
       {RowPadding{}, RowPadding{48}, RowPadding{48, RowPadding::Whole::all}, RowPadding{48, RowPadding::Whole::first},
        RowPadding{48, RowPadding::Whole::others}})
    CHECK(parse_row_padding(padding.text()) == padding);
  for (const char* wrong : {"", "whole", "whole+", "whole+0", "whole+8", "8", "-16", "17179869200", "1M", "48 "})
    CHECK_THROWS_AS(parse_row_padding(wrong), UsageError);
}
