#include "spec/recordings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/hash.h"
#include "spec/recipes.h"
#include "spec/toml/source_path.h"

namespace kerlab::spec {
namespace {

constexpr std::size_t kNamedRecordings = 8;  // in a message

/// Its rows are dense, whatever those of a check are.
std::string key_of(Problem problem) {
  problem.row_padding = {};
  return problem.key();
}

std::string manifest_of(const Recording& recording) {
  return shown_path(recording.folder / kRecordingFile);
}

void check_type(const NpyHeader& header, const std::filesystem::path& file, const Tensor& output) {
  const std::vector<NpyType> types = recorded_types(output);
  if (std::ranges::find(types, header.type) == types.end()) {
    std::vector<std::string_view> names;
    for (const NpyType type : types) names.push_back(plan::name(type));
    const DType dtype = output.complex ? DType::complex64 : output.dtype;
    throw Error(fmt::format("{}: holds {}; '{}' is {}, recorded as {}", shown_path(file), plan::name(header.type),
                            output.name, plan::name(dtype), fmt::join(names, " or ")));
  }
  NpyHeader wanted;
  wanted.shape = recorded_shape(output);
  if (header.shape != wanted.shape)
    throw Error(fmt::format("{}: its shape is {}, that of '{}' {}", shown_path(file), header.shape_text(), output.name,
                            wanted.shape_text()));
}

/// Takes what a recording has of every recorded output. False: something is not there yet, as `why_not` says.
bool take_outputs(const Family& family, const Recording& recording, const std::vector<Tensor>& tensors,
                  ProblemRecordings& found) {
  std::map<std::string, RecordedFiles> taken;
  for (const ReferenceDecl& reference : family.references) {
    if (!reference.recorded) continue;
    const auto output = std::ranges::find(recording.outputs, reference.output, &Recording::Output::tensor);
    if (output == recording.outputs.end()) {
      found.why_not = fmt::format("{} has no [[output]] '{}'", manifest_of(recording), reference.output);
      return false;
    }
    if (output->files.digest.empty()) {
      found.why_not = fmt::format("{} is missing: compute it of the inputs beside it", shown_path(output->files.value));
      return false;
    }
    const Tensor& tensor = *std::ranges::find(tensors, reference.output, &Tensor::name);
    const NpyHeader header = read_npy_header(output->files.value);
    check_type(header, output->files.value, tensor);
    found.in_single |= header.type == NpyType::f4 || header.type == NpyType::c8;
    if (!output->files.scale.empty()) check_type(read_npy_header(output->files.scale), output->files.scale, tensor);
    taken[reference.output] = output->files;
  }
  for (auto& [output, files] : taken) found.files[output].push_back(std::move(files));
  return true;
}

/// "solve N=64 fp32 (normal, uniform), ..."
std::string recorded_text(const Family& family) {
  std::map<std::string, std::vector<std::string>> by_problem;
  for (const Recording& recording : family.recordings) by_problem[recording.problem].push_back(recording.recipe);
  std::vector<std::string> texts;
  for (const auto& [problem, recipes] : by_problem)
    texts.push_back(fmt::format("{} ({})", problem, fmt::join(recipes, ", ")));
  const std::size_t more = texts.size() - std::min(texts.size(), kNamedRecordings);
  texts.resize(texts.size() - more);
  if (texts.empty()) return fmt::format("nothing is recorded in {} yet", shown_path(family.recorded));
  return fmt::format("recorded are {}{}", fmt::join(texts, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

bool has_kernels_of_reference(const Family& family) {
  return !family.before_reference.empty() || family.count_cost ||
         !std::ranges::all_of(family.references, &ReferenceDecl::recorded);
}

std::string inputs_identity(const std::vector<Tensor>& tensors, const Recipe& recipe) {
  FieldHasher hasher;
  hasher.field("recipe", fmt::format("{} v{} seed {} ({})", recipe.base.empty() ? recipe.name : recipe.base,
                                     recipe.version, recipe.seed, fmt::join(recipe.parameters, ", ")));
  hasher.field("integers", recipe.integers).field("parts", recipe.parts);
  for (const Plant& plant : recipe.plants)
    hasher.field("plant", fmt::format("{} {} {} {} {} {} {}", plant.what, plant.tensor, plant.along_columns,
                                      plant.every, plant.phase, plant.count, plant.value));
  for (const Tensor& tensor : tensors) {
    if (tensor.role == Role::output) continue;
    hasher.field("tensor", fmt::format("{} {} {} {} {} {}", tensor.name, plan::name(tensor.dtype), tensor.complex,
                                       fmt::join(tensor.shape, "x"), tensor.partition.value_or(-1), tensor.unread));
    const IntegerRange& range = tensor.range;
    hasher.field("range", fmt::format("{} {} {} {} {}", range.least, range.end, fmt::join(range.ignored, ","),
                                      static_cast<int>(range.order), range.rows));
  }
  return hasher.hex();
}

std::vector<NpyType> recorded_types(const Tensor& output) {
  if (output.complex) return {NpyType::c16, NpyType::c8};
  if (info(output.dtype).is_float) return {NpyType::f8, NpyType::f4};
  switch (output.dtype) {
    case DType::int64:
      return {NpyType::i8};
    case DType::int32:
      return {NpyType::i4};
    case DType::int16:
      return {NpyType::i2};
    case DType::int8:
    case DType::int4:
      return {NpyType::i1};
    case DType::uint64:
      return {NpyType::u8};
    case DType::uint32:
      return {NpyType::u4};
    case DType::uint16:
      return {NpyType::u2};
    case DType::boolean:
      return {NpyType::b1};
    default:
      return {NpyType::u1};
  }
}

std::vector<std::int64_t> recorded_shape(const Tensor& tensor) {
  std::vector<std::int64_t> shape = tensor.shape;
  if (tensor.complex) shape.back() /= 2;
  return shape;
}

ProblemRecordings recordings_of(const Family& family, const Problem& problem, const std::vector<Tensor>& tensors,
                                const std::vector<Recipe>& recipes) {
  ProblemRecordings found;
  const std::string key = key_of(problem);
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    const auto recording = std::ranges::find_if(
        family.recordings, [&](const Recording& one) { return one.problem == key && one.recipe == recipes[i].name; });
    if (recording == family.recordings.end()) continue;
    if (recording->inputs != inputs_identity(tensors, recipes[i])) {
      found.why_not = fmt::format("{} was made of other inputs than recipe '{}' has today: write them anew",
                                  manifest_of(*recording), recipes[i].name);
      continue;
    }
    if (take_outputs(family, *recording, tensors, found)) found.recipes.push_back(i);
  }
  // What is timed is compared.
  if (!found.recipes.empty() && found.recipes.front() == 0) {
    found.why_not.clear();
    return found;
  }
  if (found.why_not.empty() && !found.recipes.empty())
    found.why_not = fmt::format("recipe '{}' of {}, which is timed, is not recorded", recipes.front().name, key);
  if (found.why_not.empty()) found.why_not = fmt::format("no recording for {}; {}", key, recorded_text(family));
  found.recipes.clear();
  found.files.clear();
  return found;
}

std::string why_unrecorded(const Family& family, const Problem& problem) {
  if (!family.accuracy.against_recordings) return {};
  const std::vector<Tensor> tensors = tensors_of(family, problem);
  return recordings_of(family, problem, tensors, recipes_of(family, problem, tensors)).why_not;
}

std::vector<std::string> recorded_keys(const Family& family) {
  std::vector<std::string> keys;
  for (const Recording& recording : family.recordings)
    if (std::ranges::find(keys, recording.problem) == keys.end()) keys.push_back(recording.problem);
  return keys;
}

std::string recordings_digest(const Family& family, const Problem& problem) {
  FieldHasher hasher;
  bool any = false;
  const std::string key = family.recordings.empty() ? std::string() : key_of(problem);
  for (const Recording& recording : family.recordings) {
    if (recording.problem != key) continue;
    any = true;
    hasher.field("recipe", recording.recipe).field("inputs", recording.inputs);
    for (const Recording::Output& output : recording.outputs) hasher.field(output.tensor, output.files.digest);
  }
  return any ? hasher.hex() : std::string();
}

}  // namespace kerlab::spec
