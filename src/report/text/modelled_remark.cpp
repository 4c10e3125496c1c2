#include "report/text/modelled_remark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/format.h"

namespace kerlab::report {
namespace {

/// Of a recorded sweep: model over measured less 1, in per cent, that 10 and 90 % of the configurations stay below.
struct Compared {
  std::string_view family, dtype;
  int low, high, configurations;
  bool held_out;
};

// An H200 and model-4: `kerlab model` (sweep by sweep: time_model.h).
constexpr std::array kCompared = {
    Compared{"gemm", "fp32", -11, 28, 184, true},   Compared{"gemm", "bf16", -46, 17, 328, true},
    Compared{"reduce", "fp32", 3, 21, 32, true},    Compared{"reduce", "bf16", -9, 44, 32, true},
    Compared{"softmax", "fp32", -33, 16, 56, true}, Compared{"softmax", "bf16", -32, 25, 104, true},
};

/// Steps of one parameter in recorded sweeps that nothing was fitted to: modelled over measured ratio less 1, in per
/// cent; of those by which the measured time changed by 5 % and more, how many the model has in the correct direction.
struct ComparedSteps {
  std::string_view family, dtype;
  int steps, low, high, clear, right;
};

// An H200 and model-4: `kerlab model gemm --steps 5`, `kerlab model reduce softmax --steps 24`.
constexpr std::array kSteps = {
    ComparedSteps{"gemm", "fp32", 174, -7, 12, 104, 91},     ComparedSteps{"gemm", "bf16", 388, -13, 18, 225, 87},
    ComparedSteps{"reduce", "fp32", 142, -9, 10, 90, 91},    ComparedSteps{"reduce", "bf16", 144, -9, 12, 102, 93},
    ComparedSteps{"softmax", "fp32", 155, -18, 17, 141, 94}, ComparedSteps{"softmax", "bf16", 254, -12, 18, 210, 90},
};

const Compared* compared_with(std::string_view family, std::string_view dtype) {
  const auto known = [&](const Compared& c) { return c.family == family && c.dtype == dtype; };
  const auto at = std::find_if(kCompared.begin(), kCompared.end(), known);
  return at == kCompared.end() ? nullptr : &*at;
}

std::string basis_of(const Compared& compared) {
  return fmt::format("{} {}, {} configurations on an H200, {}", compared.family, compared.dtype,
                     compared.configurations, compared.held_out ? "held out" : "those that the model was fitted to");
}

}  // namespace

std::string modelled_remark(std::string_view family, std::string_view dtype) {
  const Compared* const at = compared_with(family, dtype);
  if (at == nullptr)
    return fmt::format("modelled, not measured; never compared with measurements of {} {}", family, dtype);
  return fmt::format("modelled, not measured; 80 % prediction interval {:+} % to {:+} % ({})", at->low, at->high,
                     basis_of(*at));
}

std::string modelled_time_text(double us, std::string_view family, std::string_view dtype) {
  const Compared* const at = compared_with(family, dtype);
  if (at == nullptr) return fmt::format("{} us {}", format_us(us), modelled_remark(family, dtype));
  return fmt::format("{} us modelled, not measured; 80 % prediction interval {} to {} us ({})", format_us(us),
                     format_us(us / (1 + at->high / 100.0)), format_us(us / (1 + at->low / 100.0)), basis_of(*at));
}

std::string modelled_step_remark(std::string_view family, std::string_view dtype) {
  const auto known = [&](const ComparedSteps& c) { return c.family == family && c.dtype == dtype; };
  const auto at = std::find_if(kSteps.begin(), kSteps.end(), known);
  if (at == kSteps.end())
    return fmt::format("modelled ratios of {} {} were never compared with measured ones", family, dtype);
  return fmt::format(
      "modelled ratios: 80 % prediction interval {:+} % to {:+} % ({} {}, {} such steps on an H200, held out); of the "
      "{} that changed the time by 5 % and more the model had {} % in the correct direction",
      at->low, at->high, family, dtype, at->steps, at->clear, at->right);
}

}  // namespace kerlab::report
