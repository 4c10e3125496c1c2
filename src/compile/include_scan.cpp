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
    } else if (line_start_ && (c == '#' || ahead("%:"))) {
      at_ += c == '#' ? 1 : 2;
      directive();
    } else if (skip_splice()) {
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

  /// A backslash at the end of a line: the next one goes on where it ends.
  bool skip_splice() {
    if (!ahead("\\\n") && !ahead("\\\r\n")) return false;
    at_ = text_.find('\n', at_) + 1;
    ++line_;
    return true;
  }

  /// Blanks, and what a preprocessor takes for one.
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (ahead("/*")) {
        at_ += 2;
        skip_past("*/");
      } else if (std::string_view(" \t\v\f\r").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else if (!skip_splice()) {
        return;
      }
    }
  }

  std::string word() {
    std::string found;
    while (at_ < text_.size()) {
      if (skip_splice()) continue;
      if (!is_word(text_[at_])) break;
      found += text_[at_++];
    }
    return found;
  }

  /// After '#'. The rest of the line is left to step(), which knows comments.
  void directive() {
    line_start_ = false;
    skip_blanks();
    const int line = line_;
    const std::string name = word();
    if (name == "if" || name == "ifdef" || name == "ifndef") ++depth_;
    if (name == "endif" && depth_ > 0) --depth_;
    if (name != "include" && name != "include_next" && name != "import" && name != "embed") return;
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] == '\n') return;  // no name: the compiler says so
    if (!named(line)) found_.push_back({word(), line, depth_ > 0, IncludeLine::Form::computed});
  }

  /// "name" or <name>, whole on this line.
  bool named(int line) {
    const char begin = text_[at_];
    if (begin != '"' && begin != '<') return false;
    const char end = begin == '<' ? '>' : '"';
    const std::size_t stop = text_.find_first_of(std::string{end, '\n'}, at_ + 1);
    if (stop == std::string_view::npos || text_[stop] != end) return false;
    const auto form = begin == '<' ? IncludeLine::Form::angled : IncludeLine::Form::quoted;
    found_.push_back({std::string(text_.substr(at_ + 1, stop - at_ - 1)), line, depth_ > 0, form});
    at_ = stop + 1;
    return true;
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
