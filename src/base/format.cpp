#include "base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace kerlab {
namespace {

/// One decimal, dropped when it is zero: "1.5", "96".
std::string one_decimal(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::string format_bytes(std::int64_t bytes) {
  if (bytes < 0) return "-" + format_bytes(-bytes);
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 999.95 would print as 1000.0: the next unit reads better.
  for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fmt::format("{} {}", one_decimal(value), kUnits[unit]);
}

std::string format_us(double microseconds) {
  if (microseconds == 0 || !std::isfinite(microseconds)) return fmt::format("{}", microseconds);
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(microseconds))));
  return fmt::format("{:.{}f}", microseconds, std::clamp(3 - exponent, 0, 6));
}

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return fmt::format("{} s", seconds);
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  const auto minutes = std::llround(seconds / 60);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string format_si(double value, std::string_view unit) {
  constexpr std::array kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  double scaled = value;
  std::size_t prefix = 0;
  for (; std::abs(scaled) >= 999.95 && prefix + 1 < kPrefixes.size(); ++prefix) scaled /= 1000;
  const std::string digits =
      prefix == 0 ? fmt::format("{:.4g}", scaled) : fmt::format("{:.{}f}", scaled, std::abs(scaled) < 99.995 ? 2 : 1);
  const std::string behind = fmt::format("{}{}", kPrefixes[prefix], unit);
  return behind.empty() ? digits : digits + " " + behind;
}

std::string format_share(double fraction) {
  return fmt::format("{:.{}f} %", 100 * fraction, fraction < 0.0995 ? 1 : 0);
}

std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t end = text.size(); end > sign + 3;) text.insert(end -= 3, ",");
  return text;
}

std::string format_count(std::int64_t number, std::string_view what) {
  return fmt::format("{} {}{}", grouped(number), what, number == 1 ? "" : "s");
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  // One edit, or one in three letters: farther words are not what was meant.
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (same_letters(word, candidate)) return candidate;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

}  // namespace kerlab
