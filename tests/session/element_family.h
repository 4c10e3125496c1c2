#pragma once
// Families in which each element of one output is a function of the inputs, from a few words: all that is the same for
// any of them is put in here.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "session/session_fixture.h"

namespace kerlab::testing {

/// Its reference has a thread for each element, and so has its variant, which is right for BUG = 0 only.
struct ElementFamily {
  struct Tensor {
    std::string name;
    std::string type = "float";  ///< in CUDA
    std::string words = {};      ///< more lines of its table: dtype = "int32"
    std::string shape = "\"N\"";
    std::string role = {};  ///< default: "input", of the output "output"
  };
  std::string name;  ///< of the variant's kernel too
  std::string dtypes = "\"fp32\"";
  /// With their defaults. Those after the first are arguments of both kernels.
  std::vector<std::pair<std::string, int>> dimensions = {{"N", 1000}};
  std::vector<Tensor> inputs = {{"x"}};
  Tensor output = {"y"};  ///< role "inout": the reference sees what it was before
  std::string tolerance = "{ rule = \"exact\" }";
  std::string more = {};  ///< recipes and constraints
  std::string flops = "N", bytes = "2 * N * dtype.bits / 8";
  std::string reference = {};  ///< of element `i`: puts it into value[j] and scale[j]; empty: it is recorded
  std::string kernel = {};     ///< of the variant: what thread `i` < `n` does
  int bugs = 1;
  std::string threads = "N";  ///< of the variant: how many
};

std::string family_text(const ElementFamily& family);
/// Makes the folder, where there is none.
void write_family(const std::filesystem::path& folder, const std::string& variant, const ElementFamily& family);

}  // namespace kerlab::testing
