#pragma once
// The words of `tune --accuracy` and of a suite's `options = { accuracy = [...] }`: classes that may win beside the
// strictest.

#include <string>
#include <string_view>

#include "plan/accuracy.h"

namespace kerlab::plan {

inline constexpr std::string_view kAccuracyOptions[] = {"normwise", "may-be-nan"};

/// Lets kernels of the class that `word` names win too. False: there is no such class.
bool admit(Accuracy& accuracy, std::string_view word);

/// What to give --accuracy so that `accuracy` may win: "normwise,may-be-nan".
std::string accuracy_option(Accuracy accuracy);

}  // namespace kerlab::plan
