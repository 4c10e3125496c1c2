#pragma once
// Numbers and times as people read them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kerlab {

// Prefixes are powers of 1000 everywhere: k, M, G, T. 98,304 bytes are "98.3 kB".
std::string format_bytes(std::int64_t bytes);  ///< "96 B", "98.3 kB", "1.5 GB"
std::string format_us(double microseconds);    ///< at least 4 significant digits: "291.4", "1893"
std::string format_seconds(double seconds);    ///< "11.2 s", "3 min 05 s"
/// "471.6 TFLOP/s", "3.35 TB/s", "12 B/s"; without a unit "471.6 T", for a column whose title names it.
std::string format_si(double value, std::string_view unit = "");
std::string format_share(double fraction);  ///< "55 %", "9.3 %": below a tenth one more digit
std::string grouped(std::int64_t number);   ///< "8,847,360"
std::string format_count(std::int64_t number, std::string_view what);  ///< "1 block", "3,000 blocks"
/// The candidate with the smallest edit distance, or empty when nothing is near: for "did you mean".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kerlab
