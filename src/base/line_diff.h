#pragma once
// Two texts line by line.

#include <string>
#include <string_view>

namespace kerlab {

/// A unified diff with three lines of context ("@@ -1,4 +1,5 @@", " same", "-old", "+new"); empty when the texts are
/// the same. Takes time and memory by the product of the lines between the first and the last that differ.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name,
                         std::string_view after_name);

}  // namespace kerlab
