// Launches, conditions and the compiler's options of a T1 file.
#include "session/adopt/t1_drafter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "session/adopt/cuda_types.h"
#include "spec/toml/spec_table.h"

namespace kerlab::session {
namespace {

const char* const kAxes[] = {"X", "Y", "Z"};

}  // namespace

Draft T1Drafter::make() {
  draft_.parameters = space_.parameters;
  problem_ = spec_.find("ProblemSize");
  read_sizes();
  add_arguments();
  for (std::size_t c = 0; c < space_.conditions.size(); ++c) {
    const T1Condition& condition = space_.conditions[c];
    draft_.constraints.push_back(
        {fmt::format("space_{}", c + 1), spec_text(condition.tree, condition.where, false, false), condition.text,
         condition.text.find('/') != std::string::npos && condition.text.find("//") == std::string::npos
             ? "/ is exact in Python and rounds down here"
             : ""});
  }
  add_defines();
  draft_.launch = launch(false);
  draft_.reference = launch(true);
  for (const DraftParameter& one : draft_.parameters)
    draft_.reference_defines.emplace_back(one.name, std::to_string(one.value));
  note_idle_parameters();
  return std::move(draft_);
}

void T1Drafter::note_idle_parameters() {
  for (DraftParameter& one : draft_.parameters) {
    const auto names = [&](const CudaToken& token) {
      return token.kind == CudaToken::Kind::directive ? token.text.find(one.name) != std::string::npos
                                                      : token.is(one.name);
    };
    if (one.values.size() > 1 && one.note.empty() && std::ranges::none_of(source_.tokens, names))
      one.note = "the source does not name it: no value makes another program; is it written otherwise there?";
  }
}

std::string T1Drafter::spec_text(const PythonNode& tree, const JsonNode& where, bool grid, bool defaults) const {
  SpecNaming naming;
  naming.values = space_.lists();
  if (!sizes_.empty()) naming.values["ProblemSize"] = sizes_;
  naming.name = [&](const std::string& name) -> std::string {
    for (const DraftParameter& one : draft_.parameters)
      if (one.name == name) return defaults ? std::to_string(one.value) : name;
    for (const auto& [defined, value] : draft_.defines)
      if (defined == name) return value;
    if (name == "ProblemSize" && size_names_.size() == 1) return size_names_.front();
    const std::string own = name_in_spec(name);
    for (const DraftDimension& one : draft_.dimensions)
      if (one.name == own) return own;
    throw Error(fmt::format("'{}' is neither a parameter nor a size", name));
  };
  naming.element = [&](const std::string& name, std::int64_t at) -> std::string {
    if (name != "ProblemSize" || at < 0 || at >= static_cast<std::int64_t>(size_names_.size()))
      throw Error(fmt::format("{}[{}] is not known", name, at));
    return size_names_[static_cast<std::size_t>(at)];
  };
  naming.number = [&](std::int64_t number) {
    constexpr std::int64_t kLeastSize = 64;
    const std::string text = std::to_string(number);
    const auto same = [&](const DraftDimension& one) { return one.value.text == text; };
    if (grid && number >= kLeastSize && std::ranges::count_if(draft_.dimensions, same) == 1)
      return std::ranges::find_if(draft_.dimensions, same)->name;
    return text;
  };
  try {
    return spec_expression(tree, naming);
  } catch (const Error& error) {
    where.fail(error.what());
  }
}

void T1Drafter::add_defines() {
  const auto named = [&](const std::string& name) {
    return std::ranges::any_of(source_.tokens, [&](const CudaToken& t) {
      return t.is(name) || (t.kind == CudaToken::Kind::directive && t.text.find(name) != std::string::npos);
    });
  };
  const auto add = [&](const std::string& name, const std::string& value) {
    const bool known = std::ranges::find(draft_.parameters, name, &DraftParameter::name) != draft_.parameters.end();
    if (known || !spec::is_identifier(name) || name_in_spec(name) != name || !named(name)) return;
    draft_.defines.emplace_back(name, value);
    draft_.reference_defines.emplace_back(name, value);
  };
  if (const auto config = root_.find("BenchmarkConfig"); config && config->is_object())
    for (const auto& [name, value] : config->members())
      if (const auto whole = value.whole()) add(name, std::to_string(*whole));
  const auto options = spec_.find("CompilerOptions");
  for (const JsonNode& one : options ? options->elements() : std::vector<JsonNode>()) {
    const std::string text = one.text();
    if (text == "--use_fast_math" || text == "-use_fast_math" || text.starts_with("--maxrregcount=") ||
        text.starts_with("-D"))
      draft_.options.push_back(text);
    else if (!text.starts_with("-std=") && !text.starts_with("--std="))
      draft_.left_out.push_back(text);
  }
}

std::vector<std::string> T1Drafter::extents(const char* key, bool defaults) const {
  std::vector<std::string> texts;
  const auto node = spec_.find(key);
  if (!node) return texts;
  for (const char* axis : kAxes)
    if (const auto one = node->find(axis)) texts.push_back(spec_text(t1_expression(*one), *one, true, defaults));
  while (texts.size() > 1 && texts.back() == "1") texts.pop_back();
  return texts;
}

std::vector<std::string> T1Drafter::divided(bool defaults) const {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < size_names_.size(); ++i) {
    std::string divisor;
    if (const auto node = spec_.find(fmt::format("GridDiv{}", kAxes[i])))
      for (const JsonNode& one : node->elements()) {
        const std::string text = spec_text(t1_expression(one), one, false, defaults);
        divisor += (divisor.empty() ? "" : " * ") + (text.find(' ') == std::string::npos ? text : "(" + text + ")");
      }
    texts.push_back(divisor.empty() ? size_names_[i] : fmt::format("ceil_div({}, {})", size_names_[i], divisor));
  }
  return texts;
}

DraftLaunch T1Drafter::launch(bool reference) const {
  DraftLaunch launch;
  launch.kernel = kernel_.name;
  launch.block = extents("LocalSize", reference);
  if (launch.block.empty()) spec_.fail("has no \"LocalSize\": how many threads a block has");
  if (!sizes_.empty() && (spec_.find("GridDivX") || spec_.find("GridDivY"))) {
    launch.grid = divided(reference);
  } else {
    launch.grid = extents("GlobalSize", reference);
    if (launch.grid.empty()) spec_.fail("has neither \"GlobalSize\" nor \"ProblemSize\" with \"GridDivX\"");
    const auto kind = spec_.find("GlobalSizeType");
    const bool threads = kind && kind->text() == "OpenCL";
    for (std::size_t i = 0; threads && i < launch.grid.size() && i < launch.block.size(); ++i)
      launch.grid[i] = fmt::format("ceil_div({}, {})", launch.grid[i], launch.block[i]);
    launch.note = threads ? "GlobalSizeType says OpenCL: threads over threads of a block"
                          : "GlobalSize is taken for blocks, as CUDA counts";
  }
  if (const auto shared = spec_.find("SharedMemory"); shared && shared->shown() != "0")
    launch.shared = spec_text(t1_expression(*shared), *shared, false, reference);
  for (std::size_t i = 0, at = 0; i < order_.size(); ++i) {
    const std::string name = name_in_spec(order_[i]);
    if (std::ranges::find(draft_.symbols, name) != draft_.symbols.end()) continue;
    launch.arguments.push_back(passed(name, kernel_.arguments[at++], reference));
  }
  return launch;
}

std::string T1Drafter::passed(const std::string& name, const CudaArgument& argument, bool reference) const {
  const auto tensor = std::ranges::find(draft_.tensors, name, &DraftTensor::name);
  if ((tensor != draft_.tensors.end()) != (argument.pointers > 0))
    throw SpecError(argument.where, fmt::format("'{}' {} here, and {} in {}", argument.name,
                                                argument.pointers > 0 ? "is a pointer" : "is passed by value",
                                                argument.pointers > 0 ? "a Scalar" : "a Vector", root_.file()));
  if (tensor != draft_.tensors.end()) return reference && tensor->role.text != "input" ? "given_" + name : name;
  const auto constant = constants_.find(name);
  const std::string value = constant == constants_.end() ? name : constant->second;
  return value_kind(argument.type) == ValueKind::int64 ? "i64: " + value : value;
}

}  // namespace kerlab::session
