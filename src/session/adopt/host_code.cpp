#include "session/adopt/host_code.h"

#include <algorithm>
#include <cctype>

#include "session/adopt/cuda_types.h"

namespace kerlab::session {
namespace {

constexpr int kDeepest = 8;  // variables of variables

CudaTokens slice(const CudaTokens& tokens, std::size_t first, std::size_t last) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(first),
          tokens.begin() + static_cast<std::ptrdiff_t>(std::min(last, tokens.size()))};
}

bool stands_in(const CudaSpan& span, const CudaToken& token) {
  return token.begin >= span.begin && token.end <= span.end;
}

/// Whether kernel<<<...>>> or kernel<...><<<...>>> stands there.
bool launches_kernel(const CudaTokens& tokens, const CudaSpan& span, const std::string& kernel) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(kernel) || !stands_in(span, tokens[i])) continue;
    const std::size_t at = tokens[i + 1].is("<") ? behind_bracket(tokens, i + 1) : i + 1;
    if (at < tokens.size() && tokens[at].is("<<<")) return true;
  }
  return false;
}

/// The end of what is assigned at `first`: a ; or , outside of brackets.
std::size_t end_of_value(const CudaTokens& tokens, std::size_t first) {
  std::size_t i = first;
  while (i < tokens.size() && !tokens[i].is(";") && !tokens[i].is(",") && !tokens[i].is("}"))
    i = tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[") ? behind_bracket(tokens, i) : i + 1;
  return i;
}

/// dim3 grid(..), grid{..}, grid = dim3(..); several behind commas.
void read_dim3(const CudaTokens& tokens, std::size_t at, HostValues& host) {
  do {
    if (at + 2 >= tokens.size() || tokens[at + 1].kind != CudaToken::Kind::word) return;
    std::size_t open = at + 2;
    while (open < tokens.size() && (tokens[open].is("=") || tokens[open].is("dim3"))) ++open;
    if (open >= tokens.size() || (!tokens[open].is("(") && !tokens[open].is("{"))) return;
    const std::size_t behind = behind_bracket(tokens, open);
    host.dims.try_emplace(tokens[at + 1].text, split_at_commas(tokens, open + 1, behind - 1));
    at = behind;
  } while (at < tokens.size() && tokens[at].is(","));
}

void read_allocation(const CudaTokens& tokens, std::size_t at, HostValues& host) {
  if (at + 1 >= tokens.size() || !tokens[at + 1].is("(")) return;
  const auto parts = split_at_commas(tokens, at + 2, behind_bracket(tokens, at + 1) - 1);
  if (parts.size() < 2 || parts[0].empty()) return;
  host.bytes.try_emplace(parts[0].back().text, parts[1]);
}

/// dim3's, a variable of that, or one extent.
std::vector<CudaTokens> extents_of(const CudaTokens& tokens, const HostValues& host) {
  if (tokens.size() == 1) {
    const auto named = host.dims.find(tokens[0].text);
    if (named != host.dims.end()) return named->second;
  }
  if (tokens.size() > 2 && tokens[0].is("dim3")) return split_at_commas(tokens, 2, tokens.size() - 1);
  return {tokens};
}

std::string without_brackets(std::string text) {
  while (text.size() > 1 && text.front() == '(' && text.back() == ')') {
    int depth = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (depth == 0) return text;
    }
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

bool divides_rounding_up(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* word : {"cdiv", "ceil_div", "ceildiv", "div_up", "divup", "div_ceil", "divceil", "idivup"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

}  // namespace

HostValues host_values(const CudaFile& file, const std::string& kernel) {
  HostValues host;
  std::vector<CudaSpan> spans = file.host;
  std::ranges::stable_partition(spans,
                                [&](const CudaSpan& span) { return launches_kernel(file.tokens, span, kernel); });
  for (const CudaSpan& span : spans) {
    const auto inside = [&](const CudaToken& token) { return stands_in(span, token); };
    for (std::size_t i = 0; i < file.tokens.size(); ++i) {
      const CudaToken& token = file.tokens[i];
      if (!inside(token) || token.kind != CudaToken::Kind::word) continue;
      if (token.is("dim3")) read_dim3(file.tokens, i, host);
      if (token.is("cudaMalloc") || token.is("cudaMallocManaged")) read_allocation(file.tokens, i, host);
      if (i + 1 < file.tokens.size() && file.tokens[i + 1].is("="))
        host.values.try_emplace(token.text, slice(file.tokens, i + 2, end_of_value(file.tokens, i + 2)));
    }
  }
  return host;
}

std::optional<LaunchSite> launch_site(const CudaFile& file, const HostValues& values, const std::string& kernel) {
  const CudaTokens& tokens = file.tokens;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(kernel)) continue;
    LaunchSite site;
    std::size_t at = i + 1;
    if (tokens[at].is("<")) {
      const std::size_t behind = behind_bracket(tokens, at);
      site.instance = split_at_commas(tokens, at + 1, behind - 1);
      at = behind;
    }
    if (at >= tokens.size() || !tokens[at].is("<<<")) continue;
    std::size_t close = at + 1;
    while (close + 3 < tokens.size() && !(tokens[close].is(">") && tokens[close + 1].is(">") &&
                                          tokens[close + 2].is(">") && tokens[close + 3].is("(")))
      ++close;
    if (close + 3 >= tokens.size()) continue;
    const auto parts = split_at_commas(tokens, at + 1, close);
    if (parts.size() < 2) continue;
    site.grid = extents_of(parts[0], values);
    site.block = extents_of(parts[1], values);
    if (parts.size() > 2) site.shared = parts[2];
    site.arguments = split_at_commas(tokens, close + 4, behind_bracket(tokens, close + 3) - 1);
    return site;
  }
  return std::nullopt;
}

const CudaTokens* passed_argument(const CudaKernel& kernel, const std::optional<LaunchSite>& site,
                                  const std::string& name) {
  for (std::size_t i = 0; site && i < std::min(site->arguments.size(), kernel.arguments.size()); ++i)
    if (kernel.arguments[i].name == name) return &site->arguments[i];
  return nullptr;
}

std::optional<std::string> SpecWords::expression(const CudaTokens& tokens) const {
  std::string text;
  if (tokens.empty() || !put(tokens, text, 0)) return std::nullopt;
  try {
    spec::Expression::parse(text, {});
  } catch (const Error&) {
    return std::nullopt;
  }
  return without_brackets(text);
}

std::optional<std::string> SpecWords::elements(const CudaTokens& bytes) const {
  CudaTokens tokens = bytes;
  for (int i = 0; i < kDeepest && tokens.size() == 1 && host_.values.contains(tokens[0].text); ++i)
    tokens = host_.values.at(tokens[0].text);
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!tokens[i].is("sizeof") || !tokens[i + 1].is("(")) continue;
    std::size_t first = i, last = behind_bracket(tokens, i + 1);
    if (first > 0 && tokens[first - 1].is("*"))
      --first;
    else if (last < tokens.size() && tokens[last].is("*"))
      ++last;
    else
      return std::nullopt;
    const std::string type = tokens[i + 2].text;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(first),
                 tokens.begin() + static_cast<std::ptrdiff_t>(last));
    const auto count = expression(tokens);
    if (!count || without_lanes(type) == type) return count;
    return std::string(1, type.back()) + " * (" + *count + ")";  // float2 is two floats
  }
  return std::nullopt;
}

bool SpecWords::put(const CudaTokens& tokens, std::string& text, int depth) const {
  if (depth > kDeepest) return false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const CudaToken& token = tokens[i];
    const bool calls = i + 1 < tokens.size() && (tokens[i + 1].is("(") || tokens[i + 1].is("<"));
    if (token.kind == CudaToken::Kind::number) {
      std::string digits = token.text;
      while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != std::string_view::npos)
        digits.pop_back();
      if (digits.find_first_not_of("0123456789") != std::string::npos) return false;
      text += digits;
    } else if (token.is("std") || token.is("::")) {
      continue;
    } else if (token.kind == CudaToken::Kind::word && calls && !known_.contains(token.text)) {
      if (!put_call(tokens, i, text, depth)) return false;
    } else if (i + 2 < tokens.size() && tokens[i + 1].is(".") && host_.dims.contains(token.text)) {
      const std::size_t axis = std::string_view("xyz").find(tokens[i + 2].text);  // block.x
      const auto& extents = host_.dims.at(token.text);
      std::string inner;
      if (axis >= extents.size() || !put(extents[axis], inner, depth + 1)) return false;
      text += "(" + inner + ")";
      i += 2;
    } else if (token.kind == CudaToken::Kind::word) {
      if (!put_word(token, text, depth)) return false;
    } else if (token.is("<<") && i + 1 < tokens.size() && tokens[i + 1].kind == CudaToken::Kind::number) {
      text += " * pow(2, " + tokens[++i].text + ")";
    } else if (token.is("(") && i + 2 < tokens.size() && tokens[i + 2].is(")") && bytes_of_type(tokens[i + 1].text)) {
      i += 2;  // a cast
    } else if (token.text == "(" || token.text == ")") {
      text += token.text;
    } else if (token.text == ",") {
      text += ", ";
    } else if (std::string_view("+-*/%?:").find(token.text) != std::string_view::npos || token.is("<") ||
               token.is(">") || token.is("==") || token.is(">=") || token.is("<=") || token.is("!=")) {
      text += " " + token.text + " ";
    } else {
      return false;
    }
  }
  return !text.empty();
}

bool SpecWords::put_call(const CudaTokens& tokens, std::size_t& at, std::string& text, int depth) const {
  const std::string& name = tokens[at].text;
  std::size_t open = at + 1;
  if (tokens[open].is("<")) open = behind_bracket(tokens, open);  // static_cast<int>(, std::min<int>(
  if (open >= tokens.size() || !tokens[open].is("(")) return false;
  const std::size_t behind = behind_bracket(tokens, open);
  std::string inner;
  if (name == "sizeof") {
    if (behind != open + 3 || !bytes_of_type(tokens[open + 1].text)) return false;
    text += std::to_string(*bytes_of_type(tokens[open + 1].text));
  } else if (name == "ceil" || name == "ceilf") {
    if (!put_ceil(slice(tokens, open + 1, behind - 1), text, depth)) return false;
  } else {
    const bool converts = name == "static_cast" || bytes_of_type(name).has_value();  // float(n)
    const std::string called = converts                         ? ""
                               : divides_rounding_up(name)      ? "ceil_div"
                               : name == "min" || name == "max" ? name
                                                                : "?";
    if (called == "?" || !put(slice(tokens, open + 1, behind - 1), inner, depth + 1)) return false;
    text += called + "(" + inner + ")";
  }
  at = behind - 1;
  return true;
}

/// ceil((float)n / tile), in numbers that are no integers: rounded up.
bool SpecWords::put_ceil(const CudaTokens& inside, std::string& text, int depth) const {
  std::size_t slash = inside.size(), many = 0;
  for (std::size_t i = 0; i < inside.size(); i = inside[i].is("(") ? behind_bracket(inside, i) : i + 1)
    if (inside[i].is("/")) {
      slash = i;
      ++many;
    } else if (!inside[i].is("(") && !inside[i].is("*") && !inside[i].is("::") && !inside[i].is("<") &&
               !inside[i].is(">") && inside[i].kind == CudaToken::Kind::sign) {
      return false;  // n / tile + 1 is another number
    }
  std::string above, below;
  if (many != 1 || !put(slice(inside, 0, slash), above, depth + 1) ||
      !put(slice(inside, slash + 1, inside.size()), below, depth + 1))
    return false;
  text += "ceil_div(" + above + ", " + below + ")";
  return true;
}

bool SpecWords::put_word(const CudaToken& word, std::string& text, int depth) const {
  if (const auto found = known_.find(word.text); found != known_.end()) {
    text += found->second;
    return true;
  }
  const auto value = host_.values.find(word.text);
  std::string inner;
  if (value == host_.values.end() || !put(value->second, inner, depth + 1)) return false;
  text += value->second.size() == 1 ? inner : "(" + inner + ")";
  return true;
}

}  // namespace kerlab::session
