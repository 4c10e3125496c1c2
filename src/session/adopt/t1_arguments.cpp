// The sizes and arguments of a T1 file.
#include "session/adopt/t1_drafter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "session/adopt/cuda_types.h"
#include "spec/toml/spec_table.h"

namespace kerlab::session {
namespace {

/// "int32" as CUDA has it; empty: none that kerlab knows.
std::string cuda_type(const std::string& type) {
  const std::string base = without_lanes(type);
  if (element_of(base)) return base;
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"int32", "int"},      {"uint32", "uint32_t"}, {"int64", "long long"},
      {"int8", "int8_t"},    {"uint8", "uint8_t"},   {"float32", "float"},
      {"float64", "double"}, {"float16", "__half"},  {"bfloat16", "__nv_bfloat16"},
      {"char", "int8_t"},    {"long", "long long"},  {"uint", "uint32_t"}};
  for (const auto& [theirs, ours] : kTypes)
    if (theirs == type) return std::string(ours);
  return "";
}

}  // namespace

T1Drafter::T1Drafter(const JsonNode& root, const CudaFile& source, const CudaKernel& kernel)
    : root_(root),
      spec_(root.at("KernelSpecification")),
      source_(source),
      kernel_(kernel),
      space_(read_t1_space(root)) {
  if (!kernel.templates.empty())
    throw SpecError(kernel.where, "a template: T1 says nothing of its arguments; adopt the .cu, or wrap an instance");
}

void T1Drafter::read_sizes() {
  if (!problem_) return;
  std::vector<JsonNode> nodes = problem_->is_array() ? problem_->elements() : std::vector<JsonNode>{*problem_};
  for (const JsonNode& node : nodes) {
    const auto size = node.is_text() ? std::optional(evaluated(node)) : node.whole();
    if (!size || *size < 1 || *size > INT32_MAX) node.fail(fmt::format("'{}' is no size", node.shown()));
    sizes_.push_back(*size);
  }
}

std::int64_t T1Drafter::evaluated(const JsonNode& node) const {
  const PythonNode tree = t1_expression(node);
  PythonNames names = space_.lists();
  if (!sizes_.empty()) names["ProblemSize"] = sizes_;
  try {
    return python_number(tree, names);
  } catch (const Error& error) {
    node.fail(error.what());
  }
}

void T1Drafter::add_arguments() {
  const std::vector<JsonNode> arguments = spec_.at("Arguments").elements();
  for (const JsonNode& one : arguments)
    if (is_scalar(one)) add_scalar(one);
  name_sizes();
  for (const JsonNode& one : arguments)
    if (!is_scalar(one)) add_tensor(one);
  const std::size_t passed = arguments.size() - draft_.symbols.size();
  if (passed != kernel_.arguments.size())
    throw SpecError(kernel_.where, fmt::format("'{}' takes {} arguments, and {} describes {}", kernel_.name,
                                               kernel_.arguments.size(), root_.file(), passed));
  const auto written = [](const DraftTensor& one) { return one.role.text != "input"; };
  if (std::ranges::none_of(draft_.tensors, written)) take_outputs_of_source();
  if (std::ranges::none_of(draft_.tensors, written))
    spec_.at("Arguments").fail("no argument is an output: none may be written");
  for (const DraftTensor& one : draft_.tensors)
    if (one.own && info(*one.own).is_float && one.role.text != "input") draft_.dtype = *one.own;
  for (DraftTensor& one : draft_.tensors)
    if (one.own == draft_.dtype) one.own.reset();
  for (const JsonNode& one : arguments) order_.push_back(one.at("Name").text());
}

bool T1Drafter::is_scalar(const JsonNode& argument) {
  const auto type = argument.find("MemoryType");
  return type && type->text() == "Scalar";
}

std::string T1Drafter::name_of(const JsonNode& argument) const {
  const JsonNode node = argument.at("Name");
  const std::string name = name_in_spec(node.text());
  if (!spec::is_identifier(name)) node.fail(fmt::format("'{}' is no name", node.text()));
  if (std::ranges::find(draft_.parameters, name, &DraftParameter::name) != draft_.parameters.end())
    node.fail(fmt::format("'{}' is a parameter of the space too", name));
  return name;
}

void T1Drafter::add_scalar(const JsonNode& argument) {
  const std::string type = argument.at("Type").text();
  const std::string name = name_of(argument);
  const JsonNode fill = argument.at("FillValue");
  if (type == "float" || type == "double" || type == "float32" || type == "float64") {
    draft_.scalars.push_back({name, type == "double" || type == "float64", fill.number()});
    return;
  }
  const ValueKind kind = value_kind(cuda_type(type).empty() ? type : cuda_type(type));
  if (kind == ValueKind::none || kind == ValueKind::fp32)
    argument.at("Type").fail(
        fmt::format("a scalar of type '{}': kerlab passes int, long long, float and double", type));
  const double value = fill.number();
  if (value < 1 || value > INT32_MAX) {
    constants_[name] = std::to_string(static_cast<std::int64_t>(value));
    return;
  }
  draft_.dimensions.push_back({name, {std::to_string(static_cast<std::int64_t>(value)), ""}, false});
}

void T1Drafter::name_sizes() {
  const char* const names[] = {"problem_x", "problem_y", "problem_z"};
  const std::vector<DraftDimension> told = draft_.dimensions;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const std::string size = std::to_string(sizes_[i]);
    const auto same = [&](const DraftDimension& one) { return one.value.text == size; };
    if (std::ranges::count_if(told, same) == 1 && std::ranges::count(sizes_, sizes_[i]) == 1) {
      size_names_.push_back(std::ranges::find_if(told, same)->name);
      continue;
    }
    if (i >= std::size(names)) problem_->fail("more than three sizes");
    draft_.dimensions.push_back({names[i], {size, "the kernel is not told: it is written in the source"}, true});
    size_names_.emplace_back(names[i]);
  }
  if (draft_.dimensions.empty()) draft_.dimensions.push_back({"problem_x", {"1", "the kernel takes no size"}, true});
}

void T1Drafter::add_tensor(const JsonNode& argument) {
  const std::string theirs = argument.at("Type").text(), type = cuda_type(theirs);
  if (type.empty())
    argument.at("Type").fail(fmt::format(
        "'{}' is no element type that kerlab knows: float, double, half, int8, uint8, int32, uint32, int64", theirs));
  DraftTensor tensor{name_of(argument), {"input", ""}, element_of(type), type, {"", ""}};
  const auto access = argument.find("AccessType");
  const bool output = argument.find("Output") && argument.at("Output").whole() == 1;
  if (access && access->text() == "WriteOnly") {
    tensor.role = {"output", ""};
  } else if (output || (access && access->text() == "ReadWrite")) {
    tensor.role = {"inout", "may be read and written: output, if all of it is written first"};
  }
  tensor.elements = elements_of(argument.at("Size"));
  if (const auto memory = argument.find("MemType"); memory && memory->text() == "Constant")
    draft_.symbols.push_back(tensor.name);
  fill(tensor, argument);
  draft_.tensors.push_back(std::move(tensor));
}

void T1Drafter::fill(DraftTensor& tensor, const JsonNode& argument) {
  const auto kind = argument.find("FillType");
  const std::string word = kind ? kind->text() : "";
  const auto given = argument.find("FillValue");
  const bool whole = tensor.own && !info(*tensor.own).is_float;
  if (word == "Constant" && given && tensor.role.text == "input") {
    if (whole)
      tensor.range = {fmt::format("[{0}, {1}]", static_cast<std::int64_t>(given->number()),
                                  static_cast<std::int64_t>(given->number()) + 1),
                      ""};
    else
      draft_.constant_fills.emplace_back(tensor.name, given->number());
  } else if (whole && tensor.role.text == "input") {
    const double most = given && given->is_number() ? std::max(1.0, given->number()) : 1.0;
    tensor.range = {fmt::format("[0, {}]", static_cast<std::int64_t>(most) + 1), "a guess: integers of this range"};
  }
  if (word != "" && word != "Constant" && word != "Random" && tensor.role.text == "input")
    tensor.elements.note += fmt::format("{}there it is filled by '{}'", tensor.elements.note.empty() ? "" : "; ", word);
}

Guess T1Drafter::elements_of(const JsonNode& node) const {
  const std::int64_t size = evaluated(node);
  if (size < 1) node.fail(fmt::format("{} elements", size));
  if (node.is_text() && node.text().find("ProblemSize") != std::string::npos)
    return {spec_text(t1_expression(node), node, true, false), ""};
  for (std::size_t i = 0; i < draft_.dimensions.size(); ++i)  // one dimension, two, or a multiple of one
    if (value_of(i) == size) return {draft_.dimensions[i].name, ""};
  for (std::size_t i = 0; i < draft_.dimensions.size(); ++i)
    for (std::size_t j = i + 1; j < draft_.dimensions.size(); ++j)
      if (value_of(i) * value_of(j) == size)
        return {draft_.dimensions[i].name + " * " + draft_.dimensions[j].name, "a guess"};
  for (std::size_t i = 0; i < draft_.dimensions.size(); ++i)
    if (value_of(i) > 1 && size % value_of(i) == 0 && size / value_of(i) <= 16)
      return {fmt::format("{} * {}", size / value_of(i), draft_.dimensions[i].name), "a guess"};
  return {std::to_string(size), ""};
}

std::int64_t T1Drafter::value_of(std::size_t dimension) const {
  return std::stoll(draft_.dimensions[dimension].value.text);
}

void T1Drafter::take_outputs_of_source() {
  for (DraftTensor& tensor : draft_.tensors)
    for (const CudaArgument& argument : kernel_.arguments)
      if (name_in_spec(argument.name) == tensor.name && argument.pointers > 0 && !argument.constant) {
        tensor.role = {"output", "there it is only read, but the source may write it"};
        tensor.range = {};
      }
}

}  // namespace kerlab::session
