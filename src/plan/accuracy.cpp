#include "plan/accuracy.h"

namespace kerlab::plan {

std::string accuracy_text(Accuracy accuracy) {
  std::string words = accuracy.normwise ? "normwise" : "";
  const auto add = [&](const char* word) { words += (words.empty() ? "" : ", ") + std::string(word); };
  if (accuracy.may_be_nan) add("specials may be NaN");
  if (accuracy.against_kernel) add("against another kernel");
  if (accuracy.against_recordings) add("against recordings");
  return words;
}

std::optional<Accuracy> parse_accuracy(std::string_view wanted) {
  for (const bool normwise : {false, true})
    for (const bool may_be_nan : {false, true})
      for (const bool against_kernel : {false, true})
        for (const bool against_recordings : {false, true})
          if (const Accuracy one = {normwise, may_be_nan, against_kernel, against_recordings};
              accuracy_text(one) == wanted)
            return one;
  return std::nullopt;
}

}  // namespace kerlab::plan
