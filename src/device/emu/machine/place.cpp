#include "device/emu/machine/place.h"

#include <fmt/format.h>

namespace kerlab::emu {

std::string triple(const Dim3& index) {
  return fmt::format("({},{},{})", index.x, index.y, index.z);
}

std::string block_name(const Dim3& index) {
  return "block " + triple(index);
}

namespace {

/// "0-3,7" of ascending numbers.
std::string number_ranges(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size(); ++first) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += first == last ? std::to_string(numbers[first]) : fmt::format("{}-{}", numbers[first], numbers[last]);
    first = last;
  }
  return text;
}

}  // namespace

std::string lane_list(std::uint32_t lanes) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    if ((lanes >> lane & 1) != 0) numbers.push_back(lane);
  return (numbers.size() <= 1 ? "lane " : "lanes ") + number_ranges(numbers);
}

std::string warp_list(const std::vector<std::uint32_t>& warps) {
  return (warps.size() <= 1 ? "warp " : "warps ") + number_ranges(warps);
}

CodeLine code_line(const ptx::Instruction& instruction, const std::vector<std::string>* files) {
  const ptx::Location& at = instruction.location;
  const auto name = [&](std::int32_t file) {
    const bool known = files != nullptr && file > 0 && file <= static_cast<std::int32_t>(files->size());
    return known ? (*files)[static_cast<std::size_t>(file - 1)] : std::string();
  };
  CodeLine line{name(at.source_file), 0, at.ptx_line, name(at.caller_file), 0};
  if (!line.file.empty()) line.line = at.source_line;
  if (!line.caller_file.empty()) line.caller_line = at.caller_line;
  return line;
}

std::string place(const ptx::Instruction* instruction, const std::vector<std::string>* files) {
  if (instruction == nullptr) return "somewhere";
  const CodeLine line = code_line(*instruction, files);
  std::string text = fmt::format("at {} (ptx line {}", instruction->text, line.ptx_line);
  if (!line.file.empty()) text += fmt::format(", {}:{}", line.file, line.line);
  return text + ")";
}

std::string plain_name(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  for (std::size_t e = name.rfind('E'); e != std::string::npos && e > 0; e = name.rfind('E', e - 1)) {
    std::size_t at = e + 1, length = 0;
    for (; at < name.size() && name[at] >= '0' && name[at] <= '9'; ++at)
      length = 10 * length + static_cast<std::size_t>(name[at] - '0');
    if (length > 0 && at + length <= name.size()) return name.substr(at, length);
  }
  return name;
}

const ptx::Instruction* instruction_of(const Block& block) {
  if (block.op != nullptr) return block.op->instruction;
  return block.begin != block.end ? block.end[-1].instruction : nullptr;
}

Dim3 unlinear(std::int64_t linear, const Dim3& extent) {
  return {static_cast<std::uint32_t>(linear % extent.x), static_cast<std::uint32_t>(linear / extent.x % extent.y),
          static_cast<std::uint32_t>(linear / extent.x / extent.y)};
}

}  // namespace kerlab::emu
