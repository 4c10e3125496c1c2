#include "session/element_family.h"

#include <fmt/format.h>

namespace kerlab::testing {

namespace {

std::string element_tensor_text(const ElementFamily::Tensor& tensor, std::string_view role) {
  return fmt::format("[[tensor]]\nname = \"{}\"\nrole = \"{}\"\nshape = [{}]\n{}\n", tensor.name,
                     tensor.role.empty() ? role : tensor.role, tensor.shape, tensor.words);
}

/// Arguments in a spec and in CUDA.
struct ElementArguments {
  std::string spec, cuda;

  void add(const std::string& in_spec, const std::string& in_cuda) {
    spec += fmt::format("\"{}\", ", in_spec);
    cuda += in_cuda + ", ";
  }
};

ElementArguments element_arguments(const ElementFamily& f, bool reference) {
  ElementArguments arguments;
  for (const ElementFamily::Tensor& one : f.inputs)
    arguments.add(one.name, fmt::format("const {}* {}", one.type, one.name));
  if (!reference || f.output.role == "inout")
    arguments.add(f.output.name, fmt::format("{}{}* {}", reference ? "const " : "", f.output.type, f.output.name));
  if (!reference) arguments.add(f.threads, "int n");
  for (std::size_t d = 1; d < f.dimensions.size(); ++d)
    arguments.add(f.dimensions[d].first, "int " + f.dimensions[d].first);
  return arguments;
}

constexpr std::string_view kElementReference = R"cuda(
#include "common/copied.cuh"
extern "C" __global__ void reference({}const long long* index, long long count, ACC* value, ACC* scale) {{
  const long long j = blockIdx.x * 256ll + threadIdx.x;
  if (j >= count) return;
  const long long i = index == nullptr ? j : index[j];
  {}
}}
)cuda";

constexpr std::string_view kElementVariant = R"toml(
doc = "right for BUG = 0 only"
[[parameter]]
name = "BUG"
values = [{}]
[[launch]]
kernel = "{}"
grid = ["ceil_div({}, 128)"]
block = [128]
arguments = [{}]
)toml";

constexpr std::string_view kElementKernel = R"cuda(
#include "common/types.cuh"
extern "C" __global__ void {}({}) {{
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  {}
}}
)cuda";

}  // namespace

std::string family_text(const ElementFamily& f) {
  std::string text = fmt::format("name = \"{}\"\ndtypes = [{}]\n", f.name, f.dtypes);
  for (const auto& [name, extent] : f.dimensions)
    text += fmt::format("[[dimension]]\nname = \"{}\"\ndefault = {}\n", name, extent);
  for (const ElementFamily::Tensor& one : f.inputs) text += element_tensor_text(one, "input");
  text += element_tensor_text(f.output, "output");
  text += fmt::format("[[reference]]\noutput = \"{}\"\ntolerance = {}\n", f.output.name, f.tolerance);
  text += f.reference.empty()
              ? "recorded = true\n"
              : fmt::format(
                    "grid = [\"ceil_div(count, 256)\"]\nblock = [256]\narguments = [{}\"index\", \"count\", "
                    "\"value\", \"scale\"]\n",
                    element_arguments(f, true).spec);
  return text + fmt::format("{}\n[cost]\nflops = \"{}\"\nbytes = \"{}\"\n", f.more, f.flops, f.bytes);
}

void write_family(const std::filesystem::path& folder, const std::string& variant, const ElementFamily& f) {
  const ElementArguments arguments = element_arguments(f, false);
  std::string bugs = "0", reference;
  for (int bug = 1; bug <= f.bugs; ++bug) bugs += fmt::format(", {}", bug);
  if (!f.reference.empty()) reference = fmt::format(kElementReference, element_arguments(f, true).cuda, f.reference);
  write_family(folder, variant,
               {family_text(f), reference, fmt::format(kElementVariant, bugs, f.name, f.threads, arguments.spec),
                fmt::format(kElementKernel, f.name, arguments.cuda.substr(0, arguments.cuda.size() - 2), f.kernel)});
}

}  // namespace kerlab::testing
