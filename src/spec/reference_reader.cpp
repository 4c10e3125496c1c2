#include "spec/reference_reader.h"

#include <fmt/format.h>

#include "spec/launch_reader.h"

namespace kerlab::spec {
namespace {

ToleranceDecl read_tolerance(const SpecTable& reference, const Scope& scope) {
  const TomlValue* value = reference.find("tolerance");
  if (value == nullptr) reference.fail("tolerance", "key 'tolerance' is missing: { rule = \"dot\", length = \"K\" }");
  const SpecTable row(*value, "tolerance", {"rule", "length", "promoted_every", "accumulator"});
  const std::vector<std::string> rules = {"dot", "sum", "rowwise", "exact", "bits"};
  ToleranceDecl tolerance;
  if (!row.has("rule")) row.fail("rule", "key 'rule' is missing: dot, sum, rowwise, exact or bits");
  tolerance.rule = rules[row.choice("rule", rules, 0)];
  tolerance.length =
      tolerance.rule == "dot" || tolerance.rule == "sum" ? row.expression("length") : row.expression_or_empty("length");
  scope.check(tolerance.length);
  tolerance.promoted_every = row.expression_or_empty("promoted_every");
  scope.check(tolerance.promoted_every);
  tolerance.accumulator = row.dtype("accumulator");
  if (tolerance.accumulator && *tolerance.accumulator != DType::fp32 && *tolerance.accumulator != DType::fp64)
    row.fail("accumulator", "fp32 or fp64");
  tolerance.where = row.where();
  return tolerance;
}

/// What is recorded no kernel computes.
void reject_kernel(const SpecTable& row) {
  for (const char* key : {"kernel", "grid", "block", "shared", "arguments", "outputs_per_index"})
    if (row.has(key)) row.fail(key, "recorded = true: no kernel computes this output; leave one of the two out");
}

}  // namespace

std::vector<ReferenceDecl> read_references(const SpecTable& family, const Scope& scope) {
  Scope launch_scope = scope;
  launch_scope.know("count");
  std::vector<ReferenceDecl> references;
  for (const TomlValue& value : family.tables("reference")) {
    const SpecTable row = SpecTable::named(value, "reference",
                                           {"output", "kernel", "grid", "block", "shared", "arguments",
                                            "outputs_per_index", "tolerance", "rows_sum_to", "recorded"},
                                           "output");
    ReferenceDecl reference;
    reference.output = row.identifier("output");
    reference.where = row.where("output");
    const NameKind* kind = scope.find(reference.output);
    if (kind == nullptr || *kind != NameKind::tensor)
      row.fail("output", fmt::format("no tensor is called '{}'{}", reference.output,
                                     suggestion(reference.output, scope.names())));
    reference.recorded = row.boolean("recorded", false);
    if (reference.recorded) {
      reject_kernel(row);
      reference.launch.where = row.where("recorded");
    } else {
      reference.launch = read_launch(row, launch_scope, LaunchOf::reference);
      reference.outputs_per_index = row.expression_or_empty("outputs_per_index");
      scope.check(reference.outputs_per_index);
    }
    reference.tolerance = read_tolerance(row, scope);
    if (row.has("rows_sum_to")) reference.rows_sum_to = row.number("rows_sum_to");
    references.push_back(std::move(reference));
  }
  return references;
}

}  // namespace kerlab::spec
