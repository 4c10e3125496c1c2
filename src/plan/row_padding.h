#pragma once
// Gaps between the rows of tensors that a variant takes with a leading dimension.

#include <cstdint>
#include <string>
#include <string_view>

#include "plan/launch_plan.h"

namespace kerlab::plan {

/// Rows with it begin where an access as wide as any may still begin if those without could.
inline constexpr std::int64_t kRowPaddingStep = kLeastAlignment, kMostRowPadding = 4096;

struct RowPadding {
  std::int64_t bytes = 0;  ///< behind each row; 0: none
  /// They begin at the next multiple of kRowPaddingStep: each row begins at one, where widths are not.
  bool from_whole = false;

  [[nodiscard]] std::string text() const;  ///< "48", "whole+48"
  bool operator==(const RowPadding&) const = default;
};

/// Of its text. Throws UsageError: no such text, no multiple of kRowPaddingStep, more than kMostRowPadding.
RowPadding parse_row_padding(std::string_view text);
/// Throws UsageError, as parse_row_padding.
void require_valid(const RowPadding& padding);

}  // namespace kerlab::plan
