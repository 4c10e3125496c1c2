#include "plan/device_conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace kerlab::plan {

std::string clock_reasons(std::uint64_t reasons) {
  struct Reason {
    std::uint64_t bit;
    const char* text;
  };
  static constexpr Reason kReasons[] = {
      {0x4, "power cap"},    {0x8, "hardware slowdown"}, {0x20, "software thermal"}, {0x40, "hardware thermal"},
      {0x80, "power brake"}, {0x10, "sync boost"},       {0x2, "application clocks"}};
  std::vector<std::string> texts;
  for (const Reason& reason : kReasons)
    if ((reasons & reason.bit) != 0) texts.emplace_back(reason.text);
  return fmt::format("{}", fmt::join(texts, " + "));
}

}  // namespace kerlab::plan
