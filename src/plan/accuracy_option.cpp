#include "plan/accuracy_option.h"

#include <iterator>

namespace kerlab::plan {
namespace {

/// What each word of kAccuracyOptions sets.
constexpr bool Accuracy::*kPromises[] = {&Accuracy::normwise, &Accuracy::may_be_nan};
static_assert(std::size(kPromises) == std::size(kAccuracyOptions));

}  // namespace

bool admit(Accuracy& accuracy, std::string_view word) {
  for (std::size_t i = 0; i < std::size(kAccuracyOptions); ++i)
    if (word == kAccuracyOptions[i]) return accuracy.*kPromises[i] = true;
  return false;
}

std::string accuracy_option(Accuracy accuracy) {
  std::string words;
  for (std::size_t i = 0; i < std::size(kAccuracyOptions); ++i)
    if (accuracy.*kPromises[i]) words += (words.empty() ? "" : ",") + std::string(kAccuracyOptions[i]);
  return words;
}

}  // namespace kerlab::plan
