// [[checker]]: what judges outputs of which several are right.

#include "catch.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

const std::string kChecker = R"toml([[tensor]]
name = "order"
role = "output"
dtype = "int32"
shape = ["M", "N"]
[[checker]]
output = "order"
kernel = "judge"
grid = ["count"]
block = [32]
arguments = ["A", "D", "order", "N", "index", "count", "error", "code"]
outputs_per_index = "N"
codes = ["right", "twice"]
[cost]
)toml";

std::string with(const std::string& checker) {
  return replaced(kFamily, "[cost]\n", checker);
}

}  // namespace

TEST_CASE("a checker judges an output in the place of a reference", "[spec]") {
  const KernelFolder folder = load_specs(with(kChecker), kVariant);
  REQUIRE(folder.family.references.size() == 2);
  const ReferenceDecl& declared = folder.family.references[1];
  CHECK(declared.checker);
  CHECK(declared.output == "order");
  ProblemRequest request;
  request.dimensions = {{"M", 8}, {"N", 4}};
  const Problem problem = make_problem(folder.family, request);
  const ReferencePlan plan = instantiate_reference(folder.family, problem, h200()).plan.references.at(1);
  CHECK(plan.checker);
  CHECK(plan.launch.kernel == "judge");
  CHECK(plan.launch.grid.x == 8);
  CHECK(plan.outputs_per_index == 4);
  CHECK(plan.codes == std::vector<std::string>{"right", "twice"});
  CHECK(std::get<ReferenceSlot>(plan.launch.arguments.at(6)) == ReferenceSlot::error);
  CHECK(std::get<ReferenceSlot>(plan.launch.arguments.at(7)) == ReferenceSlot::code);
}

TEST_CASE("mistakes in a checker are reported in their place", "[spec]") {
  struct Mistake {
    std::string from, to, expected;
  };
  for (const Mistake& mistake : std::vector<Mistake>{
           {"output = \"order\"", "output = \"ordre\"",
            "family.toml:42:10: no tensor is called 'ordre', did you mean 'order'? ('output' of checker 'ordre')"},
           {"output = \"order\"", "output = \"D\"",
            "family.toml:42:10: 'D' has a second reference or checker (checker 'D')"},
           {"output = \"order\"", "output = \"A\"",
            "family.toml:42:10: 'A' is an input: only outputs have a reference or a checker (checker 'A')"},
           {"\"error\", \"code\"", "\"error\"",
            "family.toml:46:13: a checker writes error[j] and code[j]: 'code' is missing ('arguments' of checker "
            "'order')"},
           {"\"error\", \"code\"", "\"error\", \"code\", \"scale\"",
            "family.toml:46:74: argument 'scale' names nothing ('arguments' of checker 'order')"},
           {"codes = [\"right\", \"twice\"]", "codes = []",
            "family.toml:48:9: what each code means, from 0: codes = [\"not sorted\"] ('codes' of checker 'order')"},
           {"codes =", "code =", "family.toml:48:1: unknown key 'code', did you mean 'codes'? (checker 'order')"},
           {"name = \"order\"\nrole = \"output\"", "name = \"order\"\nrole = \"inout\"",
            "family.toml:42:10: a checker judges outputs, not inout tensors ('output' of checker 'order')"}}) {
    CAPTURE(mistake.to);
    CHECK(load_error(with(replaced(kChecker, mistake.from, mistake.to)), kVariant) == mistake.expected);
  }
}
