#pragma once
// The text of the lines that line information names.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"
#include "plan/finding.h"

namespace kerlab::session {

class SourceText {
 public:
  /// The bundle must outlive it.
  explicit SourceText(const SourceBundle& source) : source_(source) {}
  /// Without indentation; empty when the bundle does not hold the file, or the line is not known.
  std::string line(const CodeLine& place);

 private:
  const SourceBundle& source_;
  std::map<std::string, std::vector<std::string_view>> files_;  ///< split, as asked for
};

}  // namespace kerlab::session
