#pragma once
// What `kerlab bench A B` shows: the kernels, the counts that differ, and a sentence on each against the first.

#include <string>

#include "report/form/json.h"
#include "report/form/table.h"
#include "session/bench/compare.h"

namespace kerlab::cli {

/// "B is 1.05 times as fast as A [1.03, 1.07]   (95 %, 40 rounds)", "no difference seen between A and B: ...",
/// "A and B are the same program"; a line for each kernel but the first.
std::string speed_sentences(const Comparison& comparison);

/// `again`: what a command must repeat, " --db FILE --device emu:h200".
std::string compare_screen(const Comparison& comparison, const std::string& again, int width, bool color);
std::string compare_markdown(const Comparison& comparison);
/// Every digit and every figure.
Table exact_comparison(const Comparison& comparison);
/// The body of the JSON document.
JsonValue::Object compare_value(const Comparison& comparison);

}  // namespace kerlab::cli
