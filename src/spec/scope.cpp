#include "spec/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plan/device_facts.h"
#include "spec/parameter_value.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {
namespace {

constexpr std::array<std::string_view, 8> kKindNames = {"dimension", "flag",      "scalar",    "derived value",
                                                        "tensor",    "parameter", "workspace", "tensor map"};
constexpr std::array<std::string_view, 10> kReserved = {"i",     "count",  "index", "value",       "scale",
                                                        "dtype", "device", "DTYPE", "DTYPE_BYTES", "ACC"};

bool is_reserved(const std::string& name) {
  const auto& functions = function_names();
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end() ||
         std::find(functions.begin(), functions.end(), name) != functions.end();
}

/// Depth-first search that appends a value after those it uses.
class DerivedSorter {
 public:
  explicit DerivedSorter(const std::vector<Derived>& derived) : derived_(derived), state_(derived.size()) {}

  std::vector<Derived> sorted() {
    for (std::size_t i = 0; i < derived_.size(); ++i) visit(i);
    return std::move(result_);
  }

 private:
  enum class State : std::uint8_t { untouched, open, done };

  void visit(std::size_t index) {
    if (state_[index] == State::done) return;
    path_.push_back(derived_[index].name);
    if (state_[index] == State::open) {
      const auto start = std::find(path_.begin(), path_.end(), path_.back());
      throw SpecError(derived_[index].where,
                      fmt::format("cycle: {}", fmt::join(std::vector<std::string>(start, path_.end()), " -> ")));
    }
    state_[index] = State::open;
    for (std::size_t other = 0; other < derived_.size(); ++other)
      if (derived_[index].value.uses(derived_[other].name)) visit(other);
    state_[index] = State::done;
    path_.pop_back();
    result_.push_back(derived_[index]);
  }

  const std::vector<Derived>& derived_;
  std::vector<State> state_;
  std::vector<std::string> path_;
  std::vector<Derived> result_;
};

}  // namespace

void Scope::declare(NameKind kind, const std::string& name, const SourceLocation& where) {
  const std::string_view what = kKindNames.at(static_cast<std::size_t>(kind));
  if (is_reserved(name)) throw SpecError(where, fmt::format("the name '{}' is reserved", name));
  const auto [entry, added] = declared_.try_emplace(name, Entry{kind, where});
  if (!added)
    throw SpecError(
        where, fmt::format("{} '{}' has the name of the {} at {}", what, name,
                           kKindNames.at(static_cast<std::size_t>(entry->second.kind)), entry->second.where.text()));
  if (kind == NameKind::dimension || kind == NameKind::derived || kind == NameKind::parameter) know(name);
}

void Scope::declare_parameter(const Parameter& parameter) {
  declare(NameKind::parameter, parameter.name, parameter.where);
  if (!is_named(parameter)) return;
  words_[parameter.name] = parameter.words;
  std::erase(known_, parameter.name);
}

const std::vector<std::string>* Scope::words(std::string_view name) const {
  const auto found = words_.find(name);
  return found == words_.end() ? nullptr : &found->second;
}

void Scope::know(const std::string& name) {
  const auto place = std::lower_bound(known_.begin(), known_.end(), name);
  if (place == known_.end() || *place != name) known_.insert(place, name);
}

void Scope::check(const Expression& expression) const {
  for (const std::string& name : expression.names()) {
    if (knows(name)) continue;
    const NameKind* kind = find(name);
    std::string hint = suggestion(name, known_);
    if (kind != nullptr)
      hint = fmt::format(": a {} has no integer value", kKindNames.at(static_cast<std::size_t>(*kind)));
    if (const auto* named = words(name))
      hint = fmt::format(": a parameter of names has no integer value; {}.{} has", name, named->front());
    if (name == kActiveClusters)
      hint = fmt::format(": it is a function of the blocks of a cluster: {}(4)", kActiveClusters);
    if (name.starts_with("pitch."))
      hint = fmt::format(": launches and tensor maps have it where the variant says pitch = [\"{}\"]", name.substr(6));
    if (kind != nullptr && *kind == NameKind::scalar)
      hint += fmt::format("; {0}.zero, {0}.one, {0}.unit and {0}.whole have", name);
    throw SpecError(expression.where_of(name), fmt::format("unknown name '{}'{}", name, hint));
  }
}

void Scope::check(const std::vector<Expression>& expressions) const {
  for (const Expression& expression : expressions) check(expression);
}

const NameKind* Scope::find(std::string_view name) const {
  const auto entry = declared_.find(name);
  return entry == declared_.end() ? nullptr : &entry->second.kind;
}

bool Scope::knows(std::string_view name) const {
  return std::binary_search(known_.begin(), known_.end(), name);
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> result = known_;
  for (const auto& [name, entry] : declared_) result.push_back(name);
  return result;
}

Scope family_scope(const Family& family) {
  Scope scope;
  for (const Dimension& dimension : family.dimensions)
    scope.declare(NameKind::dimension, dimension.name, dimension.where);
  for (const Flag& flag : family.flags) {
    scope.declare(NameKind::flag, flag.name, flag.where);
    for (const std::string& value : flag.values) scope.know(flag.name + "." + value);
  }
  for (const ScalarDecl& scalar : family.scalars) {
    scope.declare(NameKind::scalar, scalar.name, scalar.where);
    for (const char* property : {".zero", ".one", ".unit", ".whole"}) scope.know(scalar.name + property);
  }
  scope.know("dtype.bytes");
  scope.know("dtype.bits");
  for (const std::string& dtype : dtype_names()) scope.know("dtype." + dtype);
  for (const Derived& derived : family.derived) scope.declare(NameKind::derived, derived.name, derived.where);
  for (const TensorDecl& tensor : family.tensors) scope.declare(NameKind::tensor, tensor.name, tensor.where);
  return scope;
}

void sort_derived(std::vector<Derived>& derived) {
  derived = DerivedSorter(derived).sorted();
}

}  // namespace kerlab::spec
