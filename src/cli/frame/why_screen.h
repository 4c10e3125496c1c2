#pragma once
// Why a tune's winner is the winner, and what stands in its way: a line each.

#include "report/form/json.h"
#include "session/tune/tune.h"

namespace kerlab::cli {

/// "gemm_sm90 wins; gemm_sm80 ties; persistent is 3.1 % slower, mma_sync 140 %": nothing where there is one variant.
std::string variants_text(const std::vector<VariantOutcome>& variants);
/// "compiled in 162 ms (median; mean 171) a configuration": by variant, where there are several.
std::string compile_text(const std::vector<VariantOutcome>& variants);
/// "compute-bound: ...; try ...": of a GEMM; and how far the winner is from the roof and from the library.
std::string limit_text(const TuneResult& result);
/// "not for this problem: gemm_sm90_splitk (needs few tiles), gemv (M > 16)"; as many reasons as one line of
/// `width` columns holds (0: all), and how many variants more. Empty where nobody was left out.
std::string left_out_text(const std::vector<LeftOut>& left_out, int width);
/// One object for each variant.
JsonValue variants_value(const std::vector<VariantOutcome>& variants);

}  // namespace kerlab::cli
