#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/file.h"
#include "catch.h"
#include "spec/name_lists.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

TEST_CASE("family and variant: what the files say arrives", "[spec]") {
  const KernelFolder folder = load_specs(kFamily, kVariant);
  const Family& family = folder.family;
  CHECK(family.name == "demo");
  CHECK(family.dtypes == std::vector<DType>{DType::bf16, DType::fp32});
  REQUIRE(family.dimensions.size() == 3);
  CHECK(family.dimensions[2].minimum == 0);
  CHECK(family.flags.at(0).default_value == "nn");
  CHECK(family.tensors.at(1).role == Role::output);
  CHECK(family.references.at(0).launch.kernel == "reference");
  REQUIRE(folder.variants.size() == 1);
  const Variant& variant = folder.variants[0];
  CHECK(variant.name == "tile");
  CHECK(variant.source.filename() == "tile.cu");
  CHECK(variant.tune);
  REQUIRE(variant.parameters.size() == 2);
  CHECK(variant.parameters[0].default_value == 32);
  CHECK(variant.parameters[1].default_value == 16);
}

TEST_CASE("a family's group is one of the known ones, or other", "[spec]") {
  const auto group = [](const std::string& line) {
    return load_specs(replaced(kFamily, "dtypes =", line + "\ndtypes ="), kVariant).family.group;
  };
  for (const std::string_view known : kFamilyGroups) CHECK(group(fmt::format("group = \"{}\"", known)) == known);
  CHECK(group("") == "other");
  CHECK(group("group = \"Rows\"") == "other");
  CHECK_THROWS_AS(group("group = 3"), SpecError);
}

TEST_CASE("derived values are sorted by what they use", "[spec]") {
  const std::string shuffled = replaced(kFamily, "[[derived]]\n",
                                        "[[derived]]\nname = \"LAST\"\nvalue = \"MIDDLE + TRANS_A\"\n"
                                        "[[derived]]\nname = \"MIDDLE\"\nvalue = \"TRANS_A + 1\"\n[[derived]]\n");
  const Family family = load_specs(shuffled, kVariant).family;
  REQUIRE(family.derived.size() == 3);
  CHECK(family.derived[0].name == "TRANS_A");
  CHECK(family.derived[1].name == "MIDDLE");
  CHECK(family.derived[2].name == "LAST");
}

namespace {

/// Without flags, then with one of each.
std::vector<std::map<std::string, std::string>> flags_of(const Family& family) {
  std::vector<std::map<std::string, std::string>> all = {{}};
  for (const Flag& flag : family.flags)
    for (const std::string& value : flag.values) all.push_back({{flag.name, value}});
  return all;
}

/// The default problem, or for variants that are made for others a ragged one, one of few rows, one of few tiles, one
/// of long rows.
std::optional<Problem> problem_for(const Family& family, const Variant& variant) {
  using Extents = std::vector<std::int64_t>;
  for (const auto& flags : flags_of(family))
    for (const Extents& extents : {Extents{}, Extents{67, 45, 83}, Extents{8, 4096, 4096}, Extents{128, 128, 8192},
                                   Extents{8, 4096, 128}, Extents{67, 45, 256}}) {
      ProblemRequest request;
      request.flags = flags;
      if (!variant.dtypes.empty()) request.dtype = kerlab::plan::name(variant.dtypes.front());
      for (std::size_t d = 0; d < std::min(extents.size(), family.dimensions.size()); ++d)
        request.dimensions[family.dimensions[d].name] = extents[d];
      try {
        Problem problem = make_problem(family, request);
        if (unsupported_reason(variant, problem, h200()).empty()) return problem;
      } catch (const UsageError&) {
        continue;  // the family has no such problem
      }
    }
  return std::nullopt;
}

}  // namespace

TEST_CASE("shipped kernels load", "[spec]") {
  const Catalogue catalogue({share_folder() / "kernels"});
  for (const std::string& name : catalogue.names()) {
    CAPTURE(name);
    const KernelFolder folder = catalogue.find(name);
    const Problem problem = make_problem(folder.family, {});
    CHECK(instantiate_reference(folder.family, problem, h200()).plan.references.size() >= 1);
    for (const Variant& variant : folder.variants) {
      CAPTURE(variant.name);
      const std::optional<Problem> suitable = problem_for(folder.family, variant);
      REQUIRE(suitable);
      const Problem& own = *suitable;
      const Configuration standard = default_configuration(variant);
      CHECK(violated_constraint(variant, own, h200(), standard).empty());
      CHECK_FALSE(instantiate(folder.family, variant, own, standard, h200()).plan.launches.empty());
      CHECK_FALSE(enumerate(variant, own, h200()).valid.empty());
    }
  }
}

TEST_CASE("catalogue: by name, by path, with suggestions", "[spec]") {
  const TemporaryFolder temporary;
  const auto mine = temporary.path() / "mine";
  const Catalogue catalogue({mine, share_folder() / "kernels"});
  const auto names = catalogue.names();
  CHECK(std::count(names.begin(), names.end(), "gemm") == 1);
  CHECK(std::count(names.begin(), names.end(), "common") == 0);
  CHECK_THROWS_WITH(catalogue.find("gem"), Catch::Contains("unknown kernel 'gem', did you mean 'gemm'?"));
  CHECK_THROWS_WITH(catalogue.find("./no/such"), Catch::Contains("there is no folder ./no/such"));
  CHECK_THROWS_AS(catalogue.find(""), UsageError);
  CHECK_THROWS_WITH(catalogue.find(temporary.path().string()), Catch::Contains("has no family.toml"));
  CHECK_THROWS_AS(load_folder(mine), SpecError);
}

TEST_CASE("a family has variants in the sub-folders that it names, and in no others", "[spec]") {
  const TemporaryFolder temporary;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((temporary.path() / name).parent_path());
    std::ofstream(temporary.path() / name) << text;
  };
  write("reference.cu", "");
  write("tile.toml", kVariant);
  write("tile.cu", "");
  for (const std::string folder : {"ladder", "notes"}) {
    write(folder + "/naive.toml", kVariant + "\n");
    write(folder + "/naive.cu", "");
  }
  const auto load = [&](const std::string& folders) {
    write("family.toml", folders + kFamily);
    return load_folder(temporary.path());
  };
  CHECK(load("").variants.size() == 1);
  const KernelFolder folder = load("folders = [\"ladder\"]\n");
  REQUIRE(folder.variants.size() == 2);
  CHECK(folder.variants[1].source == temporary.path() / "ladder/naive.cu");
  CHECK_THROWS_WITH(load("folders = [\"stairs\"]\n"), Catch::Contains("there is no folder"));
  CHECK_THROWS_WITH(load("folders = [\"../ladder\"]\n"), Catch::Contains("no name of a folder"));
}

TEST_CASE("no former name of a shipped variant is another's", "[spec]") {
  const Catalogue catalogue({share_folder() / "kernels"});
  for (const std::string& family : catalogue.names()) {
    std::map<std::string, std::string> owner;
    const KernelFolder folder = catalogue.find(family);
    for (const Variant& variant : folder.variants) owner[variant.name] = variant.name;
    for (const Variant& variant : folder.variants)
      for (const std::string& name : former_names(variant)) {
        const auto [known, added] = owner.emplace(name, variant.name);
        INFO(family << ": " << name << " of " << variant.name << " and " << known->second);
        CHECK(added);
      }
  }
}
