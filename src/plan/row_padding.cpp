#include "plan/row_padding.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"

namespace kerlab::plan {
namespace {

constexpr std::string_view kWhole[] = {"", "whole+", "first-whole+", "others-whole+"};  // by RowPadding::Whole

std::string_view text_of(RowPadding::Whole whole) {
  return kWhole[static_cast<std::size_t>(whole)];
}

}  // namespace

std::string RowPadding::text() const {
  return fmt::format("{}{}", text_of(whole), bytes);
}

void require_valid(const RowPadding& padding) {
  if (padding.whole != RowPadding::Whole::none && padding.bytes == 0)
    throw UsageError(fmt::format("--row-padding {}: a gap of at least {} bytes is needed behind what is rounded up",
                                 padding.text(), kRowPaddingStep));
  if (padding.bytes < 0 || padding.bytes > kMostRowPadding || padding.bytes % kRowPaddingStep != 0)
    throw UsageError(fmt::format("--row-padding {}: a multiple of {} bytes is needed, at most {}", padding.text(),
                                 kRowPaddingStep, kMostRowPadding));
}

RowPadding parse_row_padding(std::string_view text) {
  RowPadding padding;
  for (const auto whole : {RowPadding::Whole::all, RowPadding::Whole::first, RowPadding::Whole::others})
    if (text.starts_with(text_of(whole))) padding.whole = whole;
  const std::string_view number = text.substr(text_of(padding.whole).size());
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), padding.bytes);
  if (error != std::errc{} || stop != number.data() + number.size())
    throw UsageError(
        fmt::format("--row-padding {}: bytes are wanted, as in 48, whole+48, first-whole+48 or others-whole+48", text));
  require_valid(padding);
  return padding;
}

}  // namespace kerlab::plan
