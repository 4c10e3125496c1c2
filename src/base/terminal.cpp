#include "base/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <cstdlib>

#include "base/notice.h"

namespace kerlab {
namespace {

constexpr const char* kEraseLine = "\r\x1b[K";

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The first `columns` columns of a line: colour sequences and UTF-8 continuation bytes take none.
std::string clip(std::string_view line, int columns) {
  int used = 0;
  bool coloured = false;
  std::size_t i = 0;
  while (i < line.size()) {
    if (line[i] == '\x1b') {
      const std::size_t end = line.find('m', i);
      if (end == std::string_view::npos) break;
      coloured = true;
      i = end + 1;
      continue;
    }
    const bool continuation = (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;
    if (!continuation && used++ == columns) break;
    ++i;
  }
  std::string clipped(line.substr(0, i));
  if (coloured && i < line.size()) clipped += "\x1b[0m";
  return clipped;
}

}  // namespace

bool is_dumb_terminal() {
  const char* term = std::getenv("TERM");
  return term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
}

bool is_terminal(std::FILE* stream) {
  return ::isatty(::fileno(stream)) == 1;
}

bool use_color(ColorMode mode, std::FILE* stream) {
  if (mode != ColorMode::automatic) return mode == ColorMode::always;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  return is_terminal(stream) && !is_dumb_terminal();
}

int terminal_width(std::FILE* stream) {
  constexpr int kElsewhere = 100;
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int said = columns == nullptr ? 0 : std::atoi(columns);
  return said > 0 ? said : kElsewhere;
}

bool unicode_on() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale(value);
    for (char& c : locale) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

std::string styled(std::string_view text, Style style, bool color) {
  if (!color || style == Style::plain) return std::string(text);
  const auto code = [&] {
    switch (style) {
      case Style::bold:
        return "1";
      case Style::dim:
        return "2";
      case Style::good:
        return "32";
      case Style::warning:
        return "33";
      case Style::bad:
        return "31";
      case Style::plain:
        break;
    }
    return "0";
  }();
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

namespace {
ProgressLine* on_stderr = nullptr;  // that is drawn there, for whatever else is printed meanwhile
}  // namespace

ProgressLine::ProgressLine(std::FILE* stream, double plain_interval_s)
    : stream_(stream), plain_interval_s_(plain_interval_s), terminal_(is_terminal(stream) && !is_dumb_terminal()) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::update(std::string_view line) {
  if (terminal_) {
    // One column short of the edge: some terminals wrap when the last one is filled.
    put(fmt::format("{}{}", kEraseLine, clip(line, terminal_width(stream_) - 1)));
    drawn_ = true;
    if (stream_ == stderr) on_stderr = this;
    return;
  }
  const double now = now_s();
  if (now - last_plain_s_ < plain_interval_s_) return;
  last_plain_s_ = now;
  put(fmt::format("{}\n", line));
}

void ProgressLine::note(std::string_view line) {
  clear();
  put(fmt::format("{}\n", line));
}

void ProgressLine::clear() {
  if (!drawn_) return;
  put(kEraseLine);
  drawn_ = false;
  if (on_stderr == this) on_stderr = nullptr;
}

void print_notice(std::string_view line) {
  if (on_stderr != nullptr) on_stderr->clear();
  fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
}

void ProgressLine::put(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stream_);
  std::fflush(stream_);
}

}  // namespace kerlab
