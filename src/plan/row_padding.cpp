#include "plan/row_padding.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"

namespace kerlab::plan {
namespace {

constexpr std::string_view kFromWhole = "whole+";

}  // namespace

std::string RowPadding::text() const {
  return fmt::format("{}{}", from_whole ? kFromWhole : "", bytes);
}

void require_valid(const RowPadding& padding) {
  if (padding.from_whole && padding.bytes == 0)
    throw UsageError(fmt::format("--row-padding {}: a gap of at least {} bytes is needed behind what is rounded up",
                                 padding.text(), kRowPaddingStep));
  if (padding.bytes < 0 || padding.bytes > kMostRowPadding || padding.bytes % kRowPaddingStep != 0)
    throw UsageError(fmt::format("--row-padding {}: a multiple of {} bytes is needed, at most {}", padding.text(),
                                 kRowPaddingStep, kMostRowPadding));
}

RowPadding parse_row_padding(std::string_view text) {
  RowPadding padding;
  padding.from_whole = text.starts_with(kFromWhole);
  const std::string_view number = text.substr(padding.from_whole ? kFromWhole.size() : 0);
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), padding.bytes);
  if (error != std::errc{} || stop != number.data() + number.size())
    throw UsageError(fmt::format("--row-padding {}: bytes are wanted, as in 48 or whole+48", text));
  require_valid(padding);
  return padding;
}

}  // namespace kerlab::plan
