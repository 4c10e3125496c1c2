// [[reference_launch]] and [[reference_workspace]]: another kernel says what is right, or a reference takes several
// steps.

#include <algorithm>

#include "catch.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

const std::string kBefore = R"toml([[reference_workspace]]
name = "given"
bytes = "M * N * 4"
[[reference_launch]]
kernel = "plain<{DTYPE}, 16>"
grid = ["ceil_div(M, 8)"]
block = [32]
arguments = ["A", "given", "i64: M"]
[cost]
)toml";

std::string with_before(const std::string& text) {
  return replaced(kFamily, "[cost]\n", text);
}

ReferenceInstance instance_of(const KernelFolder& folder) {
  ProblemRequest request;
  request.dimensions = {{"M", 20}, {"N", 4}};
  return instantiate_reference(folder.family, make_problem(folder.family, request), h200());
}

}  // namespace

TEST_CASE("launches run before the references, with memory of their own", "[spec]") {
  const KernelFolder folder = load_specs(with_before(kBefore), kVariant);
  const ReferenceInstance instance = instance_of(folder);
  REQUIRE(instance.plan.before_reference.size() == 1);
  const Launch& launch = instance.plan.before_reference.front();
  CHECK_THAT(launch.kernel, Catch::StartsWith("plain<") && Catch::EndsWith(", 16>"));
  CHECK(launch.grid.x == 3);
  CHECK(std::get<WorkspaceArgument>(launch.arguments.at(1)).workspace == "given");
  REQUIRE(instance.plan.reference_workspaces.size() == 1);
  CHECK(instance.plan.reference_workspaces.front().bytes == 20 * 4 * 4);
  CHECK(std::ranges::count(instance.defines, "--instantiate=" + launch.kernel) == 1);
  CHECK_FALSE(folder.variants.front().accuracy.weaker());  // steps of a reference in ACC are no weaker
}

TEST_CASE("a reference that is another kernel is part of the class of accuracy", "[spec]") {
  const std::string text =
      replaced(with_before(kBefore), "name = \"demo\"", "name = \"demo\"\nreference_is = \"another kernel\"");
  const KernelFolder folder = load_specs(text, kVariant);
  const Accuracy accuracy = folder.variants.front().accuracy;
  CHECK(accuracy_text(accuracy) == "against another kernel");
  CHECK(parse_accuracy("against another kernel") == accuracy);
  CHECK(parse_accuracy("normwise, against another kernel") == Accuracy{true, false, true});
  CHECK(accuracy.within({}));  // all variants of the family share it
}

TEST_CASE("mistakes in what runs before a reference are reported in their place", "[spec]") {
  struct Mistake {
    std::string from, to, expected;
  };
  for (const Mistake& mistake : std::vector<Mistake>{
           {"\"given\", \"i64", "\"D\", \"i64",
            "'D' is no input: what another kernel gives lies in a [[reference_workspace]]"},
           {"\"given\", \"i64", "\"gven\", \"i64", "argument 'gven' names nothing, did you mean 'given'?"},
           {"bytes = \"M * N * 4\"", "bytes = \"M * N * 4\"\ncopy = \"E\"", "no tensor is called 'E'"},
           {"name = \"given\"", "name = \"A\"", "'A'"},
           {"grid = [\"ceil_div(M, 8)\"]\n", "", "a launch needs a grid"},
       }) {
    CAPTURE(mistake.to);
    CHECK_THAT(load_error(replaced(with_before(kBefore), mistake.from, mistake.to), kVariant),
               Catch::StartsWith("family.toml:") && Catch::Contains(mistake.expected));
  }
}

TEST_CASE("a copy that its memory does not hold is refused", "[spec]") {
  const std::string text = replaced(with_before(kBefore), "bytes = \"M * N * 4\"", "bytes = 4\ncopy = \"A\"");
  const KernelFolder folder = load_specs(text, kVariant);
  CHECK_THROWS_WITH(instance_of(folder), Catch::Contains("4 bytes are too few for the"));
}

namespace {

const std::string kCounted = R"toml([cost]
kernel = "count_work<{DTYPE}>"
grid = ["ceil_div(M, 8)"]
block = [32]
arguments = ["A", "i64: M", "cost"]
)toml";

}  // namespace

TEST_CASE("a kernel of the reference counts the cost", "[spec]") {
  const KernelFolder folder = load_specs(replaced(kFamily, "[cost]\n", kCounted), kVariant);
  const ReferenceInstance instance = instance_of(folder);
  REQUIRE(instance.count_cost);
  CHECK(instance.count_cost->grid.x == 3);
  CHECK(std::get<WorkspaceArgument>(instance.count_cost->arguments.at(2)).workspace == "cost");
  CHECK(std::ranges::count(instance.defines, "--instantiate=" + instance.count_cost->kernel) == 1);
  // Nothing else of the plan knows of it.
  const ReferenceInstance without = instance_of(load_specs(kFamily, kVariant));
  CHECK_FALSE(without.count_cost);
  CHECK(instance.plan == without.plan);
}

TEST_CASE("mistakes in a kernel that counts the cost are reported in their place", "[spec]") {
  struct Mistake {
    std::string from, to, expected;
  };
  for (const Mistake& mistake : std::vector<Mistake>{
           {"kernel = \"count_work<{DTYPE}>\"\n", "", "only a kernel that counts the cost has this"},
           {"block = [32]\n", "", "a launch needs a block"},
           {", \"cost\"]", "]", "no argument is 'cost'"},
           {"\"A\", ", "\"D\", ", "'D' is an output: the cost is counted before any run"},
           {"\"cost\"]", "\"cots\"]", "argument 'cots' names nothing, did you mean 'cost'?"},
           {"block = [32]\n", "block = [32]\nwhen = \"M > 0\"\n", "when"},
       }) {
    CAPTURE(mistake.to);
    const std::string text = replaced(kFamily, "[cost]\n", replaced(kCounted, mistake.from, mistake.to));
    CHECK_THAT(load_error(text, kVariant), Catch::StartsWith("family.toml:") && Catch::Contains(mistake.expected));
  }
}
