#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "spec/accuracy_reader.h"
#include "spec/checker_reader.h"
#include "spec/launch_reader.h"
#include "spec/readers.h"
#include "spec/recipe_reader.h"
#include "spec/recordings.h"
#include "spec/reference_reader.h"
#include "spec/scope.h"
#include "spec/tensor_reader.h"
#include "spec/toml/source_path.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {
namespace {

std::vector<Dimension> read_dimensions(const SpecTable& family) {
  std::vector<Dimension> dimensions;
  Scope above;
  for (const TomlValue& value : family.tables("dimension")) {
    const SpecTable row =
        SpecTable::named(value, "dimension", {"name", "doc", "default", "minimum", "maximum", "quiet"});
    Dimension dimension;
    dimension.name = row.identifier("name");
    dimension.doc = row.text("doc", "");
    dimension.default_value = row.expression("default");
    above.check(dimension.default_value);
    dimension.minimum = row.integer("minimum", 1);
    dimension.maximum = row.integer("maximum", dimension.maximum);
    if (dimension.minimum < 0) row.fail("minimum", "negative");
    if (dimension.maximum < dimension.minimum) row.fail("maximum", "below the minimum");
    dimension.quiet = row.boolean("quiet", false);
    dimension.where = row.where("name");
    above.declare(NameKind::dimension, dimension.name, dimension.where);
    dimensions.push_back(std::move(dimension));
  }
  if (dimensions.empty()) throw SpecError(family.where(), "no [[dimension]]");
  return dimensions;
}

std::vector<Flag> read_flags(const SpecTable& family) {
  std::vector<Flag> flags;
  for (const TomlValue& value : family.tables("flag")) {
    const SpecTable row = SpecTable::named(value, "flag", {"name", "doc", "values", "default", "quiet"});
    Flag flag;
    flag.name = row.identifier("name");
    flag.doc = row.text("doc", "");
    for (const auto& [text, where] : row.located_texts("values")) {
      if (!is_identifier(text)) throw SpecError(where, fmt::format("'{}' is not a name (letters, digits and _)", text));
      if (std::count(flag.values.begin(), flag.values.end(), text) != 0)
        throw SpecError(where, fmt::format("'{}' is listed twice", text));
      flag.values.push_back(text);
    }
    if (flag.values.empty()) row.fail("values", "empty list of values");
    flag.default_value = flag.values[row.choice("default", flag.values, 0)];
    flag.quiet = row.boolean("quiet", false);
    flag.where = row.where("name");
    flags.push_back(std::move(flag));
  }
  return flags;
}

std::vector<ScalarDecl> read_scalars(const SpecTable& family) {
  std::vector<ScalarDecl> scalars;
  for (const TomlValue& value : family.tables("scalar")) {
    const SpecTable row = SpecTable::named(value, "scalar", {"name", "doc", "default", "also", "dtype", "quiet"});
    ScalarDecl scalar;
    scalar.name = row.identifier("name");
    scalar.doc = row.text("doc", "");
    scalar.default_value = row.number("default");
    scalar.also = row.numbers("also");
    scalar.dtype = row.dtype("dtype").value_or(DType::fp32);
    if (scalar.dtype != DType::fp32 && scalar.dtype != DType::fp64) row.fail("dtype", "a scalar is fp32 or fp64");
    scalar.quiet = row.boolean("quiet", false);
    scalar.where = row.where("name");
    scalars.push_back(std::move(scalar));
  }
  return scalars;
}

/// Memory that the kernels of the reference share; only they know its names.
std::vector<ReferenceWorkspaceDecl> read_reference_workspaces(const SpecTable& family, Scope& scope) {
  std::vector<ReferenceWorkspaceDecl> workspaces;
  for (const TomlValue& value : family.tables("reference_workspace")) {
    const SpecTable row = SpecTable::named(value, "reference_workspace", {"name", "doc", "bytes", "copy"});
    ReferenceWorkspaceDecl workspace{row.identifier("name"), row.expression("bytes"),
                                     row.has("copy") ? row.identifier("copy") : "", row.where("name")};
    scope.check(workspace.bytes);
    const NameKind* kind = scope.find(workspace.copy);
    if (row.has("copy") && (kind == nullptr || *kind != NameKind::tensor))
      row.fail("copy",
               fmt::format("no tensor is called '{}'{}", workspace.copy, suggestion(workspace.copy, scope.names())));
    scope.declare(NameKind::workspace, workspace.name, workspace.where);
    workspaces.push_back(std::move(workspace));
  }
  return workspaces;
}

/// What runs before the references: it may write no tensor, those are the candidate's.
std::vector<LaunchDecl> read_before_reference(const SpecTable& family, const Scope& scope,
                                              const std::vector<TensorDecl>& tensors) {
  Scope launch_scope = scope;
  launch_scope.know("i");
  std::vector<LaunchDecl> launches;
  for (const TomlValue& value : family.tables("reference_launch")) {
    const SpecTable row(value, "reference_launch",
                        {"kernel", "grid", "block", "shared", "repeat", "group", "when", "arguments", "doc"});
    LaunchDecl launch = read_launch(row, launch_scope, LaunchOf::before_reference);
    launch.repeat = row.expression_or_empty("repeat");
    scope.check(launch.repeat);
    launch.group = row.text("group", "");
    launch.when = row.expression_or_empty("when");
    launch_scope.check(launch.when);
    for (const ArgumentDecl& argument : launch.arguments)
      for (const ArgumentChoice& choice : argument.choices) {
        const auto tensor = std::ranges::find(tensors, choice.name, &TensorDecl::name);
        if (choice.kind == ArgumentChoice::Kind::tensor && tensor != tensors.end() && tensor->role != Role::input)
          throw SpecError(argument.where,
                          fmt::format("'{}' is no input: what another kernel gives lies in a [[reference_workspace]], "
                                      "with copy = \"{}\" where it reads it too",
                                      choice.name, choice.name));
      }
    launches.push_back(std::move(launch));
  }
  return launches;
}

std::vector<Constraint> read_constraints(const SpecTable& family, const Scope& scope) {
  std::vector<Constraint> constraints;
  for (const TomlValue& value : family.tables("constraint")) {
    const SpecTable row = SpecTable::named(value, "constraint", {"name", "condition", "doc"});
    Constraint constraint{row.identifier("name"), row.text("doc", ""), row.expression("condition"), row.where("name")};
    scope.check(constraint.condition);
    constraints.push_back(std::move(constraint));
  }
  return constraints;
}

/// The kernel that counts what depends on the inputs: it sees what is there before a run, and writes two doubles.
void read_count_cost(const SpecTable& cost, const Scope& scope, Family& family) {
  if (!cost.has("kernel")) {
    for (const char* key : {"grid", "block", "shared", "arguments"})
      if (cost.has(key)) cost.fail(key, "only a kernel that counts the cost has this: give a kernel of reference.cu");
    return;
  }
  Scope launch_scope = scope;
  launch_scope.declare(NameKind::workspace, std::string(kCostWorkspace), cost.where("kernel"));
  LaunchDecl launch = read_launch(cost, launch_scope, LaunchOf::before_reference);
  bool writes = false;
  for (const ArgumentDecl& argument : launch.arguments)
    for (const ArgumentChoice& choice : argument.choices) {
      const auto tensor = std::ranges::find(family.tensors, choice.name, &TensorDecl::name);
      writes |= choice.kind == ArgumentChoice::Kind::workspace;
      if (choice.kind == ArgumentChoice::Kind::tensor && tensor != family.tensors.end() && tensor->role == Role::output)
        throw SpecError(argument.where,
                        fmt::format("'{}' is an output: the cost is counted before any run, from inputs", choice.name));
    }
  if (!writes)
    cost.fail(cost.has("arguments") ? "arguments" : "kernel",
              "no argument is 'cost', the double[2] that the kernel writes FLOPs and bytes into");
  family.count_cost = std::move(launch);
}

void read_cost(const SpecTable& top, const Scope& scope, Family& family) {
  const TomlValue* value = top.find("cost");
  if (value == nullptr) throw SpecError(top.where(), "no [cost] with flops and bytes");
  const SpecTable cost(*value, "cost", {"flops", "bytes", "kernel", "grid", "block", "shared", "arguments"});
  family.flops = cost.expression("flops");
  family.bytes = cost.expression("bytes");
  scope.check(family.flops);
  scope.check(family.bytes);
  read_count_cost(cost, scope, family);
}

std::string known_scalar(const SpecTable& table, std::string_view key, const Family& family) {
  const std::string name = table.text(key, "");
  const auto is_it = [&](const ScalarDecl& scalar) { return scalar.name == name; };
  if (!name.empty() && std::none_of(family.scalars.begin(), family.scalars.end(), is_it))
    table.fail(key, fmt::format("the family has no scalar '{}'", name));
  return name;
}

std::string known_tensor(const SpecTable& table, std::string_view key, const Family& family) {
  const std::string name = table.identifier(key);
  const auto is_it = [&](const TensorDecl& tensor) { return tensor.name == name; };
  if (std::none_of(family.tensors.begin(), family.tensors.end(), is_it))
    table.fail(key, fmt::format("the family has no tensor '{}'", name));
  return name;
}

void read_library(const SpecTable& top, const Scope& scope, Family& family) {
  const TomlValue* value = top.find("library");
  if (value == nullptr) return;
  const SpecTable library(*value, "library", {"gemm"});
  const TomlValue* call = library.find("gemm");
  if (call == nullptr) return;
  const SpecTable table(
      *call, "library.gemm",
      {"when", "batch", "fast", "m", "n", "k", "transpose_a", "transpose_b", "alpha", "beta", "a", "b", "c", "d"});
  LibraryGemmDecl gemm;
  gemm.m = table.expression("m");
  gemm.n = table.expression("n");
  gemm.k = table.expression("k");
  gemm.transpose_a = table.expression_or_empty("transpose_a");
  gemm.transpose_b = table.expression_or_empty("transpose_b");
  gemm.when = table.expression_or_empty("when");
  gemm.batch = table.expression_or_empty("batch");
  gemm.fast = table.expression_or_empty("fast");
  for (const Expression* expression :
       {&gemm.when, &gemm.batch, &gemm.fast, &gemm.m, &gemm.n, &gemm.k, &gemm.transpose_a, &gemm.transpose_b})
    scope.check(*expression);
  gemm.alpha = known_scalar(table, "alpha", family);
  gemm.beta = known_scalar(table, "beta", family);
  gemm.a = known_tensor(table, "a", family);
  gemm.b = known_tensor(table, "b", family);
  gemm.d = known_tensor(table, "d", family);
  const bool added = !gemm.beta.empty() || table.has("c");
  gemm.c = added ? known_tensor(table, "c", family) : gemm.d;  // times 0: it is not read
  family.library_gemm = std::move(gemm);
}

/// Every output has exactly one reference or checker, and nothing else has.
void check_references(const Family& family, const SourceLocation& where) {
  for (const TensorDecl& tensor : family.tensors) {
    const auto is_of = [&](const ReferenceDecl& reference) { return reference.output == tensor.name; };
    const auto first = std::find_if(family.references.begin(), family.references.end(), is_of);
    if (tensor.role == Role::input) {
      if (first != family.references.end())
        throw SpecError(first->where,
                        fmt::format("'{}' is an input: only outputs have a reference or a checker", tensor.name));
      continue;
    }
    if (first == family.references.end())
      throw SpecError(tensor.where, fmt::format("output '{}' has no [[reference]] and no [[checker]]", tensor.name));
    const auto second = std::find_if(first + 1, family.references.end(), is_of);
    if (second != family.references.end())
      throw SpecError(second->where, fmt::format("'{}' has a second reference or checker", tensor.name));
  }
  if (family.references.empty()) throw SpecError(where, "no tensor is an output");
}

}  // namespace

Family read_family(const std::filesystem::path& file) {
  const TomlValue root = parse_toml(read_text(file), shown_path(file));
  const SpecTable top(root, "family",
                      {"name",
                       "doc",
                       "group",
                       "dtypes",
                       "reference_source",
                       "dimension",
                       "flag",
                       "scalar",
                       "derived",
                       "constraint",
                       "tensor",
                       "reference",
                       "reference_workspace",
                       "reference_launch",
                       "reference_is",
                       "recordings",
                       "checker",
                       "recipe",
                       "cost",
                       "library",
                       "folders",
                       "accuracy",
                       "specials"});
  Family family;
  family.name = top.identifier("name");
  family.doc = top.text("doc", "");
  family.group = top.text("group", "");
  if (std::ranges::find(kFamilyGroups, family.group) == kFamilyGroups.end()) family.group = kFamilyGroups.back();
  family.folder = file.parent_path();
  family.accuracy = read_accuracy(top, {});
  family.accuracy.against_kernel = top.choice("reference_is", {"exact", "another kernel"}, 0) == 1;
  family.dtypes = top.dtypes("dtypes");
  if (family.dtypes.empty()) top.fail("dtypes", "at least one dtype is needed: dtypes = [\"fp32\"]");
  family.dimensions = read_dimensions(top);
  family.flags = read_flags(top);
  family.scalars = read_scalars(top);
  family.derived = read_derived(top);
  family.tensors = read_tensors(top, family.flags, family.dtypes);

  const Scope scope = family_scope(family);
  for (const Derived& derived : family.derived) scope.check(derived.value);
  sort_derived(family.derived);
  for (const TensorDecl& tensor : family.tensors) {
    scope.check(tensor.shape);
    scope.check(tensor.partition);
    scope.check(tensor.unread);
    scope.check(tensor.range);
    for (const Expression& ignored : tensor.ignored) scope.check(ignored);
  }
  family.constraints = read_constraints(top, scope);
  Scope reference_scope = scope;
  family.reference_workspaces = read_reference_workspaces(top, reference_scope);
  family.before_reference = read_before_reference(top, reference_scope, family.tensors);
  family.references = read_references(top, reference_scope);
  for (ReferenceDecl& checker : read_checkers(top, scope, family.tensors))
    family.references.push_back(std::move(checker));
  read_recordings(top, family);
  check_references(family, top.where());
  family.recipes = read_recipes(top, scope, family.tensors);
  read_cost(top, scope, family);
  read_library(top, scope, family);
  if (has_kernels_of_reference(family) || top.has("reference_source"))
    family.reference_source = read_source_path(top, "reference_source", "reference.cu", family.folder);
  return family;
}

}  // namespace kerlab::spec
