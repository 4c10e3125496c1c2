#include "session/find/source_difference.h"

#include "base/line_diff.h"

namespace kerlab::session {

std::string header_text(const SourceBundle& source, const std::string& name) {
  for (const Header& one : source.headers)
    if (one.name == name) return one.text;
  return "";
}

std::string source_difference(const SourceBundle& before, const SourceBundle& after, const SourceNames& names) {
  std::string text = unified_diff(before.text, after.text, names.before, names.after);
  for (const Header& one : before.headers)
    text += unified_diff(one.text, header_text(after, one.name), one.name + names.before_mark, one.name);
  for (const Header& one : after.headers)
    if (header_text(before, one.name).empty())
      text += unified_diff("", one.text, one.name + names.before_mark, one.name);
  return text;
}

}  // namespace kerlab::session
