#pragma once
// Gaps between the rows of tensors that a variant takes with a leading dimension.

#include <cstdint>
#include <string>
#include <string_view>

#include "plan/launch_plan.h"

namespace kerlab::plan {

/// Rows with it begin where an access as wide as any may still begin if those without could.
inline constexpr std::int64_t kRowPaddingStep = kLeastAlignment;
/// Few rows are then beyond 2^32 elements; an emulated device keeps what of such gaps nobody writes to in no memory.
inline constexpr std::int64_t kMostRowPadding = std::int64_t{1} << 34;
/// Of wider gaps so much before the next row and behind the last one is guarded by a pattern.
inline constexpr std::int64_t kGuardedGap = 4096;

struct RowPadding {
  /// Of which tensors gaps begin at the next multiple of kRowPaddingStep: each row begins at one, where widths are
  /// none. Of the first with a leading dimension, of those behind it, or of all.
  enum class Whole : std::uint8_t { none, all, first, others };

  std::int64_t bytes = 0;  ///< behind each row; 0: none
  Whole whole = Whole::none;

  [[nodiscard]] bool is_whole(bool first) const {
    return whole == Whole::all || whole == (first ? Whole::first : Whole::others);
  }
  [[nodiscard]] std::string text() const;  ///< "48", "whole+48", "first-whole+48", "others-whole+48"
  bool operator==(const RowPadding&) const = default;
};

/// Of its text. Throws UsageError: no such text, no multiple of kRowPaddingStep, more than kMostRowPadding.
RowPadding parse_row_padding(std::string_view text);
/// Throws UsageError, as parse_row_padding.
void require_valid(const RowPadding& padding);

}  // namespace kerlab::plan
