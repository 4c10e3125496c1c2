#pragma once
// Whether a text is well-formed: XML, or HTML as strict as that.

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

/// What is wrong with it first; empty: elements open and close in order, attributes are quoted and told once, no bare
/// markup stands in text, no id is given twice. `html`: elements without an end, and scripts whose text is none.
inline std::string markup_fault(std::string_view text, bool html) {
  static const std::set<std::string> kVoid = {"meta", "link", "input", "br"}, kRaw = {"script", "style"};
  std::vector<std::string> open;
  std::set<std::string> ids;
  if (html && text.starts_with("<!DOCTYPE html>")) text.remove_prefix(15);
  std::size_t at = 0;
  const auto fault = [&](std::string_view what) { return fmt::format("{}: {}", what, text.substr(at, 60)); };
  const auto is_reference = [&](std::size_t from) {
    for (const char* name : {"&amp;", "&lt;", "&gt;", "&quot;"})
      if (text.substr(from).starts_with(name)) return true;
    return false;
  };
  while (at < text.size()) {
    if (text[at] == '>' || (text[at] == '&' && !is_reference(at))) return fault("bare markup");
    if (text[at] != '<') {
      ++at;
      continue;
    }
    const bool closes = text.substr(at).starts_with("</");
    std::size_t end = at + (closes ? 2 : 1);
    const std::size_t begin = end;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0)) ++end;
    const std::string name(text.substr(begin, end - begin));
    if (name.empty()) return fault("no element");
    std::set<std::string> attributes;
    bool empty = false;
    for (;;) {
      while (end < text.size() && (text[end] == ' ' || text[end] == '\n')) ++end;
      if (end >= text.size()) return fault("open to the end");
      if (text[end] == '>') break;
      if (text[end] == '/') {
        empty = true;
        ++end;
        continue;
      }
      const std::size_t stop = text.find_first_of("= >", end);
      const std::string attribute(text.substr(end, stop - end));
      if (closes || !attributes.insert(attribute).second) return fault("attribute " + attribute);
      end = stop;
      if (text[end] != '=') {  // hidden, open
        if (!html) return fault("attribute without a value");
        continue;
      }
      if (text[end + 1] != '"') return fault("attribute without quotes");
      const std::size_t quote = text.find('"', end + 2);
      const std::string_view value = text.substr(end + 2, quote - end - 2);
      if (value.find('<') != std::string_view::npos) return fault("markup in attribute " + attribute);
      if (attribute == "id" && !ids.insert(std::string(value)).second)
        return fault("twice the id " + std::string(value));
      end = quote + 1;
    }
    if (closes) {
      if (open.empty() || open.back() != name) return fault("closes what is not open");
      open.pop_back();
    } else if (!empty && !(html && kVoid.contains(name))) {
      open.push_back(name);
    }
    at = end + 1;
    if (!html || closes || !kRaw.contains(name)) continue;
    at = text.find("</" + name + ">", at);
    if (at == std::string_view::npos) return "no end of " + name;
  }
  return open.empty() ? "" : "never closed: " + open.back();
}
