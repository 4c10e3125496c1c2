#include "device/emu/sanitize/findings.h"

#include <fmt/format.h>

#include "device/emu/machine/place.h"

namespace kerlab::emu {
namespace {

/// The same for all instructions of a source line, as one line of the kernel calls it.
std::int64_t key_of(const ptx::Instruction* instruction) {
  if (instruction == nullptr) return 0;
  const ptx::Location& at = instruction->location;
  // Lines have 20 bits, which is plenty; files are few.
  if (at.source_line > 0)
    return std::int64_t{at.source_file} << 52 | std::int64_t{at.caller_file} << 42 |
           std::int64_t{at.caller_line} << 20 | at.source_line;
  return -std::int64_t{at.ptx_line};
}

}  // namespace

CodeLine Findings::line(const ptx::Instruction* instruction) const {
  return instruction == nullptr ? CodeLine{} : code_line(*instruction, files_);
}

std::string Findings::place(const ptx::Instruction* instruction) const {
  const CodeLine at = line(instruction);
  if (at.file.empty()) return fmt::format("ptx line {}", at.ptx_line);
  return fmt::format("{}:{}", at.file.substr(at.file.find_last_of('/') + 1), at.line);
}

Finding* Findings::find(Hazard hazard, const ptx::Instruction* at, const ptx::Instruction* other) {
  const Key key{hazard, key_of(at), key_of(other)};
  if (const auto known = known_.find(key); known != known_.end()) {
    ++findings_[known->second].count;
    return nullptr;
  }
  if (findings_.size() >= kMost) return nullptr;
  known_[key] = findings_.size();
  return &findings_.emplace_back(Finding{hazard, "", line(at), line(other), 1});
}

}  // namespace kerlab::emu
