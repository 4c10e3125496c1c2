#include "session/check/save_inputs.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/file.h"
#include "base/format.h"
#include "base/interrupt.h"
#include "spec/recipes.h"
#include "spec/recordings.h"
#include "spec/toml/spec_table.h"
#include "spec/toml/toml_text.h"
#include "verify/input/input_value.h"

namespace kerlab::session {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostBytes = std::int64_t{4} << 30;  // of all inputs under one recipe

/// Bits as they lie in memory: of types that NumPy has not, unsigned integers of their size.
NpyType stored_input(const Tensor& tensor) {
  if (tensor.complex) return NpyType::c8;
  switch (tensor.dtype) {
    case DType::fp64:
      return NpyType::f8;
    case DType::fp32:
    case DType::tf32:
      return NpyType::f4;
    case DType::fp16:
      return NpyType::f2;
    case DType::bf16:
      return NpyType::u2;
    case DType::e4m3:
    case DType::e5m2:
    case DType::e2m1:
    case DType::e8m0:
    case DType::int4:
    case DType::uint4:
      return NpyType::u1;
    default:
      return recorded_types(tensor).front();
  }
}

/// Of a packed type two elements are one byte.
std::vector<std::int64_t> stored_shape(const Tensor& tensor) {
  std::vector<std::int64_t> shape = recorded_shape(tensor);
  if (is_packed(tensor.dtype)) shape.back() /= 2;
  return shape;
}

std::vector<std::byte> contents(const ProblemPlan& plan, const Recipe& recipe, const Tensor& tensor) {
  const verify::InputValues values(plan, recipe, tensor.name);
  const auto bytes = static_cast<std::size_t>(info(tensor.dtype).bytes);
  std::vector<std::byte> data(static_cast<std::size_t>(tensor.bytes()));
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    if (i % (1 << 20) == 0) end_interrupted_wait();
    const std::uint64_t bits = values.bits_at(i);
    if (is_packed(tensor.dtype)) {
      data[static_cast<std::size_t>(i / 2)] |= static_cast<std::byte>((bits & 15) << 4 * (i % 2));
      continue;
    }
    for (std::size_t b = 0; b < bytes; ++b)
      data[static_cast<std::size_t>(i) * bytes + b] = static_cast<std::byte>(bits >> 8 * b);
  }
  return data;
}

/// "solve N=64 fp32": N=64_fp32
std::string folder_name(const Problem& problem) {
  std::string name = problem.key().substr(problem.family.size() + 1);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && std::string_view("=.+-_").find(c) == std::string_view::npos)
      c = '_';
  return name;
}

std::string file_of(const Tensor& tensor) {
  return tensor.name + (tensor.role == Role::inout ? ".before.npy" : ".npy");
}

std::string named_dtype(const Tensor& tensor) {
  return std::string(name(tensor.complex ? DType::complex64 : tensor.dtype));
}

std::vector<std::string> type_names(const std::vector<NpyType>& types) {
  std::vector<std::string> names;
  for (const NpyType type : types) names.emplace_back(plan::name(type));
  return names;
}

template <typename Pairs>
std::string toml_table(std::string_view title, const Pairs& pairs) {
  std::string text = pairs.empty() ? "" : fmt::format("\n[{}]\n", title);
  for (const auto& [name, value] : pairs) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
      text += fmt::format("{} = {}\n", name, toml_string(value));
    else if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>)
      text += fmt::format("{} = {:#}\n", name, value);
    else
      text += fmt::format("{} = {}\n", name, value);
  }
  return text;
}

std::string manifest(const Problem& problem, const Recipe& recipe, const std::vector<Tensor>& tensors,
                     const std::string& inputs) {
  std::string text = fmt::format(
      "# Inputs that `kerlab check {} --save-inputs` wrote. Compute the outputs, in double where that is possible, "
      "and\n"
      "# save each as the file that is named below; inputs may then be deleted. kernels/FORMAT.md, \"Recordings\".\n"
      "format = {}\nfamily = {}\nproblem = {}\nrecipe = {}\nseed = {}\ndtype = \"{}\"\n"
      "inputs = \"{}\"   # which numbers they are: of others the outputs say nothing\n",
      problem.family, kRecordingFormat, toml_string(problem.family), toml_string(problem.key()),
      toml_string(recipe.name), recipe.seed, plan::name(problem.dtype), inputs);
  text += toml_table("dimensions", problem.dimensions) + toml_table("flags", problem.flags) +
          toml_table("scalars", problem.scalars);
  for (const Tensor& tensor : tensors)
    if (tensor.role != Role::output)
      text += fmt::format("\n[[input]]\nname = \"{}\"\nfile = \"{}\"\ndtype = \"{}\"\nstored = \"{}\"\nshape = [{}]\n",
                          tensor.name, file_of(tensor), named_dtype(tensor), plan::name(stored_input(tensor)),
                          fmt::join(stored_shape(tensor), ", "));
  for (const Tensor& tensor : tensors)
    if (tensor.role != Role::input)
      text += fmt::format(
          "\n[[output]]\nname = \"{0}\"\nfile = \"{0}.npy\"\ndtype = \"{1}\"\nstored = [\"{2}\"]   # any of these\n"
          "shape = [{3}]\nscale = \"{0}.scale.npy\"   # may be left out: error scales, as a reference writes them\n",
          tensor.name, named_dtype(tensor), fmt::join(type_names(recorded_types(tensor)), "\", \""),
          fmt::join(recorded_shape(tensor), ", "));
  return text;
}

/// Outputs that are there were computed of the inputs that were.
void reject_others(const fs::path& folder, const std::vector<Tensor>& tensors, const std::string& inputs) {
  std::error_code error;
  const fs::path file = folder / kRecordingFile;
  if (!fs::exists(file, error) || read_text(file).find("\ninputs = \"" + inputs + "\"") != std::string::npos) return;
  for (const Tensor& tensor : tensors)
    if (tensor.role != Role::input && fs::exists(folder / (tensor.name + ".npy"), error))
      throw UsageError(fmt::format("{} was computed of other inputs than {} would be: remove it first",
                                   (folder / (tensor.name + ".npy")).string(), folder.string()));
}

SavedInputs save_recipe(const Problem& problem, const ProblemPlan& plan, const Recipe& recipe, const fs::path& folder) {
  const std::string inputs = inputs_identity(plan.tensors, recipe);
  reject_others(folder, plan.tensors, inputs);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot create {}: {}", folder.string(), error.message()));
  SavedInputs saved{recipe.name, folder, {}, {}};
  for (const Tensor& tensor : plan.tensors) {
    if (tensor.role != Role::input)
      saved.outputs.push_back({tensor.name + ".npy", type_names(recorded_types(tensor)), recorded_shape(tensor)});
    if (tensor.role == Role::output) continue;
    const NpyType type = stored_input(tensor);
    write_atomic(folder / file_of(tensor), npy_file(type, stored_shape(tensor), contents(plan, recipe, tensor)));
    saved.inputs.push_back({file_of(tensor), type_names({type}), stored_shape(tensor)});
  }
  write_atomic(folder / kRecordingFile, manifest(problem, recipe, plan.tensors, inputs));
  return saved;
}

}  // namespace

std::vector<SavedInputs> save_inputs(const Family& family, const Problem& problem,
                                     const std::vector<std::string>& recipes, const fs::path& folder) {
  ProblemPlan plan;
  plan.key = problem.key();
  plan.tensors = tensors_of(family, problem);
  plan.recipes = recipes_of(family, problem, plan.tensors);
  std::int64_t bytes = 0;
  for (const Tensor& tensor : plan.tensors) bytes += tensor.role == Role::output ? 0 : tensor.bytes();
  if (bytes > kMostBytes)
    throw UsageError(fmt::format("--save-inputs: the inputs of {} are {}, more than {}: make the problem smaller",
                                 problem.title(), format_bytes(bytes), format_bytes(kMostBytes)));
  std::vector<std::string> names;
  for (const Recipe& recipe : plan.recipes) names.push_back(recipe.name);
  for (const std::string& asked : recipes)
    if (std::ranges::find(names, asked) == names.end())
      throw UsageError(fmt::format("--recipe: {} has no recipe '{}'{}; it has {}", family.name, asked,
                                   suggestion(asked, names), fmt::join(names, ", ")));
  std::vector<SavedInputs> saved;
  for (const Recipe& recipe : plan.recipes)
    if (recipes.empty() || std::ranges::find(recipes, recipe.name) != recipes.end())
      saved.push_back(save_recipe(problem, plan, recipe, folder / folder_name(problem) / recipe.name));
  return saved;
}

}  // namespace kerlab::session
