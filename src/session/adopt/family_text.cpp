#include "session/adopt/family_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/toml/toml_text.h"

namespace kerlab::session {
namespace {

std::string quoted_list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + spec::toml_string(word);
  return "[" + text + "]";
}

std::string remark(const std::string& note) {
  return note.empty() ? "" : "  # adopt: " + note;
}

std::string dimension_text(const DraftDimension& one) {
  return fmt::format("[[dimension]]\nname = \"{}\"\ndefault = {}{}\n{}\n", one.name, spec::toml_string(one.value.text),
                     remark(one.value.note),
                     one.fixed ? fmt::format("minimum = {0}\nmaximum = {0}\n", one.value.text) : "");
}

std::string scalar_text(const DraftScalar& one) {
  std::string value = one.value ? fmt::format("{}", *one.value) : "1.0  # adopt: a guess";
  if (one.value && value.find_first_of(".e") == std::string::npos) value += ".0";
  return fmt::format("[[scalar]]\nname = \"{}\"\ndefault = {}\n{}\n", one.name, value,
                     one.is_double ? "dtype = \"fp64\"\n" : "");
}

std::string tensor_text(const DraftTensor& one, const std::string& first_dimension) {
  std::string text =
      fmt::format("[[tensor]]\nname = \"{}\"\nrole = \"{}\"{}\n", one.name, one.role.text, remark(one.role.note));
  if (one.own) text += fmt::format("dtype = \"{}\"\n", plan::name(*one.own));
  text += fmt::format("shape = [{}]{}\n", spec::toml_string(one.elements.text), remark(one.elements.note));
  const bool ids =
      one.role.text == "input" && (one.own == DType::int32 || one.own == DType::int64 || one.own == DType::uint32);
  if (!one.range.text.empty() && one.role.text == "input")
    text += fmt::format("range = {}{}\n", one.range.text, remark(one.range.note));
  else if (ids)
    text += fmt::format("range = [0, \"{}\"]  # adopt: a guess: integers from 0 to this; offsets are a `partition`\n",
                        first_dimension);
  return text + "\n";
}

/// What tuners fill with one number holds it in a recipe of its own: the first, which is timed, has no plants.
std::string recipes_text(const Draft& draft) {
  if (draft.constant_fills.empty()) return "";
  std::string text;
  for (const char* base : {"normal", "uniform", "small_integer"})
    text += fmt::format("[[recipe]]\nname = \"{}\"\n\n", base);
  text += "[[recipe]]\nname = \"as_filled\"\nbase = \"uniform\"\n\n";
  for (const auto& [tensor, value] : draft.constant_fills)
    text += fmt::format("[[recipe.plant]]\nwhat = \"value\"\ntensor = \"{}\"\nvalue = {:#}\n\n", tensor, value);
  return text;
}

/// Copies an input into a variable that is constant memory where the kernel is tuned.
std::string symbol_copy_text(const DraftTensor& tensor) {
  return fmt::format(
      "\nextern \"C\" __global__ void set_{0}(const {1}* from, long long elements) {{\n"
      "  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;\n"
      "  if (j < elements) reinterpret_cast<{1}*>({0})[j] = from[j];\n}}\n",
      tensor.name, tensor.own ? tensor.type : "DTYPE");
}

const DraftTensor& tensor_named(const Draft& draft, const std::string& name) {
  return *std::ranges::find(draft.tensors, name, &DraftTensor::name);
}

std::string bytes_of(const DraftTensor& tensor) {
  const std::string each = tensor.own ? std::to_string(info(*tensor.own).bytes) : "dtype.bytes";
  return fmt::format("({}) * {}", tensor.elements.text, each);
}

/// How the reference hands on what the given kernel computed.
std::string values_text(DType dtype) {
  if (dtype == DType::complex64)
    return "  const float2 z = given[index == nullptr ? j : index[j]];\n"
           "  value[2 * j] = z.x;\n  value[2 * j + 1] = z.y;\n"
           "  scale[2 * j] = fabs(ACC(z.x));\n  scale[2 * j + 1] = fabs(ACC(z.y));\n";
  return fmt::format("  value[j] = ACC({}(given[index == nullptr ? j : index[j]]));\n  scale[j] = fabs(value[j]);\n",
                     dtype == DType::fp64 || !info(dtype).is_float ? "" : "to_float");
}

bool written(const DraftTensor& tensor) {
  return tensor.role.text != "input";
}

std::string launch_text(const DraftLaunch& launch) {
  return fmt::format("kernel = {}\ngrid = {}{}\nblock = {}{}\n{}arguments = {}\n", spec::toml_string(launch.kernel),
                     quoted_list(launch.grid), remark(launch.note), quoted_list(launch.block),
                     remark(launch.block_note),
                     launch.shared.empty() ? "" : fmt::format("shared = {}\n", spec::toml_string(launch.shared)),
                     quoted_list(launch.arguments));
}

/// Which kernel says what is right, and what that is worth.
std::string reference_of(const Draft& draft, const AdoptedNames& names) {
  const std::string mark =
      draft.own_reference
          ? fmt::format(
                "the results of {} itself, in its default configuration, count as right\n"
                "# What all configurations do wrong is not found. Better is a simple kernel of the same file, by\n"
                "# --reference NAME; best the formula in reference.cu (FORMAT.md), without reference_is and "
                "accuracy.\n",
                names.kernel)
          : fmt::format(
                "the results of {} count as right\n"
                "# It adds up in its own types. Better is the formula in reference.cu, in ACC (FORMAT.md), without\n"
                "# reference_is and accuracy.\n",
                names.reference);
  return "# adopt: " + mark + "reference_is = \"another kernel\"\naccuracy = \"normwise\"\n\n";
}

std::string references_text(const Draft& draft) {
  std::string text;
  for (const DraftTensor& tensor : draft.tensors) {
    if (!written(tensor)) continue;
    text +=
        fmt::format("[[reference_workspace]]\nname = \"given_{}\"\nbytes = \"{}\"\n{}\n", tensor.name, bytes_of(tensor),
                    tensor.role.text == "inout" ? fmt::format("copy = \"{}\"\n", tensor.name) : "");
  }
  for (const std::string& symbol : draft.symbols) {
    const std::string& elements = tensor_named(draft, symbol).elements.text;
    text += fmt::format(
        "[[reference_launch]]\nkernel = \"set_{0}\"\ngrid = [{1}]\nblock = [256]\narguments = [\"{0}\", {2}]\n\n",
        symbol, spec::toml_string(fmt::format("ceil_div({}, 256)", elements)), spec::toml_string("i64: " + elements));
  }
  text += "[[reference_launch]]\n" + launch_text(draft.reference) + "\n";
  std::string length;
  for (const DraftDimension& one : draft.dimensions) length += (length.empty() ? "" : ", ") + one.name;
  if (draft.dimensions.size() > 1) length = "max(" + length + ")";
  for (const DraftTensor& tensor : draft.tensors)
    if (written(tensor))
      text += fmt::format(
          "[[reference]]\noutput = \"{0}\"\nkernel = \"given_{0}_value\"\ngrid = [\"ceil_div(count, 256)\"]\nblock = "
          "[256]\n"
          "arguments = [\"given_{0}\", \"index\", \"count\", \"value\", \"scale\"]\n"
          "tolerance = {{ rule = \"sum\", length = {1} }}  # adopt: a guess: how many terms are added up for one "
          "element\n\n",
          tensor.name, spec::toml_string(length));
  return text;
}

/// INFINITY, M_PI: nvcc includes cuda_runtime.h, and with it these macros, before every source.
bool uses_math_names(const CudaFile& file) {
  constexpr std::string_view kNames[] = {"INFINITY", "NAN",   "HUGE_VALF", "M_PI",    "M_PI_2",    "M_1_PI",
                                         "M_E",      "M_LN2", "M_LOG2E",   "M_SQRT2", "M_SQRT1_2", "M_2_SQRTPI"};
  return std::ranges::any_of(file.tokens, [&](const CudaToken& token) {
    return token.kind == CudaToken::Kind::word && std::ranges::find(kNames, token.text) != std::end(kNames);
  });
}

}  // namespace

std::string family_text(const Draft& draft, const AdoptedNames& names) {
  std::string text = fmt::format(
      "# Written by `kerlab adopt` from {}. What it could not know is marked `adopt:`.\n"
      "name = \"{}\"\ndoc = {}\ndtypes = [\"{}\"]\n",
      names.source, names.family, spec::toml_string("adopted from " + names.source), plan::name(draft.dtype));
  text += reference_of(draft, names);
  for (const DraftDimension& one : draft.dimensions) text += dimension_text(one);
  for (const DraftScalar& one : draft.scalars) text += scalar_text(one);
  for (const DraftTensor& one : draft.tensors) text += tensor_text(one, draft.dimensions.front().name);
  text += references_text(draft) + recipes_text(draft);
  const bool guessed = std::ranges::any_of(draft.tensors, [](const auto& t) { return !t.elements.note.empty(); });
  std::string bytes;
  for (const DraftTensor& one : draft.tensors)
    if (!guessed || written(one)) bytes += (bytes.empty() ? "" : " + ") + bytes_of(one);
  text += fmt::format(
      "[cost]\nflops = 0  # adopt: floating-point operations of one run, as \"2 * M * N * K\"\nbytes = {}{}\n",
      spec::toml_string(bytes), guessed ? remark("the least traffic; of the outputs alone, as sizes are guesses") : "");
  return text;
}

std::string variant_text(const Draft& draft, const AdoptedNames& names) {
  std::string text = fmt::format(
      "# Written by `kerlab adopt` from {}. What it could not know is marked `adopt:`.\n"
      "doc = {}\nsource = {}\n{}{}\n",
      names.source, spec::toml_string(names.kernel + ", as it was found"), spec::toml_string(names.source),
      draft.options.empty() ? "" : fmt::format("options = {}\n", quoted_list(draft.options)),
      draft.left_out.empty()
          ? ""
          : fmt::format("# adopt: left out of the compiler's options: {}\n", fmt::join(draft.left_out, " ")));
  for (const DraftParameter& one : draft.parameters)
    text += fmt::format("[[parameter]]\nname = \"{}\"\nvalues = [{}]{}\ndefault = {}\n{}\n", one.name,
                        fmt::join(one.values, ", "), remark(one.note), one.value, one.define ? "" : "define = false\n");
  for (const auto& [name, value] : draft.defines)
    text += fmt::format("[[derived]]\nname = \"{}\"\nvalue = \"{}\"\n\n", name, value);
  for (const DraftConstraint& one : draft.constraints)
    text += fmt::format("[[constraint]]\nname = \"{}\"\ncondition = {}{}\ndoc = {}\n\n", one.name,
                        spec::toml_string(one.condition), remark(one.note), spec::toml_string(one.doc));
  for (const std::string& symbol : draft.symbols)
    text += fmt::format("[[symbol]]\nname = \"{0}\"\ntensor = \"{0}\"\n\n", symbol);
  text += fmt::format(
      "[[constraint]]\nname = \"threads\"\ncondition = \"({}) <= device.threads_per_block\"\ndoc = \"threads of "
      "a block\"\n\n",
      fmt::join(draft.launch.block, ") * ("));
  return text + "[[launch]]\n" + launch_text(draft.launch);
}

std::string reference_text(const Draft& draft, const AdoptedNames& names) {
  std::string text = fmt::format(
      "// Written by `kerlab adopt`: what {} gave counts as right. family.toml says what that is worth.\n#{} "
      "\"common/types.cuh\"\n",
      draft.own_reference ? names.kernel : names.reference, "include");
  for (const auto& [name, value] : draft.reference_defines) text += fmt::format("#define {} {}\n", name, value);
  if (!draft.symbols.empty()) text += "#define __constant__ __device__  // set_... writes it\n";
  text += fmt::format("#{} \"{}\"\n", "include", names.source);
  for (const std::string& symbol : draft.symbols) text += symbol_copy_text(tensor_named(draft, symbol));
  for (const DraftTensor& tensor : draft.tensors)
    if (written(tensor))
      text += fmt::format(
          "\nextern \"C\" __global__ void given_{0}_value(const {1}* given, const long long* index, long long count,\n"
          "                                          ACC* value, ACC* scale) {{\n"
          "  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;\n"
          "  if (j >= count) return;\n{2}}}\n",
          tensor.name, tensor.own ? tensor.type : "DTYPE", values_text(tensor.own.value_or(draft.dtype)));
  return text;
}

std::string device_source(const CudaFile& file, const Draft& draft) {
  constexpr std::string_view kOfHost[] = {"<iostream>",  "<vector>",     "<chrono>",        "<random>", "<fstream>",
                                          "<sstream>",   "<string>",     "<memory>",        "<map>",    "<iomanip>",
                                          "<thread>",    "<stdexcept>",  "<ctime>",         "<time.h>", "<cublas_v2.h>",
                                          "<curand.h>",  "<sys/time.h>", "<unordered_map>", "<set>",    "<list>",
                                          "<exception>", "<omp.h>",      "<torch/",         "<ATen/",   "<c10/",
                                          "<pybind11/",  "<cublasLt.h>", "<cudnn.h>",       "<nccl.h>", "<cusparse.h>"};
  struct Cut {
    std::size_t begin, end;
    std::string before, after;
  };
  std::vector<Cut> cuts;
  for (const CudaSpan& span : file.host)
    cuts.push_back({span.begin, span.end, "#if 0  // adopt: host code\n", "\n#endif\n"});
  for (const CudaNumber& number : file.numbers)
    if (!number.guarded && std::ranges::any_of(draft.parameters, [&](const auto& p) { return p.name == number.name; }))
      cuts.push_back({number.begin, number.end, "#ifndef " + number.name + "\n", "\n#endif"});
  for (const CudaToken& token : file.tokens)
    if (token.kind == CudaToken::Kind::directive && token.text.find("include") != std::string::npos &&
        std::ranges::any_of(kOfHost, [&](std::string_view one) { return token.text.find(one) != std::string::npos; }))
      cuts.push_back({token.begin, token.end, "// adopt: ", ""});
  std::ranges::sort(cuts, {}, &Cut::begin);
  std::string text;
  std::size_t at = 0;
  for (const Cut& cut : cuts) {
    if (cut.begin < at) continue;  // within host code
    text += file.source.substr(at, cut.begin - at) + cut.before + file.source.substr(cut.begin, cut.end - cut.begin) +
            cut.after;
    at = cut.end;
  }
  const std::string math = uses_math_names(file) ? "#include <math.h>  // adopt: nvcc has it without\n" : "";
  return math + text + file.source.substr(at);
}

}  // namespace kerlab::session
