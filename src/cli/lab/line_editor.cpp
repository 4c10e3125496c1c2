#include "cli/lab/line_editor.h"

#include <fmt/format.h>
#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cwchar>
#include <iostream>

#include "base/interrupt.h"
#include "base/terminal.h"

namespace kerlab::cli {

namespace {

constexpr int kRemembered = 2000;  // lines
constexpr int kGlanceMs = 100;     // between two looks at the interrupt flag

struct EndHistory {
  void operator()(History* history) const { ::history_end(history); }
};
struct EndEditLine {
  void operator()(EditLine* editor) const { ::el_end(editor); }
};

std::string last_word(const std::string& line) {
  const std::size_t space = line.find_last_of(" \t");
  return space == std::string::npos ? line : line.substr(space + 1);
}

/// In columns, below the line that is being edited.
void show_choices(const std::vector<std::string>& words) {
  std::size_t widest = 0;
  for (const std::string& word : words) widest = std::max(widest, word.size());
  const std::size_t width = static_cast<std::size_t>(std::max(terminal_width(stdout), 20));
  const std::size_t columns = std::max<std::size_t>(1, width / (widest + 2));
  std::string text = "\n";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool last = i + 1 == words.size() || (i + 1) % columns == 0;
    text += last ? words[i] + "\n" : fmt::format("{:<{}}", words[i], widest + 2);
  }
  fmt::print("{}", text);
  std::fflush(stdout);
}

}  // namespace

struct LineEditor::State {
  Complete complete;
  std::filesystem::path file;
  std::unique_ptr<History, EndHistory> history;
  std::unique_ptr<EditLine, EndEditLine> editor;
  std::string prompt;
  const InterruptFlag* interrupt = nullptr;  ///< while a line is being edited

  /// What libedit calls for the prompt and the tab key.
  static State& of(EditLine* editor) {
    void* state = nullptr;
    ::el_get(editor, EL_CLIENTDATA, &state);
    return *static_cast<State*>(state);
  }
  static char* show_prompt(EditLine* editor) { return of(editor).prompt.data(); }
  /// A key. Looks up now and then: a Ctrl-C that comes just before the wait begins would not end it.
  static int read_key(EditLine* editor, wchar_t* key) {
    std::mbstate_t state{};
    while (true) {
      if (of(editor).interrupt != nullptr && of(editor).interrupt->raised()) return -1;
      pollfd keyboard{STDIN_FILENO, POLLIN, 0};
      if (::poll(&keyboard, 1, kGlanceMs) <= 0) continue;
      char byte = 0;
      const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return static_cast<int>(got);
      const std::size_t length = std::mbrtowc(key, &byte, 1, &state);
      if (length == static_cast<std::size_t>(-2)) continue;  // the rest of it comes
      if (length != static_cast<std::size_t>(-1)) return 1;
      state = {};  // not of this locale's characters: as if it had not been typed
    }
  }
  static unsigned char complete_word(EditLine* editor, int) { return of(editor).complete_here(); }

  unsigned char complete_here() {
    const LineInfo* line = ::el_line(editor.get());
    const std::string before(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
    const std::vector<std::string> words = complete(before);
    if (words.empty()) return CC_REFRESH_BEEP;
    const std::string typed = last_word(before), common = common_beginning(words);
    std::string more = common.size() > typed.size() ? common.substr(typed.size()) : "";
    // A word that is whole is left with a space, unless a value follows it.
    if (words.size() == 1 && common.back() != '=' && common.back() != '/') more += ' ';
    if (!more.empty() && ::el_insertstr(editor.get(), more.c_str()) == 0) return CC_REFRESH;
    if (words.size() == 1) return CC_REFRESH;
    show_choices(words);
    return CC_REDISPLAY;
  }

  void open() {
    std::setlocale(LC_CTYPE, "");  // the editor counts columns by it
    HistEvent event;
    history.reset(::history_init());
    editor.reset(::el_init("kerlab", stdin, stdout, stderr));
    if (!history || !editor) return;
    ::history(history.get(), &event, H_SETSIZE, kRemembered);
    ::history(history.get(), &event, H_SETUNIQUE, 1);
    if (!file.empty()) ::history(history.get(), &event, H_LOAD, file.c_str());
    EditLine* const e = editor.get();
    ::el_set(e, EL_CLIENTDATA, this);
    ::el_set(e, EL_PROMPT, &show_prompt);
    ::el_set(e, EL_GETCFN, &read_key);
    ::el_set(e, EL_EDITOR, "emacs");
    ::el_set(e, EL_HIST, ::history, history.get());
    ::el_set(e, EL_ADDFN, "kerlab-complete", "completes a word", &complete_word);
    ::el_set(e, EL_BIND, "^I", "kerlab-complete", nullptr);
    ::el_set(e, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    ::el_source(e, nullptr);  // the user's own bindings, ~/.editrc
  }

  std::optional<std::string> edited() {
    const InterruptFlag flag;
    interrupt = &flag;
    int length = 0;
    errno = 0;
    // Before the prompt is shown: of a terminal that still collects lines, a Ctrl-D typed at once would be lost.
    ::el_set(editor.get(), EL_PREP_TERM, 1);
    const char* line = ::el_gets(editor.get(), &length);
    interrupt = nullptr;
    if (flag.terminated()) return std::nullopt;
    if (flag.raised()) {
      fmt::print("^C\n");
      ::el_reset(editor.get());
      return "";
    }
    if (line == nullptr || length <= 0) return std::nullopt;
    std::string text(line, static_cast<std::size_t>(length));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (text.find_first_not_of(" \t") != std::string::npos) {
      HistEvent event;
      ::history(history.get(), &event, H_ENTER, text.c_str());
      if (!file.empty()) ::history(history.get(), &event, H_SAVE, file.c_str());
    }
    return text;
  }
};

LineEditor::LineEditor(const std::filesystem::path& history, Complete complete) : state_(std::make_unique<State>()) {
  state_->complete = std::move(complete);
  state_->file = history;
  if (is_terminal(stdin) && is_terminal(stdout)) state_->open();
}

LineEditor::~LineEditor() = default;

bool LineEditor::interactive() const {
  return state_->editor != nullptr && state_->history != nullptr;
}

std::optional<std::string> LineEditor::read(const std::string& prompt) {
  if (interactive()) {
    state_->prompt = prompt;
    return state_->edited();
  }
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

std::string common_beginning(const std::vector<std::string>& words) {
  if (words.empty()) return "";
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto differ = std::mismatch(common.begin(), common.end(), word.begin(), word.end());
    common.erase(differ.first, common.end());
  }
  return common;
}

}  // namespace kerlab::cli
