#pragma once
// The bound that an output must keep: reference/measurement in numbers. See Tolerance in plan/problem_plan.h.

#include "plan/problem_plan.h"
#include "spec/spec.h"

namespace kerlab::spec {

/// Of a sum: n, and how many of its terms are added up before their sum goes to fp32 (fp8 only; 0: all of them).
struct SumLength {
  std::int64_t terms = 0;
  std::int64_t promoted_every = 0;
};

/// Error model (probabilistic rounding analysis, Ipsen and Zhou, arXiv 1906.10465): a sum of n products accumulated
/// with unit roundoff u errs by at most u (c1 sqrt(n) + c2 n) (|r| + 2 s). c2 covers tensor cores, which truncate; it
/// differs beside |r| and s. `reference_is_float` adds the reference's own error.
Tolerance make_tolerance(const ToleranceDecl& declared, const SumLength& length, DType problem_dtype,
                         DType output_dtype, bool reference_is_float);

}  // namespace kerlab::spec
