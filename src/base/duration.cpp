#include "base/duration.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

namespace kerlab {

std::optional<double> parse_seconds(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 9> kUnits{
      {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"sec", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}, {"us", 1e-6}}};
  const std::size_t end = text.find_first_not_of("0123456789.");
  const std::string digits(text.substr(0, end));
  std::string_view unit = end == std::string_view::npos ? std::string_view() : text.substr(end);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  char* rest = nullptr;
  const double number = std::strtod(digits.c_str(), &rest);
  if (digits.empty() || *rest != '\0' || !std::isfinite(number)) return std::nullopt;
  for (const auto& [name, seconds] : kUnits)
    if (unit == name) return number * seconds;
  return std::nullopt;
}

}  // namespace kerlab
