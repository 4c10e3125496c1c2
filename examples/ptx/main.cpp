// kerlab_ptx FILE.ptx: runs one kernel of a PTX file on an emulated GPU, prints what it wrote and what it counted. It
// links the emulator and nothing else of kerlab: the example of how to use it as a library (src/device/emu/README.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iostream>

#include "argument.h"
#include "base/error.h"
#include "base/file.h"
#include "device/emu/emu_device.h"
#include "device/emu/emu_device_profile.h"
#include "device/emu/image.h"
#include "device/emu/ptx/ir.h"

namespace ptx_example {
namespace {

using kerlab::Error;
using kerlab::UsageError;

constexpr const char* kUsage =
    R"(kerlab_ptx FILE.ptx --grid X[,Y[,Z]] --block X[,Y[,Z]] --arg ARGUMENT...: runs a kernel on an emulated GPU

  --kernel NAME    which one, where the file has several
  --arg ARGUMENT   one for each parameter, in order: buffer:TYPE:COUNT[:FILL] or TYPE:VALUE
                   TYPE: f64 f32 f16 bf16 e4m3 e5m2 i64 i32 i16 i8 u64 u32 u16 u8
                   FILL: a number, index (0 1 2 ...), random, or @FILE with the bytes; 0 where it is not given
  --cluster X[,Y[,Z]], --shared BYTES   of the launch: cluster, dynamic shared memory
  --device NAME    a profile of configs/devices: h200 (default), h100, a100, ...
  --show N         so many values of each buffer (default 8)
  --lines N        the N instructions that were issued most often
  --sanitize       races, uninitialised and stray accesses, missing fences instead of counts; exit code 3 if any
)";

struct Options {
  std::string file, kernel, device = "h200";
  kerlab::device::BoundLaunch launch;
  std::vector<Argument> arguments;
  std::size_t show = 8, lines = 0;
  bool sanitize = false, shaped = false;
};

std::uint32_t whole(std::string_view text, const std::string& flag) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw UsageError(fmt::format("{} {}: must be a whole number", flag, text));
  return value;
}

kerlab::plan::Dim3 extent(const std::string& text, const std::string& flag) {
  std::array<std::uint32_t, 3> sizes{1, 1, 1};
  std::size_t begin = 0;
  for (std::uint32_t& size : sizes) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    size = whole(std::string_view(text).substr(begin, end - begin), flag);
    if (end == text.size()) return {sizes[0], sizes[1], sizes[2]};
    begin = end + 1;
  }
  throw UsageError(fmt::format("{} {}: must be X, X,Y or X,Y,Z", flag, text));
}

Options read_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& flag = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) throw UsageError(fmt::format("{} needs a value; kerlab_ptx --help shows it", flag));
      return words[++i];
    };
    if (flag == "--kernel")
      options.kernel = value();
    else if (flag == "--device")
      options.device = value();
    else if (flag == "--grid")
      options.launch.grid = extent(value(), flag), options.shaped = true;
    else if (flag == "--block")
      options.launch.block = extent(value(), flag), options.shaped = true;
    else if (flag == "--cluster")
      options.launch.cluster = extent(value(), flag);
    else if (flag == "--shared")
      options.launch.dynamic_shared = whole(value(), flag);
    else if (flag == "--arg")
      options.arguments.push_back(read_argument(value()));
    else if (flag == "--show")
      options.show = whole(value(), flag);
    else if (flag == "--lines")
      options.lines = whole(value(), flag);
    else if (flag == "--sanitize")
      options.sanitize = true;
    else if (flag.starts_with('-'))
      throw UsageError(fmt::format("{}: no such option; kerlab_ptx --help lists them", flag));
    else if (options.file.empty())
      options.file = flag;
    else
      throw UsageError(fmt::format("{}: one PTX file at a time ({} came before)", flag, options.file));
  }
  if (options.file.empty()) throw UsageError("which PTX file? kerlab_ptx --help shows an example");
  if (!options.shaped) throw UsageError("how many threads? Give --grid and --block");
  return options;
}

std::string parameters_text(const kerlab::ptx::Kernel& kernel) {
  std::string text;
  for (const kerlab::ptx::Symbol& symbol : kernel.symbols)
    if (symbol.space == kerlab::ptx::Space::param) text += fmt::format("\n  {}, {} bytes", symbol.name, symbol.bytes);
  return text.empty() ? " none" : text;
}

kerlab::ptx::ParseResult parse_file(const std::string& file, const std::string& text) {
  try {
    return kerlab::ptx::parse(text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file, error.what()), error.code());
  }
}

/// The kernel's name. Throws Error where it is not clear, or where the arguments do not fit it.
std::string choose_kernel(const Options& options, const std::string& text) {
  const kerlab::ptx::ParseResult parsed = parse_file(options.file, text);
  const auto& kernels = parsed.module.kernels;
  for (const auto& failure : parsed.failures)
    if (failure.kernel == options.kernel || (options.kernel.empty() && kernels.empty()))
      throw Error(fmt::format("{}: kernel '{}': {}", options.file, failure.kernel, failure.reason),
                  kerlab::ExitCode::inconclusive);
  std::string names;
  for (const auto& kernel : kernels) {
    names += (names.empty() ? "" : ", ") + kernel.name;
    if (kernel.name != options.kernel && (!options.kernel.empty() || kernels.size() > 1)) continue;
    std::size_t parameters = 0;
    for (const auto& symbol : kernel.symbols) parameters += symbol.space == kerlab::ptx::Space::param ? 1 : 0;
    if (parameters != options.arguments.size())
      throw UsageError(fmt::format("'{}' has {} parameters, but {} --arg are given. Its parameters:{}", kernel.name,
                                   parameters, options.arguments.size(), parameters_text(kernel)));
    return kernel.name;
  }
  throw UsageError(
      options.kernel.empty()
          ? fmt::format("{}: which kernel? --kernel NAME; there is {}", options.file, names)
          : fmt::format("--kernel {}: {} has {}", options.kernel, options.file, names.empty() ? "no kernel" : names));
}

void print_buffer(std::size_t index, const Argument& argument, const std::vector<std::byte>& after, std::size_t show) {
  const std::size_t bytes = argument.type.bytes;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < argument.count; ++i)
    changed += std::memcmp(&after[i * bytes], &argument.bytes[i * bytes], bytes) != 0 ? 1 : 0;
  fmt::print("arg {}: {} {}, {} changed:", index, argument.count, argument.type.name, changed);
  for (std::size_t i = 0; i < std::min(show, argument.count); ++i)
    fmt::print(" {}", value_text(argument.type, &after[i * bytes]));
  fmt::print("{}\n", show < argument.count ? " ..." : "");
}

void print_counts(const kerlab::plan::Counts& counts) {
  for (std::size_t pipe = 0; pipe < kerlab::plan::kPipes; ++pipe)
    if (counts.warp_instructions[pipe] > 0)
      fmt::print("  {:<24} {:>12} by warp {:>14} by lane\n", kerlab::plan::name(static_cast<kerlab::plan::Pipe>(pipe)),
                 counts.warp_instructions[pipe], counts.lane_instructions[pipe]);
  const auto row = [](const char* name, std::int64_t count) {
    if (count > 0) fmt::print("  {:<24} {:>12}\n", name, count);
  };
  row("flops", counts.flops);
  row("tensor flops", counts.tensor_flops);
  row("global bytes loaded", counts.global_load_bytes);
  row("global bytes stored", counts.global_store_bytes);
  row("global requests", counts.global_requests);
  row("global sectors", counts.global_sectors);
  row("shared bytes loaded", counts.shared_load_bytes);
  row("shared bytes stored", counts.shared_store_bytes);
  row("shared wavefronts", counts.shared_wavefronts);
  row("local bytes", counts.local_bytes);
  row("atomics", counts.atomics);
  row("divergent branches", counts.divergent_branches);
  row("barriers", counts.barriers);
}

void print_lines(std::vector<kerlab::plan::LineCounts> lines, std::size_t most) {
  std::ranges::stable_sort(lines, std::ranges::greater{}, &kerlab::plan::LineCounts::warp_instructions);
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i)
    fmt::print("  line {:>5}  {:>12} by warp  {}\n", lines[i].line.ptx_line, lines[i].warp_instructions, lines[i].text);
}

/// "saxpy.cu:12", where the PTX says so (-lineinfo), or "ptx line 31".
std::string place_text(const kerlab::plan::CodeLine& line) {
  return line.file.empty() ? fmt::format("ptx line {}", line.ptx_line) : fmt::format("{}:{}", line.file, line.line);
}

bool print_findings(const std::vector<kerlab::plan::Finding>& findings) {
  for (const kerlab::plan::Finding& finding : findings)
    fmt::print("  {}: {}, {} times: {}\n", place_text(finding.line), kerlab::plan::name(finding.hazard), finding.count,
               finding.message);
  if (findings.empty()) fmt::print("  nothing found\n");
  return findings.empty();
}

/// Puts the arguments into device memory, launches, reads them back.
kerlab::ExitCode run(Options options) {
  using namespace kerlab;
  const std::string text = read_text(options.file);
  options.launch.kernel = choose_kernel(options, text);
  emu::EmuOptions how = emu::emu_options_from_environment();
  how.sample_blocks = 0;  // every block, also of those that are counted
  emu::EmuDevice device(emu::read_emulated_device(emu::profile_folder(), options.device), how);
  options.launch.module = device.load(emu::emulated_image(text, {}), options.file);
  std::vector<device::Allocation> buffers;
  for (const Argument& argument : options.arguments) {
    std::vector<std::byte> bytes = argument.bytes;
    if (argument.is_buffer) {
      buffers.emplace_back(device, bytes.size());
      device.copy_in(buffers.back().pointer(), bytes);
      const device::DevicePtr pointer = buffers.back().pointer();
      bytes.resize(sizeof pointer);
      std::memcpy(bytes.data(), &pointer, sizeof pointer);
    }
    options.launch.arguments.push_back(std::move(bytes));
  }
  const plan::LaunchReport report =
      device.launch(options.launch, options.sanitize ? device::LaunchMode::sanitize : device::LaunchMode::count);
  fmt::print("{} on emu:{}, {} blocks\n", options.launch.kernel, options.device, report.blocks_run);
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < options.arguments.size(); ++i) {
    const Argument& argument = options.arguments[i];
    if (!argument.is_buffer) continue;
    std::vector<std::byte> after(argument.bytes.size());
    device.copy_out(after, buffers[buffer++].pointer());
    print_buffer(i, argument, after, options.show);
  }
  if (options.sanitize) return print_findings(report.findings) ? ExitCode::passed : ExitCode::wrong;
  print_counts(report.counts);
  print_lines(report.lines, options.lines);
  return ExitCode::passed;
}

}  // namespace
}  // namespace ptx_example

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words[0] == "--help") {
    std::cout << ptx_example::kUsage;
    return words.empty() ? static_cast<int>(kerlab::ExitCode::usage) : 0;
  }
  try {
    return static_cast<int>(ptx_example::run(ptx_example::read_options(words)));
  } catch (const kerlab::device::DeviceFault& fault) {
    std::cerr << "kerlab_ptx: " << fault.what() << '\n';
    return static_cast<int>(fault.kind() == kerlab::device::FaultKind::unsupported ? kerlab::ExitCode::inconclusive
                                                                                   : kerlab::ExitCode::failed);
  } catch (const kerlab::Error& error) {
    std::cerr << "kerlab_ptx: " << error.what() << '\n';
    return static_cast<int>(error.code());
  }
}
