#include "spec/checker_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/launch_reader.h"

namespace kerlab::spec {
namespace {

const TensorDecl* tensor_named(const std::vector<TensorDecl>& tensors, const std::string& name) {
  const auto is_it = [&](const TensorDecl& tensor) { return tensor.name == name; };
  const auto found = std::find_if(tensors.begin(), tensors.end(), is_it);
  return found == tensors.end() ? nullptr : &*found;
}

/// Which of its slots a checker takes; without error and code it could say nothing.
void require_slots(const SpecTable& row, const ReferenceDecl& checker) {
  for (const auto& [slot, name] : {std::pair(ReferenceSlot::error, "error"), std::pair(ReferenceSlot::code, "code")}) {
    const auto takes = [slot = slot](const ArgumentDecl& argument) {
      return std::any_of(argument.choices.begin(), argument.choices.end(), [&](const ArgumentChoice& choice) {
        return choice.kind == ArgumentChoice::Kind::reference_slot && choice.slot == slot;
      });
    };
    if (std::none_of(checker.launch.arguments.begin(), checker.launch.arguments.end(), takes))
      row.fail("arguments", fmt::format("a checker writes error[j] and code[j]: '{}' is missing", name));
  }
}

/// What was in such a tensor before the run is gone.
void reject_inout(const ReferenceDecl& checker, const std::vector<TensorDecl>& tensors) {
  for (const ArgumentDecl& argument : checker.launch.arguments)
    for (const ArgumentChoice& choice : argument.choices)
      if (const TensorDecl* tensor = tensor_named(tensors, choice.name); tensor && tensor->role == Role::inout)
        throw SpecError(argument.where, fmt::format("'{}' is inout: a checker sees inputs and outputs only; make it an "
                                                    "input and an output",
                                                    choice.name));
}

ReferenceDecl read_checker(const SpecTable& row, const Scope& scope, const std::vector<TensorDecl>& tensors) {
  ReferenceDecl checker;
  checker.checker = true;
  checker.tolerance.rule = "exact";  // no rounding is granted: its error says what is
  checker.output = row.identifier("output");
  checker.where = row.where("output");
  const TensorDecl* output = tensor_named(tensors, checker.output);
  if (output == nullptr)
    row.fail("output",
             fmt::format("no tensor is called '{}'{}", checker.output, suggestion(checker.output, scope.names())));
  if (output->role == Role::inout) row.fail("output", "a checker judges outputs, not inout tensors");
  Scope launch_scope = scope;
  launch_scope.know("count");
  checker.launch = read_launch(row, launch_scope, LaunchOf::checker);
  require_slots(row, checker);
  reject_inout(checker, tensors);
  checker.outputs_per_index = row.expression_or_empty("outputs_per_index");
  scope.check(checker.outputs_per_index);
  for (const auto& [text, where] : row.located_texts("codes")) checker.codes.push_back(text);
  if (checker.codes.empty()) row.fail("codes", "what each code means, from 0: codes = [\"not sorted\"]");
  return checker;
}

}  // namespace

std::vector<ReferenceDecl> read_checkers(const SpecTable& family, const Scope& scope,
                                         const std::vector<TensorDecl>& tensors) {
  std::vector<ReferenceDecl> checkers;
  for (const TomlValue& value : family.tables("checker")) {
    const SpecTable row = SpecTable::named(
        value, "checker",
        {"output", "kernel", "grid", "block", "shared", "arguments", "outputs_per_index", "codes", "doc"}, "output");
    checkers.push_back(read_checker(row, scope, tensors));
  }
  return checkers;
}

}  // namespace kerlab::spec
