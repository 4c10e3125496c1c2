#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "session/analyse/assembly.h"

namespace kerlab::session {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool holds_any(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&text](std::string_view part) { return text.find(part) != std::string::npos; });
}

/// Without a predicate: "@%p1 mma.sync..." -> "mma.sync...".
std::string operation(const std::string& text) {
  if (text.empty() || text.front() != '@') return text;
  const std::size_t space = text.find_first_of(" \t");
  return space == std::string::npos ? text : trimmed(text.substr(space));
}

AssemblyBlock::Instruction ptx_instruction(const std::string& text) {
  const std::string op = operation(text);
  AssemblyBlock::Instruction instruction{text};
  instruction.tensor = op.starts_with("mma.") || op.starts_with("wmma.") || op.starts_with("wgmma.mma");
  instruction.copy = op.starts_with("cp.async") || op.starts_with("cp.reduce.async") || op.starts_with("st.async");
  return instruction;
}

AssemblyBlock::Instruction sass_instruction(const std::string& text) {
  const std::string op = operation(text);
  AssemblyBlock::Instruction instruction{text};
  instruction.tensor = op.substr(0, op.find_first_of(". ")).ends_with("MMA");  // HMMA, HGMMA, ...; not HFMA2.MMA
  instruction.copy = holds_any(op.substr(0, op.find(' ')), {"LDGSTS", "UTMA", "UBLK", "STAS"});
  return instruction;
}

/// Collects instructions under the line that was told last.
class Blocks {
 public:
  void enter(const std::string& kernel) {
    kernel_ = kernel;
    at(std::string(), 0);
  }
  void at(const std::string& file, int line) {
    file_ = file;
    line_ = line;
  }
  void add(AssemblyBlock::Instruction instruction) {
    const bool same = !blocks_.empty() && blocks_.back().kernel == kernel_ && blocks_.back().file == file_ &&
                      blocks_.back().line == line_;
    if (!same) blocks_.push_back({kernel_, file_, line_, "", {}});
    blocks_.back().instructions.push_back(std::move(instruction));
  }
  std::vector<AssemblyBlock> take() { return std::move(blocks_); }

 private:
  std::string kernel_, file_;
  int line_ = 0;
  std::vector<AssemblyBlock> blocks_;
};

std::string quoted_part(const std::string& text) {
  const std::size_t first = text.find('"'), last = text.find('"', first + 1);
  return first == std::string::npos || last == std::string::npos ? "" : text.substr(first + 1, last - first - 1);
}

/// ".file 1 "reg2d.cu"" stands at the end of the text.
std::map<int, std::string> ptx_files(const std::string& ptx) {
  std::map<int, std::string> files;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    const std::string text = trimmed(line);
    if (text.starts_with(".file")) files[std::atoi(text.c_str() + 5)] = quoted_part(text);
  }
  return files;
}

/// ".visible .entry naive(" -> "naive"; of functions as well.
std::string ptx_function(const std::string& text) {
  for (const char* word : {".entry ", ".func "}) {
    const std::size_t at = text.find(word);
    if (at == std::string::npos) continue;
    std::string rest = trimmed(text.substr(at + std::string_view(word).size()));
    if (rest.starts_with("(")) rest = trimmed(rest.substr(rest.find(')') + 1));
    return rest.substr(0, rest.find_first_of("( \t"));
  }
  return "";
}

/// "a; b;" as "a;" and "b;"; a last one without its semicolon goes on in the next line.
std::vector<std::string> statements(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size() - 1) + 1;
    if (std::string part = trimmed(text.substr(begin, end - begin)); !part.empty()) parts.push_back(std::move(part));
    begin = end;
  }
  return parts;
}

}  // namespace

std::vector<AssemblyBlock> parse_ptx(const std::string& ptx) {
  const std::map<int, std::string> files = ptx_files(ptx);
  Blocks blocks;
  std::istringstream lines(ptx);
  int depth = 0;           // of scopes: those of a function's body may hold more, of inline assembly
  std::string unfinished;  // an instruction may take several lines
  for (std::string line; std::getline(lines, line);) {
    std::string text = trimmed(line.substr(0, line.find("//")));
    if (const std::string function = ptx_function(text); !function.empty()) {
      blocks.enter(function);
      depth = 0;
    }
    if (text.starts_with(".loc")) {
      std::istringstream numbers(text.substr(4));
      int file = 0, number = 0;
      numbers >> file >> number;
      const auto known = files.find(file);
      blocks.at(known == files.end() ? "" : known->second, number);
    }
    // Braces of operands, "{%r1, %r2}", stand within an instruction; those of scopes before or after one.
    for (; unfinished.empty() && text.starts_with("{"); ++depth) text = trimmed(text.substr(1));
    int closed = 0;
    for (; (unfinished.empty() && text == "}") || text.ends_with(";}") || text.ends_with("; }"); ++closed)
      text = trimmed(text.substr(0, text.size() - 1));
    for (const std::string& part : statements(text)) {
      if (unfinished.empty() && (depth == 0 || part.front() == '.' || part.front() == '$' || part.back() == ':'))
        continue;
      unfinished += (unfinished.empty() ? "" : " ") + part;
      if (part.back() != ';') continue;
      blocks.add(ptx_instruction(unfinished));
      unfinished.clear();
    }
    depth -= closed;
  }
  return blocks.take();
}

std::vector<AssemblyBlock> parse_sass(const std::string& sass) {
  Blocks blocks;
  std::istringstream lines(sass);
  for (std::string line; std::getline(lines, line);) {
    const std::string text = trimmed(line);
    if (text.starts_with(".text.") && text.ends_with(":")) blocks.enter(text.substr(6, text.size() - 7));
    if (text.starts_with("//## File")) {
      const std::size_t at = text.find(", line ");
      if (at != std::string::npos) blocks.at(quoted_part(text), std::atoi(text.c_str() + at + 7));
    }
    const std::size_t address_end = text.find("*/");
    if (!text.starts_with("/*") || address_end == std::string::npos) continue;
    const std::string code = trimmed(text.substr(address_end + 2, text.find(';') - address_end - 2));
    if (!code.empty() && text.find(';') != std::string::npos) blocks.add(sass_instruction(code));
  }
  return blocks.take();
}

}  // namespace kerlab::session
