#pragma once
// Numbers and times as people read them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kerlab {

std::string format_bytes(std::int64_t bytes);  ///< "96 K", "1.5 G" (binary)
std::string format_us(double microseconds);    ///< at least 4 significant digits: "291.4", "1893"
std::string format_seconds(double seconds);    ///< "11.2 s", "3 min 05 s"
std::string format_si(double value);           ///< "471.6 T", "3.35 G"
std::string format_share(double fraction);     ///< "55 %", "9.3 %": below a tenth one more digit
std::string format_count(std::int64_t number, std::string_view what);  ///< "1 block", "3 blocks"
/// The candidate with the smallest edit distance, or empty when nothing is near: for "did you mean".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kerlab
