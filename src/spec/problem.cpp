#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "spec/spec.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {
namespace {

constexpr std::int64_t kMaximumTensorBytes = std::int64_t{1} << 62;
constexpr std::int64_t kMostParts = 1 << 20;  // each offset is computed from the weights of all parts
constexpr std::int64_t kMostThings = 0x7FFFFFFF;
constexpr std::int64_t kLargestInteger = std::int64_t{1} << 53;  // values are compared and shown as doubles

template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& list) {
  std::vector<std::string> names;
  for (const Named& item : list) names.push_back(item.name);
  return names;
}

/// Every key of `typed` must be among `known`.
template <typename Value>
void check_known(const Family& family, std::string_view kind, const std::map<std::string, Value>& typed,
                 const std::vector<std::string>& known) {
  for (const auto& [name, value] : typed) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw UsageError(fmt::format(
        "{} has no {} '{}'{} ({})", family.name, kind, name, suggestion(name, known),
        known.empty() ? fmt::format("it has no {}s", kind) : fmt::format("it has {}", fmt::join(known, ", "))));
  }
}

DType resolve_dtype(const Family& family, const std::string& typed) {
  if (typed.empty()) return family.dtypes.front();
  std::vector<std::string> offered;
  for (const DType dtype : family.dtypes) offered.emplace_back(name(dtype));
  const auto dtype = parse_dtype(typed);
  if (!dtype) {
    const std::string near = suggestion(typed, offered);
    throw UsageError(fmt::format("unknown dtype '{}'{} ({} has {})", typed,
                                 near.empty() ? suggestion(typed, dtype_names()) : near, family.name,
                                 fmt::join(offered, ", ")));
  }
  if (std::find(family.dtypes.begin(), family.dtypes.end(), *dtype) == family.dtypes.end())
    throw Error(fmt::format("{} has no {} (it has {})", family.name, typed, fmt::join(offered, ", ")),
                ExitCode::inconclusive);
  return *dtype;
}

void resolve_dimensions(const Family& family, const ProblemRequest& request, Problem& problem) {
  for (const Dimension& dimension : family.dimensions) {
    const auto typed = request.dimensions.find(dimension.name);
    const std::int64_t value =
        typed != request.dimensions.end() ? typed->second : dimension.default_value.evaluate(problem.environment);
    if (value < dimension.minimum || value > dimension.maximum)
      throw UsageError(fmt::format("{}: {} = {} is outside {}..{}", family.name, dimension.name, value,
                                   dimension.minimum, dimension.maximum));
    if (dimension.quiet) problem.quiet.insert(dimension.name);
    if (dimension.quiet && value == dimension.default_value.evaluate(problem.environment))
      problem.unsaid.insert(dimension.name);
    problem.dimensions.emplace_back(dimension.name, value);
    problem.environment[dimension.name] = value;
  }
}

void resolve_flags(const Family& family, const ProblemRequest& request, Problem& problem) {
  for (const Flag& flag : family.flags) {
    const auto typed = request.flags.find(flag.name);
    const std::string& chosen = typed != request.flags.end() ? typed->second : flag.default_value;
    if (std::find(flag.values.begin(), flag.values.end(), chosen) == flag.values.end())
      throw UsageError(fmt::format("{}: {} = '{}' is not one of {}{}", family.name, flag.name, chosen,
                                   fmt::join(flag.values, ", "), suggestion(chosen, flag.values)));
    if (flag.quiet) problem.quiet.insert(flag.name);
    if (flag.quiet && chosen == flag.default_value) problem.unsaid.insert(flag.name);
    problem.flags.emplace_back(flag.name, chosen);
    for (const std::string& value : flag.values) problem.environment[flag.name + "." + value] = value == chosen ? 1 : 0;
  }
}

void resolve_scalars(const Family& family, const ProblemRequest& request, Problem& problem) {
  for (const ScalarDecl& scalar : family.scalars) {
    const auto typed = request.scalars.find(scalar.name);
    const double value = typed != request.scalars.end() ? typed->second : scalar.default_value;
    if (!std::isfinite(value) || (scalar.dtype == DType::fp32 && std::abs(value) > std::numeric_limits<float>::max()))
      throw UsageError(
          fmt::format("{}: {} = {} is not a finite {}", family.name, scalar.name, value, name(scalar.dtype)));
    if (scalar.quiet) problem.quiet.insert(scalar.name);
    if (scalar.quiet && value == scalar.default_value) problem.unsaid.insert(scalar.name);
    problem.scalars.emplace_back(scalar.name, value);
    problem.environment[scalar.name + ".zero"] = value == 0.0 ? 1 : 0;
    problem.environment[scalar.name + ".one"] = value == 1.0 ? 1 : 0;
    problem.environment[scalar.name + ".unit"] = value == 0.0 || std::abs(value) == 1.0 ? 1 : 0;
    problem.environment[scalar.name + ".whole"] = value == std::trunc(value) ? 1 : 0;
  }
}

void add_dtype(Environment& environment, DType dtype) {
  environment["dtype.bytes"] = info(dtype).bytes;
  environment["dtype.bits"] = 8 * info(dtype).bytes / info(dtype).per_byte;
  for (const std::string& other : dtype_names()) environment["dtype." + other] = other == name(dtype) ? 1 : 0;
}

void check_constraints(const Family& family, const Problem& problem) {
  for (const Constraint& constraint : family.constraints)
    if (constraint.condition.evaluate(problem.environment) == 0)
      throw UsageError(fmt::format("{}: {} needs {} ({})", problem.title(), family.name, constraint.condition.text(),
                                   constraint.doc.empty() ? constraint.name : constraint.doc));
}

/// The extents of a tensor; throws UsageError when it has more than 2^62 bytes, or rows that end within one.
std::vector<std::int64_t> shape_of(const TensorDecl& tensor, const Problem& problem) {
  std::vector<std::int64_t> shape;
  std::int64_t bytes = info(tensor.dtype.of(problem)).bytes;
  for (const Expression& extent : tensor.shape) {
    const std::int64_t value = extent.evaluate(problem.environment);
    if (value < 0)
      throw SpecError(extent.where(), fmt::format("extent {} of tensor '{}' is negative", value, tensor.name));
    if (__builtin_mul_overflow(bytes, value, &bytes) || bytes > kMaximumTensorBytes)
      throw UsageError(fmt::format("{}: tensor {} would have more than 2^62 bytes", problem.title(), tensor.name));
    shape.push_back(value);
  }
  if (const DType dtype = tensor.dtype.of(problem); is_packed(dtype) && shape.back() % info(dtype).per_byte != 0)
    throw UsageError(
        fmt::format("{}: a row of tensor {} has {} elements of {}, two to a byte: it must be even "
                    "(a constraint of the family says which problems have such rows)",
                    problem.title(), tensor.name, shape.back(), name(dtype)));
  return shape;
}

/// Of how many things it holds the offsets of parts; none: it holds numbers. Throws UsageError where it can hold none.
std::optional<std::int64_t> partition_of(const TensorDecl& tensor, const Problem& problem) {
  if (tensor.partition.empty()) return std::nullopt;
  const Tensor parts{tensor.name, tensor.dtype.of(problem), tensor.role, shape_of(tensor, problem)};
  const std::int64_t things = tensor.partition.evaluate(problem.environment);
  if (parts.elements() < 2 || parts.elements() > kMostParts + 1 || things < 0 || things > kMostThings)
    throw UsageError(fmt::format("{}: tensor {} cannot part {} things into {}: 1 to {} parts, at most {} things",
                                 problem.title(), tensor.name, things, parts.elements() - 1, kMostParts, kMostThings));
  return things;
}

/// Largest and least integers that a range may have in a tensor of this type.
std::pair<std::int64_t, std::int64_t> integers_of(DType dtype) {
  switch (dtype) {
    case DType::int8:
      return {-0x80, 0x7F};
    case DType::uint8:
      return {0, 0xFF};
    case DType::int16:
      return {-0x8000, 0x7FFF};
    case DType::uint16:
      return {0, 0xFFFF};
    case DType::int32:
      return {-kMostThings - 1, kMostThings};
    case DType::uint32:
      return {0, 0xFFFFFFFF};
    case DType::uint64:
      return {0, kLargestInteger};
    default:
      return {-kLargestInteger, kLargestInteger};
  }
}

/// A row has at most as many elements as there are integers, and places in it fit 31 bits.
void check_distinct(const TensorDecl& tensor, const Problem& problem, const IntegerRange& range) {
  const std::int64_t length = shape_of(tensor, problem).back();
  if (length > kMostThings)
    throw SpecError(tensor.range[1].where(),
                    fmt::format("tensor '{}' wants {} distinct integers in a row: {} are the most", tensor.name, length,
                                kMostThings));
  if (length > range.end - range.least)
    throw SpecError(tensor.range[1].where(),
                    fmt::format("tensor '{}' wants {} distinct integers of {}: a constraint of the family "
                                "says which problems have enough",
                                tensor.name, length, range.end - range.least));
}

/// The parts that are its rows hold as many things as it has elements.
void check_parts(const Family& family, const TensorDecl& tensor, const Problem& problem) {
  const TensorDecl& offsets = *std::ranges::find(family.tensors, tensor.rows, &TensorDecl::name);
  const std::int64_t things = offsets.partition.evaluate(problem.environment), elements = shape_of(tensor, problem)[0];
  if (things != elements)
    throw SpecError(tensor.where, fmt::format("tensor '{}' has {} elements, but '{}' parts {} things", tensor.name,
                                              elements, offsets.name, things));
}

/// The integers that it holds; empty: numbers. Throws SpecError where there are none, or its type has not all of them.
IntegerRange range_of(const Family& family, const TensorDecl& tensor, const Problem& problem) {
  IntegerRange range;
  if (tensor.range.empty()) return range;
  const auto [lowest, highest] = integers_of(tensor.dtype.of(problem));
  range.least = tensor.range[0].evaluate(problem.environment);
  range.end = tensor.range[1].evaluate(problem.environment);
  if (range.end <= range.least)
    throw SpecError(tensor.range[1].where(), fmt::format("tensor '{}' has no integer from {} up to below {}",
                                                         tensor.name, range.least, range.end));
  if (range.least < lowest || range.end - 1 > highest)
    throw SpecError(tensor.range[1].where(), fmt::format("tensor '{}' cannot hold integers from {} up to {}: {} to {}",
                                                         tensor.name, range.least, range.end - 1, lowest, highest));
  range.order = tensor.order;
  range.rows = tensor.rows;
  if (tensor.order == IntegerOrder::distinct) check_distinct(tensor, problem, range);
  if (!tensor.rows.empty()) check_parts(family, tensor, problem);
  for (const Expression& ignored : tensor.ignored) {
    range.ignored.push_back(ignored.evaluate(problem.environment));
    if (range.ignored.back() < lowest || range.ignored.back() > highest)
      throw SpecError(ignored.where(), fmt::format("tensor '{}' cannot hold {}", tensor.name, range.ignored.back()));
    if (range.order == IntegerOrder::distinct && range.ignored.back() >= range.least &&
        range.ignored.back() < range.end)
      throw SpecError(ignored.where(), fmt::format("tensor '{}' holds distinct integers: {} is ignored, and must lie "
                                                   "outside the range {} to {}",
                                                   tensor.name, range.ignored.back(), range.least, range.end - 1));
  }
  return range;
}

/// Those that were asked for, else those of the family.
std::vector<std::string> resolve_hot_inputs(const Family& family, const ProblemRequest& request) {
  std::vector<std::string> inputs, hot;
  for (const TensorDecl& tensor : family.tensors) {
    if (tensor.role != Role::input) continue;
    inputs.push_back(tensor.name);
    const bool asked = request.inputs_hot && std::ranges::count(*request.inputs_hot, tensor.name) > 0;
    if (request.inputs_hot ? asked : tensor.hot) hot.push_back(tensor.name);
  }
  for (const std::string& name : request.inputs_hot.value_or(std::vector<std::string>{}))
    if (std::ranges::count(inputs, name) == 0)
      throw UsageError(
          fmt::format("--inputs-hot {}: {} has the inputs {}, or none", name, family.name, fmt::join(inputs, ", ")));
  return hot;
}

double cost(const Family& family, const Expression& formula, const Problem& problem) {
  const std::int64_t value = formula.evaluate(problem.environment);
  if (value < 0) throw SpecError(formula.where(), fmt::format("the cost of {} is negative: {}", family.name, value));
  return static_cast<double>(value);
}

}  // namespace

std::string Problem::key() const {
  std::string key = family;
  for (const auto& [name, value] : dimensions)
    if (!unsaid.contains(name)) key += fmt::format(" {}={}", name, value);
  key += fmt::format(" {}", plan::name(dtype));
  for (const auto& [name, value] : flags)
    if (!unsaid.contains(name)) key += fmt::format(" {}={}", name, value);
  for (const auto& [name, value] : scalars)
    if (!unsaid.contains(name)) key += fmt::format(" {}={}", name, value);
  if (row_padding.bytes > 0) key += " row-padding=" + row_padding.text();
  if (!inputs_hot.empty()) key += fmt::format(" inputs-hot={}", fmt::join(inputs_hot, ","));
  return key;
}

std::string Problem::title() const {
  std::vector<std::int64_t> extents;
  for (const auto& [name, value] : dimensions)
    if (!quiet.contains(name)) extents.push_back(value);
  std::string title = fmt::format("{} {} {}", family, fmt::join(extents, "x"), plan::name(dtype));
  for (const auto& [name, value] : flags)
    if (!quiet.contains(name)) title += " " + value;
  for (const auto& [name, value] : dimensions)
    if (quiet.contains(name) && !unsaid.contains(name)) title += fmt::format(" {}={}", name, value);
  for (const auto& [name, value] : flags)
    if (quiet.contains(name) && !unsaid.contains(name)) title += fmt::format(" {}={}", name, value);
  for (const auto& [name, value] : scalars)
    if (quiet.contains(name) && !unsaid.contains(name)) title += fmt::format(" {}={}", name, value);
  if (row_padding.bytes > 0) title += " row-padding=" + row_padding.text();
  if (!inputs_hot.empty()) title += fmt::format(" inputs-hot={}", fmt::join(inputs_hot, ","));
  return title;
}

Problem make_problem(const Family& family, const ProblemRequest& request) {
  check_known(family, "dimension", request.dimensions, names_of(family.dimensions));
  check_known(family, "flag", request.flags, names_of(family.flags));
  check_known(family, "scalar", request.scalars, names_of(family.scalars));
  Problem problem;
  problem.family = family.name;
  problem.dtype = resolve_dtype(family, request.dtype);
  add_dtype(problem.environment, problem.dtype);
  resolve_dimensions(family, request, problem);
  resolve_flags(family, request, problem);
  resolve_scalars(family, request, problem);
  problem.row_padding = request.row_padding;
  require_valid(request.row_padding);
  problem.inputs_hot = resolve_hot_inputs(family, request);
  try {
    for (const Derived& derived : family.derived)
      problem.environment[derived.name] = derived.value.evaluate(problem.environment);
    check_constraints(family, problem);
    for (const TensorDecl& tensor : family.tensors) {
      (void)shape_of(tensor, problem);
      (void)partition_of(tensor, problem);
      (void)range_of(family, tensor, problem);
    }
    (void)flops_of(family, problem);
    (void)bytes_of(family, problem);
  } catch (const SpecError& error) {
    // With nothing typed the spec itself is wrong; otherwise what was typed is more than it can express.
    if (request.dimensions.empty()) throw;
    throw UsageError(fmt::format("{}: {}", problem.title(), error.what()));
  }
  return problem;
}

std::vector<Tensor> tensors_of(const Family& family, const Problem& problem) {
  std::vector<Tensor> tensors;
  for (const TensorDecl& tensor : family.tensors) {
    const bool unread = !tensor.unread.empty() && tensor.unread.evaluate(problem.environment) != 0;
    Tensor made{tensor.name,
                tensor.dtype.of(problem),
                tensor.role,
                shape_of(tensor, problem),
                partition_of(tensor, problem),
                unread,
                range_of(family, tensor, problem)};
    if (made.dtype == DType::complex64) {
      made.dtype = DType::fp32;
      made.shape.back() *= 2;
      made.complex = true;
    }
    made.hot = std::ranges::count(problem.inputs_hot, tensor.name) > 0;
    made.tied = !tensor.of.empty() || std::ranges::any_of(family.tensors, [&](const TensorDecl& other) {
      return std::ranges::count(other.of, tensor.name) > 0;
    });
    tensors.push_back(std::move(made));
  }
  return tensors;
}

double flops_of(const Family& family, const Problem& problem) {
  return cost(family, family.flops, problem);
}
double bytes_of(const Family& family, const Problem& problem) {
  return cost(family, family.bytes, problem);
}

}  // namespace kerlab::spec
