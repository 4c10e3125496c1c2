// Integers of a range where they were refused once: in place, and of the problem's dtype.
#include <fmt/format.h>

#include "catch.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

TEST_CASE("problem: integers of a range, and what is not read, may be changed in place", "[spec]") {
  const std::string in_place =
      "[[tensor]]\nname = \"far\"\nrole = \"inout\"\ndtype = \"int32\"\nshape = [\"M\"]\nrange = [0, 9]\n"
      "[[tensor]]\nname = \"y\"\nrole = \"inout\"\nshape = [\"M\"]\nunread = \"K == 7\"\n";
  const auto reference_of = [](const char* output) {
    return fmt::format(
        "[[reference]]\noutput = \"{}\"\ngrid = [1]\nblock = [32]\narguments = [\"index\", \"count\", \"value\", "
        "\"scale\"]\ntolerance = {{ rule = \"exact\" }}\n",
        output);
  };
  const Family family = load_specs(replaced(kFamily, "[[reference]]",
                                            in_place + reference_of("far") + reference_of("y") + "[[reference]]"),
                                   kVariant)
                            .family;
  ProblemRequest request;
  request.dimensions = {{"M", 10}, {"N", 9}, {"K", 7}};
  const std::vector<Tensor> tensors = tensors_of(family, make_problem(family, request));
  CHECK(tensors.at(2).range == IntegerRange{0, 9, {}});
  CHECK(tensors.at(3).unread);
}

TEST_CASE("problem: integers of a range may have the problem's dtype, where that is always one of integers", "[spec]") {
  const std::string ranged = replaced(kFamily, "role = \"input\"", "role = \"input\"\nrange = [0, 5]");
  CHECK_THROWS_WITH(load_specs(ranged, kVariant), Catch::Contains("integers of a range need dtype"));
  const Family family = load_specs(replaced(ranged, "[\"bf16\", \"fp32\"]", "[\"int32\", \"int16\"]"), kVariant).family;
  CHECK(tensors_of(family, make_problem(family, {})).at(0).range == IntegerRange{0, 5, {}});
}
