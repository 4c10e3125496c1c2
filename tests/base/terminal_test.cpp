#include "base/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <memory>

#include "base/notice.h"
#include "base/scoped_variable.h"
#include "catch.h"

using namespace kerlab;

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string contents(std::FILE* file) {
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

/// A terminal of `columns` columns and what was written to it.
struct PseudoTerminal {
  explicit PseudoTerminal(unsigned short columns) : master(::posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(master >= 0);
    REQUIRE(::grantpt(master) == 0);
    REQUIRE(::unlockpt(master) == 0);
    stream.reset(std::fopen(::ptsname(master), "r+"));
    REQUIRE(stream);
    const winsize size{24, columns, 0, 0};
    ::ioctl(master, TIOCSWINSZ, &size);
  }
  ~PseudoTerminal() { ::close(master); }
  /// What was written since the last call. A terminal hands it over in pieces, at its own pace: a mark behind it
  /// tells when all of it is there.
  std::string written() const {
    constexpr char kMark = '\x05';
    std::fputc(kMark, stream.get());
    std::fflush(stream.get());
    std::string text;
    char buffer[4096];
    while (text.empty() || text.back() != kMark) {
      const auto got = ::read(master, buffer, sizeof buffer);
      REQUIRE(got > 0);
      text.append(buffer, static_cast<std::size_t>(got));
    }
    text.pop_back();
    return text;
  }
  int master;
  File stream;
};

}  // namespace

TEST_CASE("terminal: colour is asked for, forbidden, or decided", "[base]") {
  const File file(std::tmpfile());
  CHECK(use_color(ColorMode::always, file.get()));
  CHECK_FALSE(use_color(ColorMode::never, file.get()));
  CHECK_FALSE(use_color(ColorMode::automatic, file.get()));
  CHECK_FALSE(is_terminal(file.get()));
  CHECK(terminal_width(file.get()) == 100);
  CHECK(styled("x", Style::bad, true) == "\x1b[31mx\x1b[0m");
  CHECK(styled("x", Style::bad, false) == "x");
  CHECK(styled("x", Style::plain, true) == "x");
}

TEST_CASE("terminal: NO_COLOR and TERM=dumb win over a terminal", "[base]") {
  const PseudoTerminal terminal(80);
  const ScopedVariable no_color("NO_COLOR", nullptr), xterm("TERM", "xterm");
  CHECK(use_color(ColorMode::automatic, terminal.stream.get()));
  {
    const ScopedVariable set("NO_COLOR", "1");
    CHECK_FALSE(use_color(ColorMode::automatic, terminal.stream.get()));
  }
  const ScopedVariable dumb("TERM", "dumb");
  CHECK_FALSE(use_color(ColorMode::automatic, terminal.stream.get()));
}

TEST_CASE("terminal: progress elsewhere is plain lines, not too many, and notes always show", "[base]") {
  const File file(std::tmpfile());
  {
    ProgressLine progress(file.get(), 1e9);
    progress.update("1 of 3");
    progress.update("2 of 3");
    progress.note("a fault");
    progress.update("3 of 3");
  }
  CHECK(contents(file.get()) == "1 of 3\na fault\n");
}

TEST_CASE("terminal: a notice on standard error is never glued to the progress line", "[base]") {
  const PseudoTerminal terminal(40);
  const ScopedVariable xterm("TERM", "xterm");
  const int before = ::dup(STDERR_FILENO);
  std::fflush(stderr);
  ::dup2(::fileno(terminal.stream.get()), STDERR_FILENO);
  {
    ProgressLine progress;
    progress.update("library: my_op 1048576 fp32");
    print_notice("no GPU here");
  }
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  CHECK(terminal.written() == "\r\x1b[Klibrary: my_op 1048576 fp32\r\x1b[Kno GPU here\r\n");
}

TEST_CASE("terminal: the progress line is one line, clipped, and gone at the end", "[base]") {
  const PseudoTerminal terminal(10);
  const ScopedVariable xterm("TERM", "xterm");
  {
    ProgressLine progress(terminal.stream.get());
    progress.update("0123456789abc");
    CHECK(terminal.written() == "\r\x1b[K012345678");
    progress.update("\x1b[31mäöü\x1b[0m");
    CHECK(terminal.written() == "\r\x1b[K\x1b[31mäöü\x1b[0m");
    progress.update("\x1b[31m0123456789");
    CHECK(terminal.written() == "\r\x1b[K\x1b[31m012345678\x1b[0m");
  }
  CHECK(terminal.written() == "\r\x1b[K");
}
