#pragma once
// The neighbours of a kernel as a table, and how far their ratios can be believed.

#include "report/text/explain_text.h"

namespace kerlab::report {

std::string what_if_text(const Explanation& explained, bool color, int width);
std::string what_if_remark(const Explanation& explained);

}  // namespace kerlab::report
