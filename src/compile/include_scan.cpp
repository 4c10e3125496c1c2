#include "compile/include_scan.h"

#include <algorithm>
#include <cctype>

namespace kerlab::compile {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Walks over C++ text; knows only what is needed to tell code from comments and literals.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<IncludeLine> run() {
    while (at_ < text_.size()) step();
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool ahead(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  /// To the end of the next `end`, or of the text.
  void skip_past(std::string_view end) {
    const std::size_t stop = text_.find(end, at_);
    const std::size_t next = stop == std::string_view::npos ? text_.size() : stop + end.size();
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(next), '\n'));
    at_ = next;
  }

  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      ++at_;
      line_start_ = true;
    } else if (ahead("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (ahead("/*")) {
      at_ += 2;
      skip_past("*/");
    } else if (c == '#' && line_start_) {
      ++at_;
      directive();
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else {
      line_start_ = false;
      literal_or_code(c);
    }
  }

  void literal_or_code(char c) {
    if (c == '"' && at_ > 0 && text_[at_ - 1] == 'R') {
      raw_string();
    } else if (c == '"' || (c == '\'' && (at_ == 0 || !is_word(text_[at_ - 1])))) {  // 1'000 is a number
      quoted(c);
    } else {
      ++at_;
    }
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) {
      ++at_;
      return;
    }
    const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    skip_past(end);
  }

  void quoted(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  /// After '#'. The rest of the line is left to step(), which knows comments.
  void directive() {
    line_start_ = false;
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name == "if" || name == "ifdef" || name == "ifndef") ++depth_;
    if (name == "endif" && depth_ > 0) --depth_;
    if (name != "include") return;
    skip_blanks();
    if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '<')) return;
    const bool angled = text_[at_] == '<';
    const char end = angled ? '>' : '"';
    const std::size_t stop = text_.find_first_of(std::string{end, '\n'}, at_ + 1);
    if (stop == std::string_view::npos || text_[stop] != end) return;
    const std::string_view file = text_.substr(at_ + 1, stop - at_ - 1);
    at_ = stop + 1;
    if (angled && !file.starts_with('/') && file.find("..") == std::string_view::npos) return;
    found_.push_back({std::string(file), line_, depth_ > 0, angled});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int depth_ = 0;
  bool line_start_ = true;
  std::vector<IncludeLine> found_;
};

}  // namespace

std::vector<IncludeLine> scan_includes(std::string_view text) {
  return Scanner(text).run();
}

}  // namespace kerlab::compile
