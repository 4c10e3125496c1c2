#include "session/covering.h"

#include <fmt/format.h>

#include <algorithm>

namespace kerlab::testing {

namespace {

using Flags = std::map<std::string, std::string>;

// Of as many configurations the best are taken: a greedy choice among 20,000 needs hardly more than one among all.
constexpr SpaceLimits kLimits = {20'000, 20'000, 1};

std::vector<Flags> flag_choices(const Family& family) {
  std::vector<Flags> choices = {{}};
  for (const Flag& flag : family.flags) {
    if (flag.quiet) continue;
    std::vector<Flags> more;
    for (const Flags& known : choices)
      for (const std::string& value : flag.values) {
        more.push_back(known);
        more.back()[flag.name] = value;
      }
    choices = std::move(more);
  }
  return choices;
}

/// Extents for the dimensions that are always said; the last of the family's is often the one that is summed over.
std::vector<std::vector<std::int64_t>> shapes(std::size_t dimensions) {
  if (dimensions == 1) return {{1003}, {100'000}};
  // Whole 16 bytes in every dtype; nothing whole; few rows of many columns, one, few columns; sums that are worth
  // splitting, a little and a lot; more tiles than multiprocessors.
  const std::vector<std::vector<std::int64_t>> three = {{208, 144, 272}, {131, 67, 149},  {7, 1072, 272},
                                                        {1, 1072, 272},  {272, 7, 144},   {208, 272, 1040},
                                                        {80, 80, 16912}, {1616, 1552, 80}};
  std::vector<std::vector<std::int64_t>> all;
  for (std::vector<std::int64_t> shape : three) {
    shape.resize(dimensions, 3);
    all.push_back(std::move(shape));
  }
  return all;
}

void add(const Family& family, const ProblemRequest& request, std::vector<Problem>& problems) {
  try {
    problems.push_back(make_problem(family, request));
  } catch (const Error&) {  // a constraint of the family: there is no such problem
  }
}

/// How many of `wanted` the configuration takes.
std::size_t taken(const Configuration& configuration, const std::set<Value>& wanted) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < configuration.values.size(); ++p) count += wanted.count({p, configuration.values[p]});
  return count;
}

void take(const Configuration& configuration, std::set<Value>& wanted, std::vector<Configuration>& chosen) {
  for (std::size_t p = 0; p < configuration.values.size(); ++p) wanted.erase({p, configuration.values[p]});
  chosen.push_back(configuration);
}

/// The one that takes the most; none takes any: nothing.
const Configuration* best(const std::vector<Configuration>& valid, const std::set<Value>& wanted,
                          const std::set<Configuration>& banned) {
  const Configuration* chosen = nullptr;
  std::size_t most = 0;
  for (const Configuration& configuration : valid) {
    const std::size_t count = taken(configuration, wanted);
    if (count <= most || banned.contains(configuration)) continue;
    most = count;
    chosen = &configuration;
  }
  return chosen;
}

std::vector<Configuration> valid_ones(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  try {
    return enumerate(variant, problem, device, kLimits).valid;
  } catch (const SpecError&) {
    return {};  // a constraint leaves nothing
  }
}

}  // namespace

std::set<Value> all_values(const Variant& variant) {
  std::set<Value> values;
  for (std::size_t p = 0; p < variant.parameters.size(); ++p)
    for (const std::int64_t value : variant.parameters[p].values) values.insert({p, value});
  return values;
}

std::string values_text(const Variant& variant, const std::set<Value>& values) {
  std::string text;
  for (const auto& [parameter, value] : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", variant.parameters[parameter].name, value);
  return text;
}

std::vector<Problem> small_problems(const Family& family) {
  std::vector<std::string> said;
  for (const Dimension& dimension : family.dimensions)
    if (!dimension.quiet) said.push_back(dimension.name);
  std::vector<Problem> problems;
  std::vector<ProblemRequest> plain;
  for (const std::vector<std::int64_t>& shape : shapes(said.size()))
    for (const DType dtype : family.dtypes)
      for (const Flags& flags : flag_choices(family)) {
        ProblemRequest request;
        request.dtype = name(dtype);
        request.flags = flags;
        for (std::size_t d = 0; d < said.size(); ++d) request.dimensions[said[d]] = shape[d];
        add(family, request, problems);
        if (shape == shapes(said.size()).front()) plain.push_back(std::move(request));
      }
  for (const ProblemRequest& request : plain) {
    for (const Flag& flag : family.flags)
      for (const std::string& value : flag.values) {
        if (!flag.quiet) continue;
        ProblemRequest other = request;
        other.flags[flag.name] = value;
        add(family, other, problems);
      }
    for (const Dimension& dimension : family.dimensions) {
      if (!dimension.quiet) continue;
      ProblemRequest other = request;
      other.dimensions[dimension.name] = 3;
      add(family, other, problems);
    }
  }
  return problems;
}

std::vector<Configuration> cover(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                 std::set<Value>& wanted, const std::set<Configuration>& banned) {
  std::vector<Configuration> chosen;
  if (wanted.empty() || !unsupported_reason(variant, problem, device).empty()) return chosen;
  const std::vector<Configuration> valid = valid_ones(variant, problem, device);
  while (const Configuration* next = best(valid, wanted, banned)) take(*next, wanted, chosen);
  if (valid.size() < kLimits.sampled) return chosen;
  // Of a sampled space rare values may be missing: those are asked for one by one.
  for (const Value& value : std::set<Value>(wanted)) {
    if (!wanted.contains(value)) continue;
    Variant narrowed = variant;
    narrowed.parameters[value.first].values = {value.second};
    const std::vector<Configuration> some = valid_ones(narrowed, problem, device);
    if (const Configuration* next = best(some, wanted, banned)) take(*next, wanted, chosen);
  }
  return chosen;
}

}  // namespace kerlab::testing
