#include "spec/request_of.h"

namespace kerlab::spec {

ProblemRequest request_of(const Problem& problem) {
  ProblemRequest request;
  request.dtype = name(problem.dtype);
  request.dimensions = {problem.dimensions.begin(), problem.dimensions.end()};
  request.flags = {problem.flags.begin(), problem.flags.end()};
  request.scalars = {problem.scalars.begin(), problem.scalars.end()};
  request.row_padding = problem.row_padding;
  request.inputs_hot = problem.inputs_hot;
  return request;
}

}  // namespace kerlab::spec
