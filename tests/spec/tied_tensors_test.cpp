// Inputs that were made of others: what a forward pass has saved.
#include "catch.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

TEST_CASE("problem: an input that was made of another is tied to it", "[spec]") {
  const auto tensors = [](const std::string& of) {
    const std::string more =
        "[[tensor]]\nname = \"other\"\nrole = \"input\"\nshape = [\"M\"]\n"
        "[[tensor]]\nname = \"ids\"\nrole = \"input\"\ndtype = \"int32\"\nshape = [\"M\"]\nrange = [0, 9]\n"
        "[[tensor]]\nname = \"sums\"\nrole = \"input\"\nshape = [\"M\"]\n" +
        of;
    const Family family = load_specs(replaced(kFamily, "[[reference]]", more + "[[reference]]"), kVariant).family;
    return tensors_of(family, make_problem(family, {}));
  };
  for (const Tensor& tensor : tensors("")) CHECK_FALSE(tensor.tied);
  for (const Tensor& tensor : tensors("of = [\"A\"]\n")) {
    INFO(tensor.name);
    CHECK(tensor.tied == (tensor.name == "A" || tensor.name == "sums"));
  }
  for (const char* wrong : {"D", "ids", "sums", "none"})
    CHECK_THROWS_WITH(tensors("of = [\"" + std::string(wrong) + "\"]\n"),
                      Catch::Contains("'" + std::string(wrong) + "' is no tensor above that is an input of numbers"));
}
