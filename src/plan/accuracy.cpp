#include "plan/accuracy.h"

namespace kerlab::plan {

std::string accuracy_text(Accuracy accuracy) {
  std::string words = accuracy.normwise ? "normwise" : "";
  if (accuracy.may_be_nan) words += words.empty() ? "specials may be NaN" : ", specials may be NaN";
  return words;
}

std::optional<Accuracy> parse_accuracy(std::string_view wanted) {
  for (const bool normwise : {false, true})
    for (const bool may_be_nan : {false, true})
      if (accuracy_text({normwise, may_be_nan}) == wanted) return Accuracy{normwise, may_be_nan};
  return std::nullopt;
}

}  // namespace kerlab::plan
