#include "cli/analyse/assembly_screen.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/terminal.h"
#include "report/form/table.h"

namespace kerlab::cli {

namespace {

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// "57", "number.h:12", "-": lines of the variant's own source need no file.
std::string place(const AssemblyBlock& block, const Assembly& assembly) {
  if (block.line == 0) return "-";
  if (block.file == assembly.main_file) return fmt::format("{}", block.line);
  return fmt::format("{}:{}", file_name(block.file), block.line);
}

std::string headline(const Assembly& assembly, bool color) {
  return fmt::format("{} of {}  {}  {}\n", assembly.language, styled(assembly.label, Style::bold, color),
                     assembly.title, assembly.arch);
}

/// All blocks of one line of one kernel.
struct LineSum {
  const AssemblyBlock* first = nullptr;
  std::size_t instructions = 0, tensor = 0, copies = 0;
};

std::vector<LineSum> sums(const Assembly& assembly) {
  std::map<std::tuple<std::string, bool, std::string, int>, LineSum> lines;  // the variant's own file first
  for (const AssemblyBlock& block : assembly.blocks) {
    LineSum& sum = lines[{block.kernel, block.file != assembly.main_file, block.file, block.line}];
    if (sum.first == nullptr) sum.first = &block;
    sum.instructions += block.instructions.size();
    for (const auto& one : block.instructions) {
      sum.tensor += one.tensor ? 1 : 0;
      sum.copies += one.copy ? 1 : 0;
    }
  }
  std::vector<LineSum> list;
  for (const auto& [key, sum] : lines) list.push_back(sum);
  return list;
}

std::string count_cell(std::size_t count) {
  return count == 0 ? "" : fmt::format("{}", count);
}

bool is_at(const AssemblyBlock& block, const SourcePlace& place, const Assembly& assembly) {
  if (block.line != place.line) return false;
  return place.file.empty() ? block.file == assembly.main_file : file_name(block.file) == place.file;
}

[[noreturn]] void throw_no_code(const Assembly& assembly, const SourcePlace& wanted) {
  std::vector<int> lines;
  for (const AssemblyBlock& block : assembly.blocks)
    if (is_at(block, {wanted.file, block.line}, assembly) && block.line > 0) lines.push_back(block.line);
  const int line = wanted.line;
  std::ranges::sort(lines, {}, [line](int one) { return std::pair(std::abs(one - line), one); });
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  lines.resize(std::min<std::size_t>(lines.size(), 5));
  std::ranges::sort(lines);
  throw UsageError(fmt::format("line {} of {} made no code{}", line,
                               wanted.file.empty() ? file_name(assembly.main_file) : wanted.file,
                               lines.empty() ? "" : fmt::format("; lines near it did: {}", fmt::join(lines, ", "))));
}

}  // namespace

std::string assembly_overview(const Assembly& assembly, bool color, int width) {
  std::string text = headline(assembly, color), kernel;
  Table table{{{"line", Align::right},
               {"instr.", Align::right},
               {"tensor", Align::right},
               {"copies", Align::right},
               {"source"}},
              {}};
  std::size_t all = 0, tensor = 0;
  const int room = std::max(20, width - 42);
  const std::vector<LineSum> lines = sums(assembly);
  for (const LineSum& sum : lines) {
    if (sum.first->kernel != kernel) {
      kernel = sum.first->kernel;
      table.rows.push_back({"", "", "", "", kernel + ":"});
    }
    all += sum.instructions;
    tensor += sum.tensor;
    table.rows.push_back({place(*sum.first, assembly), count_cell(sum.instructions), count_cell(sum.tensor),
                          count_cell(sum.copies), shortened(sum.first->source, room)});
  }
  text += text_table(table, color, 0, width);
  text += fmt::format("{} instructions, {} of the tensor pipe; of one line: --line N or FILE:N; all of it: --all\n",
                      all, tensor);
  return text;
}

SourcePlace parse_place(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string number = colon == std::string::npos ? text : text.substr(colon + 1);
  SourcePlace place{colon == std::string::npos ? "" : text.substr(0, colon), 0};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), place.line);
  if (error != std::errc{} || end != number.data() + number.size() || place.line < 1)
    throw UsageError(
        fmt::format("--line {}: a line of the kernel's source, or FILE:N, as in 131 or epilogue.cuh:62", text));
  return place;
}

std::string assembly_text(const Assembly& assembly, const std::optional<SourcePlace>& only, bool color, int width) {
  std::string text = headline(assembly, color), kernel;
  bool any = false;
  for (const AssemblyBlock& block : assembly.blocks) {
    if (only && !is_at(block, *only, assembly)) continue;
    any = true;
    if (block.kernel != kernel) {
      kernel = block.kernel;
      text += styled(kernel + ":", Style::bold, color) + "\n";
    }
    text +=
        styled(shortened(fmt::format("{:>5}  {}", place(block, assembly), block.source), width), Style::dim, color) +
        "\n";
    for (const auto& one : block.instructions) {
      const std::string mark = one.tensor ? "T" : one.copy ? "C" : " ";
      text +=
          fmt::format("     {} {}\n", mark, one.tensor || one.copy ? styled(one.text, Style::bold, color) : one.text);
    }
  }
  if (!any && only) throw_no_code(assembly, *only);
  return text + "T: tensor pipe, C: asynchronous copy\n";
}

JsonValue::Object assembly_value(const Assembly& assembly) {
  JsonValue::Array blocks;
  for (const AssemblyBlock& block : assembly.blocks) {
    JsonValue::Array instructions;
    for (const auto& one : block.instructions)
      instructions.push_back(JsonValue::Object{{"text", one.text}, {"tensor", one.tensor}, {"copy", one.copy}});
    blocks.push_back(JsonValue::Object{{"kernel", block.kernel},
                                       {"file", file_name(block.file)},
                                       {"line", block.line},
                                       {"source", block.source},
                                       {"instructions", std::move(instructions)}});
  }
  return {{"problem", assembly.title},     {"kernel", assembly.label}, {"completion", assembly.completion},
          {"language", assembly.language}, {"arch", assembly.arch},    {"blocks", std::move(blocks)}};
}

}  // namespace kerlab::cli
