#include "spec/accuracy_reader.h"

namespace kerlab::spec {

Accuracy read_accuracy(const SpecTable& table, Accuracy otherwise) {
  const auto says = [&](std::string_view key, auto& words, bool fallback) {
    return table.choice(key, {std::begin(words), std::end(words)}, fallback ? 1 : 0) == 1;
  };
  return {says("accuracy", kAccuracyWords, otherwise.normwise), says("specials", kSpecialsWords, otherwise.may_be_nan),
          otherwise.against_kernel, otherwise.against_recordings};
}

}  // namespace kerlab::spec
