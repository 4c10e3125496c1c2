#pragma once
// Long texts a screen at a time, on a terminal.

#include <string>
#include <string_view>

namespace kerlab {

/// While it lives, what is printed to standard output is collected; its end prints it, through a pager when that is
/// more than a screen. Does nothing where standard output is no terminal, or nobody wants a pager.
///
/// The pager is KERLAB_PAGER, else PAGER (both with arguments, as a shell takes them), else `less -FRX` where there is
/// one; empty or `cat`: none. What the pager does, quitting and Ctrl-C included, changes no exit code. Meanwhile
/// standard output is no terminal: what asks for colour must have asked before; COLUMNS has the width.
class Pager {
 public:
  explicit Pager(bool wanted = true);
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  ~Pager();
  [[nodiscard]] bool collects() const { return text_ >= 0; }

 private:
  int terminal_ = -1;  ///< where standard output went before
  int text_ = -1;      ///< what was printed
  bool had_columns_ = false;
};

/// Lines that a text takes on a screen of so many columns: long ones are folded, colours take no room.
int lines_on_screen(std::string_view text, int columns);

/// "less -FRX", or what KERLAB_PAGER and PAGER say; empty: none.
std::string pager_command();

}  // namespace kerlab
