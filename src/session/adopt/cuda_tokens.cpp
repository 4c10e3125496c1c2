#include "session/adopt/cuda_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kerlab::session {
namespace {

constexpr std::array<std::string_view, 10> kLongSigns = {"<<<", "::", "<<", "<=", ">=", "==", "!=", "&&", "||", "->"};

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_word(char c) {
  return begins_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Tokenizer {
 public:
  Tokenizer(const std::string& file, std::string_view source) : file_(file), source_(source) {}

  CudaTokens all() {
    while (skip_blanks(), at_ < source_.size()) {
      const std::size_t begin = at_;
      const CudaToken::Kind kind = take();
      tokens_.push_back({kind, std::string(source_.substr(begin, at_ - begin)), begin, at_});
      line_begins_ = false;
    }
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] bool sees(std::string_view text) const { return source_.substr(at_).starts_with(text); }
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    throw SpecError(place_in(file_, source_, at), what);
  }

  void skip_blanks() {
    for (; at_ < source_.size();) {
      if (source_[at_] == '\n') line_begins_ = true;
      if (std::isspace(static_cast<unsigned char>(source_[at_])) != 0) {
        ++at_;
      } else if (sees("\\\n")) {
        at_ += 2;
      } else if (sees("//")) {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else if (sees("/*")) {
        const std::size_t end = source_.find("*/", at_ + 2);
        if (end == std::string_view::npos) fail(at_, "this comment has no end");
        at_ = end + 2;
      } else {
        return;
      }
    }
  }

  CudaToken::Kind take() {
    const char c = source_[at_];
    if (c == '#' && line_begins_) return take_directive();
    if (sees("R\"")) return take_raw_string();
    if (c == '"' || c == '\'') return take_string(c);
    if (begins_word(c)) {
      while (at_ < source_.size() && continues_word(source_[at_])) ++at_;
      return CudaToken::Kind::word;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (at_ < source_.size() && (continues_word(source_[at_]) || source_[at_] == '.' || source_[at_] == '\''))
        ++at_;
      return CudaToken::Kind::number;
    }
    for (const std::string_view sign : kLongSigns)
      if (sees(sign)) {
        at_ += sign.size();
        return CudaToken::Kind::sign;
      }
    ++at_;
    return CudaToken::Kind::sign;
  }

  CudaToken::Kind take_directive() {
    while (at_ < source_.size() && source_[at_] != '\n') at_ += sees("\\\n") ? 2 : 1;
    at_ = std::min(at_, source_.size());
    return CudaToken::Kind::directive;
  }

  CudaToken::Kind take_string(char quote) {
    const std::size_t begin = at_++;
    while (at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n') at_ += source_[at_] == '\\' ? 2 : 1;
    if (at_ >= source_.size() || source_[at_] != quote) fail(begin, "this string has no end");
    ++at_;
    return CudaToken::Kind::text;
  }

  CudaToken::Kind take_raw_string() {
    const std::size_t begin = at_, open = source_.find('(', at_);
    if (open == std::string_view::npos) fail(begin, "this string has no end");
    const std::string close = ")" + std::string(source_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const std::size_t end = source_.find(close, open);
    if (end == std::string_view::npos) fail(begin, "this string has no end");
    at_ = end + close.size();
    return CudaToken::Kind::text;
  }

  const std::string& file_;
  std::string_view source_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  CudaTokens tokens_;
};

}  // namespace

CudaTokens cuda_tokens(const std::string& file, std::string_view source) {
  return Tokenizer(file, source).all();
}

SourceLocation place_in(const std::string& file, std::string_view source, std::size_t offset) {
  const std::string_view before = source.substr(0, std::min(offset, source.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line = before.rfind('\n');
  const std::size_t column = line == std::string_view::npos ? before.size() : before.size() - line - 1;
  return {file, static_cast<int>(lines) + 1, static_cast<int>(column) + 1, ""};
}

std::size_t behind_bracket(const CudaTokens& tokens, std::size_t open) {
  constexpr std::string_view kOpen = "([{<", kClose = ")]}>";
  const auto which = kOpen.find(tokens[open].text);
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].kind != CudaToken::Kind::sign || tokens[i].text.size() != 1) continue;
    if (tokens[i].text[0] == kOpen[which]) ++depth;
    if (tokens[i].text[0] == kClose[which] && --depth == 0) return i + 1;
  }
  return tokens.size();
}

std::vector<CudaTokens> split_at_commas(const CudaTokens& tokens, std::size_t first, std::size_t last) {
  std::vector<CudaTokens> parts;
  int depth = 0;
  for (std::size_t i = first; i < std::min(last, tokens.size()); ++i) {
    const CudaToken& token = tokens[i];
    if (token.kind == CudaToken::Kind::directive) continue;
    if (parts.empty()) parts.emplace_back();
    if (token.is("(") || token.is("[") || token.is("{") || token.is("<")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}") || token.is(">")) --depth;
    if (depth == 0 && token.is(","))
      parts.emplace_back();
    else
      parts.back().push_back(token);
  }
  return parts;
}

}  // namespace kerlab::session
