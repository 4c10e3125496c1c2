// What NVRTC and ptxas say, as numbers.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/split.h"
#include "compile/compile_log.h"
#include "compile/compiler.h"

namespace kerlab::compile {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The number that stands before `label`: number_before("Used 32 registers", " registers") is 32; 0 without one.
int number_before(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return 0;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int value = 0;
  std::from_chars(line.data() + begin, line.data() + at, value);
  return value;
}

/// The number after `label`: "ptx input, line 23; error" -> 23.
int number_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return 0;
  int value = 0;
  std::from_chars(line.data() + at + label.size(), line.data() + line.size(), value);
  return value;
}

/// Between the first pair of single quotes after `label`, or empty.
std::string_view quoted_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  const std::size_t open = at == std::string_view::npos ? at : line.find('\'', at + label.size());
  const std::size_t close = open == std::string_view::npos ? open : line.find('\'', open + 1);
  return close == std::string_view::npos ? std::string_view{} : line.substr(open + 1, close - open - 1);
}

void parse_line(std::string_view line, std::vector<KernelResources>& kernels) {
  if (const std::string_view name = quoted_after(line, "Compiling entry function"); !name.empty()) {
    kernels.push_back({});
    kernels.back().kernel = name;
  }
  if (kernels.empty()) return;
  KernelResources& kernel = kernels.back();
  if (contains(line, "bytes stack frame")) {
    // Functions that were not inlined come after the kernel that calls them and count for it as well.
    kernel.local_bytes += number_before(line, " bytes stack frame");
    kernel.spill_bytes += number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
  }
  if (contains(line, " registers") && contains(line, "Used ")) {
    kernel.registers = number_before(line, " registers");
    kernel.static_shared = number_before(line, " bytes smem");
  }
}

bool is_error(std::string_view line) {
  // NVRTC: "k.cu(3): error: ..."; ptxas: "ptxas ... line 3; error   : ..." and "ptxas fatal   : ..."
  return contains(line, "error: ") || contains(line, "error   : ") || contains(line, "fatal   : ");
}

}  // namespace

std::vector<std::string> base_options(const std::string& arch) {
  return {"--gpu-architecture=" + arch, "--std=c++20", "--device-as-default-execution-space", "--ptxas-options=-v"};
}

void parse_log(const std::string& log, CompileResult& result) {
  result.kernels.clear();
  for (const std::string_view line : split_lines(log)) parse_line(line, result.kernels);
  result.wgmma_serialised = contains(log, "C7511") || contains(log, "wgmma.mma_async instructions are serialized");
  result.wgmma_wait_injected = contains(log, "C7517");
  result.setmaxnreg_ignored = contains(log, "C7508");
}

std::string first_error(const std::string& log, const std::string& ptx) {
  const std::vector<std::string_view> lines = split_lines(log);
  const auto error = std::find_if(lines.begin(), lines.end(), is_error);
  if (error == lines.end()) return {};
  std::string message(*error);
  if (const int number = number_after(*error, "ptx input, line "); number > 0) {
    // Inline assembly: the user's line is not known, but the instruction is.
    const std::vector<std::string_view> instructions = split_lines(ptx);
    if (static_cast<std::size_t>(number) <= instructions.size())
      message += fmt::format("\n    {}", instructions[static_cast<std::size_t>(number) - 1]);
    return message;
  }
  // The source line, the caret and "detected during instantiation" follow, up to a blank line.
  constexpr int kMostLines = 8;
  int taken = 0;
  for (auto line = error + 1; line != lines.end() && !line->empty() && taken < kMostLines; ++line, ++taken)
    if (!is_error(*line)) message += fmt::format("\n{}", *line);
  return message;
}

}  // namespace kerlab::compile
