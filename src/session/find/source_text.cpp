#include "session/find/source_text.h"

#include "base/split.h"

namespace kerlab::session {

namespace {

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  const std::size_t end = line.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : line.substr(begin, end + 1 - begin);
}

/// Text of a file that the compiler knew by this path.
const std::string* text_of(const SourceBundle& source, const std::string& file) {
  if (file == source.path) return &source.text;
  for (const Header& header : source.headers)
    if (file == header.name || file.ends_with("/" + header.name)) return &header.text;
  return nullptr;
}

}  // namespace

std::string SourceText::line(const CodeLine& place) {
  if (place.file.empty() || place.line < 1) return "";
  const auto [at, added] = files_.try_emplace(place.file);
  if (added)
    if (const std::string* text = text_of(source_, place.file)) at->second = split_lines(*text);
  const auto index = static_cast<std::size_t>(place.line) - 1;
  return index < at->second.size() ? std::string(trimmed(at->second[index])) : "";
}

}  // namespace kerlab::session
