#include "session/covering.h"

namespace kerlab::testing {

namespace {

using Flags = std::map<std::string, std::string>;

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
  if (dimensions > 3) {  // where the last one has to be whole 16 bytes
    std::vector<std::int64_t> shape = {208, 144, 5};
    shape.resize(dimensions, 64);
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

}  // namespace

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

}  // namespace kerlab::testing
