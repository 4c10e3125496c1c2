#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "plan/counters.h"
#include "plan/device_facts.h"
#include "spec/accuracy_reader.h"
#include "spec/dtype_rule.h"
#include "spec/kernel_name.h"
#include "spec/launch_reader.h"
#include "spec/name_lists.h"
#include "spec/parameter_value.h"
#include "spec/readers.h"
#include "spec/scope.h"
#include "spec/toml/source_path.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {
namespace {

constexpr std::int64_t kMostAlignment = 256;  // what an allocation has

// Options through which a spec could read or write files are not among these.
constexpr std::string_view kAllowedOptions[] = {"-D",
                                                "--use_fast_math",
                                                "-use_fast_math",
                                                "--ftz=",
                                                "--prec-sqrt=",
                                                "--prec-div=",
                                                "--fmad=",
                                                "--maxrregcount=",
                                                "-maxrregcount=",
                                                "--extra-device-vectorization",
                                                "--restrict",
                                                "-lineinfo",
                                                "--generate-line-info",
                                                "--device-int128",
                                                "--diag-suppress=",
                                                "--ptxas-options=-O",
                                                "--ptxas-options=--register-usage-level=",
                                                "--ptxas-options=--allow-expensive-optimizations=",
                                                "--ptxas-options=--def-load-cache=",
                                                "-dlcm="};

std::vector<Parameter> read_parameters(const SpecTable& variant) {
  std::vector<Parameter> parameters;
  std::int64_t raw = 1;
  for (const TomlValue& value : variant.tables("parameter")) {
    const SpecTable row = SpecTable::named(value, "parameter", {"name", "doc", "values", "default", "define"});
    Parameter parameter;
    parameter.name = row.identifier("name");
    parameter.doc = row.text("doc", "");
    parameter.define = row.boolean("define", true);
    read_values(row, parameter);
    if (__builtin_mul_overflow(raw, static_cast<std::int64_t>(parameter.values.size()), &raw))
      row.fail("values", "more than 2^63 configurations");
    parameter.where = row.where("name");
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::vector<Constraint> read_constraints(const SpecTable& variant) {
  std::vector<Constraint> constraints;
  for (const TomlValue& value : variant.tables("constraint")) {
    const SpecTable row = SpecTable::named(value, "constraint", {"name", "doc", "condition"});
    Constraint constraint{row.identifier("name"), row.text("doc", ""), row.expression("condition"), row.where("name")};
    for (const Constraint& other : constraints)
      if (other.name == constraint.name)
        row.fail("name", fmt::format("a constraint of this name stands at {}", other.where.text()));
    constraints.push_back(std::move(constraint));
  }
  return constraints;
}

std::vector<WorkspaceDecl> read_workspaces(const SpecTable& variant) {
  std::vector<WorkspaceDecl> workspaces;
  for (const TomlValue& value : variant.tables("workspace")) {
    const SpecTable row = SpecTable::named(value, "workspace", {"name", "doc", "bytes", "init"});
    const auto init = static_cast<WorkspaceInit>(row.choice("init", {"none", "zero", "poison", "zero_once"}, 0));
    workspaces.push_back({row.identifier("name"), row.expression("bytes"), init, row.where("name")});
  }
  return workspaces;
}

/// The dtype of a map's elements: its own, its tensor's, or (of a workspace too) the problem's.
void resolve_map_dtype(const SpecTable& row, const Family& family, TensorMapDecl& map) {
  const auto tensor = std::find_if(family.tensors.begin(), family.tensors.end(),
                                   [&](const TensorDecl& candidate) { return candidate.name == map.tensor; });
  if (row.has("dtype"))
    map.dtype = read_dtype_rule(row, family.flags);
  else if (tensor != family.tensors.end())
    map.dtype = tensor->dtype;
}

std::vector<TensorMapDecl> read_tensor_maps(const SpecTable& variant, const Family& family, const Scope& scope) {
  std::vector<TensorMapDecl> maps;
  for (const TomlValue& value : variant.tables("tensor_map")) {
    const SpecTable row = SpecTable::named(
        value, "tensor_map",
        {"name", "doc", "tensor", "dims", "strides", "box", "swizzle", "promotion", "nan_fill", "dtype"});
    TensorMapDecl map;
    map.name = row.identifier("name");
    map.where = row.where("name");
    map.tensor = row.identifier("tensor");
    const NameKind* kind = scope.find(map.tensor);
    if (kind == nullptr || (*kind != NameKind::tensor && *kind != NameKind::workspace))
      row.fail("tensor", fmt::format("no tensor or workspace is called '{}'{}", map.tensor,
                                     suggestion(map.tensor, scope.names())));
    map.dims = row.expressions("dims");
    map.strides = row.expressions("strides");
    map.box = row.expressions("box");
    if (map.dims.empty() || map.dims.size() > 5) row.fail("dims", "1 to 5 are needed");
    if (map.strides.size() + 1 != map.dims.size()) row.fail("strides", "one fewer than dims is needed");
    if (map.box.size() != map.dims.size()) row.fail("box", "as many as dims are needed");
    map.swizzle = row.expression_or_empty("swizzle");
    map.promotion = row.expression_or_empty("promotion");
    map.nan_fill = row.boolean("nan_fill", false);
    resolve_map_dtype(row, family, map);
    for (const auto* list : {&map.dims, &map.strides, &map.box}) scope.check(*list);
    scope.check(map.swizzle);
    scope.check(map.promotion);
    maps.push_back(std::move(map));
  }
  return maps;
}

/// What it writes is a workspace that nobody initialises: before each run others are filled, and tensors are the
/// problem's.
std::vector<LaunchDecl> read_prepare(const SpecTable& variant, const Family& family, const Scope& scope,
                                     const std::vector<WorkspaceDecl>& workspaces) {
  std::vector<LaunchDecl> launches = read_launches(variant, "prepare", scope);
  for (const LaunchDecl& launch : launches) {
    if (!launch.programmatic.empty())
      throw SpecError(
          launch.programmatic.where(),
          "what prepares is not timed, and ends before the first launch begins: programmatic is of [[launch]]");
    for (const ArgumentDecl& argument : launch.arguments)
      for (const ArgumentChoice& choice : argument.choices) {
        const auto tensor = std::ranges::find(family.tensors, choice.name, &TensorDecl::name);
        if (choice.kind == ArgumentChoice::Kind::tensor && tensor != family.tensors.end() &&
            tensor->role != Role::input)
          throw SpecError(argument.where, fmt::format("'{}' is no input: only inputs can be prepared", choice.name));
        const auto workspace = std::ranges::find(workspaces, choice.name, &WorkspaceDecl::name);
        if (choice.kind == ArgumentChoice::Kind::workspace && workspace != workspaces.end() &&
            workspace->init != WorkspaceInit::none)
          throw SpecError(argument.where, fmt::format("workspace '{}' is initialised before each run: what is prepared "
                                                      "lies in one with init = \"none\"",
                                                      choice.name));
      }
  }
  return launches;
}

std::vector<SymbolDecl> read_symbols(const SpecTable& variant, const Family& family) {
  std::vector<SymbolDecl> symbols;
  std::vector<std::string> inputs;
  for (const TensorDecl& tensor : family.tensors)
    if (tensor.role == Role::input) inputs.push_back(tensor.name);
  for (const TomlValue& value : variant.tables("symbol")) {
    const SpecTable row = SpecTable::named(value, "symbol", {"name", "doc", "tensor"});
    SymbolDecl symbol{row.text("name"), row.identifier("tensor"), row.where("name")};
    if (std::ranges::find(inputs, symbol.tensor) == inputs.end())
      row.fail("tensor", fmt::format("no input is called '{}'{}", symbol.tensor, suggestion(symbol.tensor, inputs)));
    if (std::ranges::find(symbols, symbol.name, &SymbolDecl::name) != symbols.end())
      row.fail("name", fmt::format("a second symbol '{}'", symbol.name));
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

std::vector<DType> read_dtypes(const SpecTable& variant, const Family& family) {
  std::vector<DType> dtypes = variant.dtypes("dtypes");
  for (const DType dtype : dtypes)
    if (std::find(family.dtypes.begin(), family.dtypes.end(), dtype) == family.dtypes.end())
      variant.fail("dtypes", fmt::format("the family has no {}", name(dtype)));
  return dtypes;
}

std::vector<std::string> read_required_flags(const SpecTable& variant, const Family& family) {
  std::vector<std::string> known;
  for (const Flag& flag : family.flags)
    for (const std::string& value : flag.values) known.push_back(flag.name + "=" + value);
  for (const auto& [text, where] : variant.located_texts("requires"))
    if (std::find(known.begin(), known.end(), text) == known.end())
      throw SpecError(where, fmt::format("'{}' is no flag=value of the family{}", text, suggestion(text, known)));
  return variant.texts("requires");
}

/// A brace holds an expression: what stands before it must be an allowed option by itself.
void read_options(const SpecTable& top, const Scope& scope, Variant& variant) {
  for (const auto& [text, where] : top.located_texts("options")) {
    const std::string_view fixed = std::string_view(text).substr(0, text.find('{'));
    if (std::none_of(std::begin(kAllowedOptions), std::end(kAllowedOptions),
                     [&](std::string_view allowed) { return fixed.starts_with(allowed); }))
      throw SpecError(where, fmt::format("option '{}' is not allowed in a spec; allowed: {}", text,
                                         fmt::join(kAllowedOptions, " ")));
    if (fixed.size() == text.size())
      variant.options.push_back(text);
    else
      variant.configured_options.push_back(parse_option(text, where, scope));
  }
}

std::int64_t read_alignment(const SpecTable& variant) {
  const std::int64_t bytes = variant.integer("alignment", kLeastAlignment);
  if (bytes >= kLeastAlignment && bytes <= kMostAlignment && (bytes & (bytes - 1)) == 0) return bytes;
  variant.fail("alignment", fmt::format("{} is none of 16, 32, 64, 128, 256", bytes));
}

/// `pitch`: tensors; pitch.NAME becomes known.
std::vector<std::string> read_pitch(const SpecTable& variant, const Family& family, Scope& scope) {
  std::vector<std::string> names, tensors;
  for (const TensorDecl& tensor : family.tensors) tensors.push_back(tensor.name);
  for (const auto& [name, where] : variant.located_texts("pitch")) {
    const auto found = std::find_if(family.tensors.begin(), family.tensors.end(),
                                    [&wanted = name](const TensorDecl& tensor) { return tensor.name == wanted; });
    if (found == family.tensors.end())
      throw SpecError(where, fmt::format("no tensor is called '{}'{}", name, suggestion(name, tensors)));
    if (found->shape.size() < 2)
      throw SpecError(
          where,
          fmt::format("tensor '{}' has {} dimension: rows with a leading dimension of their own need two or more", name,
                      found->shape.size()));
    if (scope.knows("pitch." + name))
      throw SpecError(where,
                      fmt::format("pitch.{} is something else already: '{}' is listed twice, or a flag or scalar "
                                  "is called pitch",
                                  name, name));
    scope.know("pitch." + name);
    names.push_back(name);
  }
  return names;
}

Sampling read_sampling(const SpecTable& variant) {
  const std::string text = variant.text("sample", "auto");
  if (text == "auto") return Sampling::automatic;
  if (text == "cta" || text == "cluster") return Sampling::blocks;
  if (text == "none") return Sampling::small;
  variant.fail("sample", fmt::format("'{}' is none of auto, cta, cluster, none", text));
}

Start read_start(const SpecTable& variant) {
  const std::string text = variant.text("start", "held");
  if (text == "held") return Start::held;
  if (text == "host") return Start::host;
  if (text == "graph") return Start::graph;
  variant.fail("start", fmt::format("'{}' is none of held, host, graph", text));
}

/// The reason why runs may differ bit by bit: without one it is a mistake.
std::string read_nondeterministic(const SpecTable& variant) {
  const TomlValue* value = variant.find("nondeterministic");
  if (value == nullptr) return {};
  if (value->kind != TomlValue::Kind::string || value->text.find_first_not_of(' ') == std::string::npos)
    variant.fail("nondeterministic", "say why: nondeterministic = \"atomics add in any order\"");
  return value->text;
}

/// [predicted]: a counter's name, and what a run is said to count up to.
std::vector<Prediction> read_predicted(const SpecTable& variant, const Scope& scope) {
  std::vector<Prediction> predicted;
  const TomlValue* value = variant.find("predicted");
  if (value == nullptr) return predicted;
  std::vector<std::string_view> names;
  for (const Counter& counter : counters()) names.push_back(counter.name);
  const SpecTable table(*value, "predicted", names);
  for (const Counter& counter : counters()) {
    if (!table.has(counter.name)) continue;
    predicted.push_back({std::string(counter.name), table.expression(counter.name), table.where(counter.name)});
    scope.check(predicted.back().value);
  }
  return predicted;
}

/// What is compiled, or PTX that was made elsewhere.
void read_program(const SpecTable& top, const Scope& scope, Variant& variant) {
  const std::filesystem::path folder = variant.file.parent_path();
  if (!top.has("image")) {
    read_options(top, scope, variant);
    variant.source = read_source_path(top, "source", variant.file.stem().string() + ".cu", folder);
    return;
  }
  for (const char* key : {"source", "options"})
    if (top.has(key)) top.fail(key, "a variant with an image is not compiled");
  variant.image = parse_image_name(top.text("image"), top.where("image"), scope);
  variant.source = folder / image_pattern(variant.image);
}

}  // namespace

std::string untimed_text(const Variant& variant) {
  std::vector<std::string> parts;
  for (const LaunchDecl& launch : variant.prepare) parts.push_back(launch.kernel + " (prepare)");
  for (const SymbolDecl& symbol : variant.symbols)
    parts.push_back(fmt::format("{} (holds {})", symbol.name, symbol.tensor));
  return parts.empty() ? "" : fmt::format("not timed: {}", fmt::join(parts, ", "));
}

Scope variant_scope(const Variant& variant, const Family& family) {
  Scope scope = family_scope(family);
  scope.know(kComputeCapability);
  const DeviceInfo any;
  device_facts(any, [&](const char* name, auto) { scope.know(name); });
  for (const Parameter& parameter : variant.parameters) scope.declare_parameter(parameter);
  for (const Derived& derived : variant.derived) scope.declare(NameKind::derived, derived.name, derived.where);
  for (const WorkspaceDecl& workspace : variant.workspaces)
    scope.declare(NameKind::workspace, workspace.name, workspace.where);
  return scope;
}

Variant read_variant(const std::filesystem::path& file, const Family& family) {
  const TomlValue root = parse_toml(read_text(file), shown_path(file));
  const SpecTable top(
      root, "variant",
      {"name",     "doc",        "source",    "dtypes",     "minimum_cc", "maximum_cc",       "tune",     "alignment",
       "rung",     "options",    "requires",  "sample",     "quick",      "nondeterministic", "pitch",    "parameter",
       "derived",  "constraint", "workspace", "tensor_map", "launch",     "predicted",        "formerly", "accuracy",
       "specials", "start",      "image",     "prepare",    "symbol"});
  Variant variant;
  variant.name = top.identifier("name", file.stem().string());
  variant.doc = top.text("doc", "");
  variant.file = file;
  variant.dtypes = read_dtypes(top, family);
  variant.minimum_cc = static_cast<int>(std::clamp<std::int64_t>(top.integer("minimum_cc", 0), 0, 999));
  variant.maximum_cc = static_cast<int>(std::clamp<std::int64_t>(top.integer("maximum_cc", 999), 0, 999));
  variant.tune = top.boolean("tune", true);
  variant.alignment = read_alignment(top);
  variant.start = read_start(top);
  variant.rung = static_cast<int>(std::clamp<std::int64_t>(top.integer("rung", 0), -1000, 1000));
  variant.required_flags = read_required_flags(top, family);
  variant.sampling = read_sampling(top);
  variant.quick = top.expressions("quick");
  variant.nondeterministic = read_nondeterministic(top);
  variant.accuracy = read_accuracy(top, family.accuracy);
  variant.parameters = read_parameters(top);
  variant.derived = read_derived(top);
  for (const Parameter& parameter : variant.parameters)
    for (Derived& named : named_values(parameter)) variant.derived.push_back(std::move(named));
  variant.constraints = read_constraints(top);
  variant.workspaces = read_workspaces(top);

  Scope scope = variant_scope(variant, family);
  for (const Derived& derived : variant.derived)
    if (!is_word_of_parameter(derived)) scope.check(derived.value);
  sort_derived(variant.derived);
  for (const Constraint& constraint : variant.constraints) scope.check(constraint.condition);
  scope.check(variant.quick);
  for (const WorkspaceDecl& workspace : variant.workspaces) scope.check(workspace.bytes);
  const Scope without_pitch = scope;
  variant.pitch = read_pitch(top, family, scope);
  variant.tensor_maps = read_tensor_maps(top, family, scope);
  for (const TensorMapDecl& map : variant.tensor_maps) scope.declare(NameKind::tensor_map, map.name, map.where);
  variant.launches = read_launches(top, "launch", scope);
  if (variant.launches.empty()) throw SpecError(top.where(), "no [[launch]]");
  variant.prepare = read_prepare(top, family, scope, variant.workspaces);
  variant.symbols = read_symbols(top, family);
  variant.predicted = read_predicted(top, without_pitch);
  read_program(top, without_pitch, variant);
  return variant;
}

}  // namespace kerlab::spec
