#include "cli/frame/option_checks.h"

#include <charconv>
#include <CLI/CLI.hpp>
#include <cmath>

#include "base/duration.h"
#include "base/format.h"

namespace kerlab::cli {

namespace {

/// CLI11 puts the option's name before it.
std::string expected(const std::string& what, const std::string& typed) {
  return fmt::format("expected {}, not '{}'", what, typed);
}

template <typename Number>
std::optional<Number> parsed(const std::string& typed) {
  Number value{};
  const char* const end = typed.data() + typed.size();
  const auto [rest, error] = std::from_chars(typed.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

/// Without the description that CLI11 would add to the type of the option.
CLI::Validator unnamed(std::function<std::string(std::string&)> check) {
  return CLI::Validator(std::move(check), "");
}

}  // namespace

CLI::Validator takes_whole(std::int64_t low, std::int64_t high) {
  const bool open = high == std::numeric_limits<std::int64_t>::max();
  const std::string what =
      open ? fmt::format("a whole number of at least {}", low) : fmt::format("a whole number from {} to {}", low, high);
  return unnamed([low, high, what](const std::string& typed) {
    const auto value = parsed<std::int64_t>(typed);
    if (value && *value >= low && *value <= high) return std::string();
    const bool digits = !typed.empty() && typed.find_first_not_of("0123456789") == std::string::npos;
    return expected(!value && digits ? what + " and below 2^63" : what, typed);
  });
}

CLI::Validator takes_number(double low, double high) {
  return unnamed([low, high](const std::string& typed) {
    const auto value = parsed<double>(typed);
    if (value && *value >= low && *value <= high) return std::string();
    return expected(fmt::format("a number from {} to {}", low, high), typed);
  });
}

CLI::Validator takes_time(double low, double high) {
  return unnamed([low, high](std::string& typed) {
    const auto seconds = parse_seconds(typed);
    if (!seconds) return expected("a time, as in 90, 90s, 2m or 1h", typed);
    if (*seconds < low || *seconds > high)
      return expected(fmt::format("a time from {} to {}", format_seconds(low), format_seconds(high)), typed);
    typed = fmt::format("{}", *seconds);
    return std::string();
  });
}

}  // namespace kerlab::cli
