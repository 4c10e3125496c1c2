#pragma once
// What of a kernel may be another number: parameters of its template, named numbers of the file, tuned names of a
// pragma.

#include <optional>
#include <string>
#include <vector>

#include "session/adopt/draft.h"

namespace kerlab::session {

struct Knobs {
  std::vector<DraftParameter> parameters;
  std::vector<std::string> instance;  ///< of the template, as a spec writes it: {DTYPE}, {TILE}
  std::string type;                   ///< the template's type; empty: none
  DType dtype = DType::fp32;          ///< that the host gives it
};

/// Throws SpecError for a template that kerlab cannot instantiate.
Knobs knobs_of(const CudaFile& file, const CudaKernel& kernel, const HostValues& host,
               const std::optional<LaunchSite>& site);

/// `const int tile = 32; k<<<grid, tile>>>(x, n, tile)`: what a kernel is passed may be a knob too. It is a constant of
/// the host that decides block or shared memory and sizes no buffer; the host passes other integers, so that a size is
/// left.
std::optional<DraftParameter> passed_knob(const CudaKernel& kernel, const HostValues& host,
                                          const std::optional<LaunchSite>& site, const std::string& argument);

/// What is a number already, whatever the spec's dimensions are.
std::optional<std::int64_t> number_of(const SpecWords& words, const CudaTokens& tokens);

}  // namespace kerlab::session
