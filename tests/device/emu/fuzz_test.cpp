// Random programs on the emulated machine, in all its ways, against the oracle: all memory bit for bit.
//   kerlab_tests "[random]"                             a fixed set of seeds
//   KERLAB_FUZZ_SECONDS=3600 kerlab_tests "[fuzz]"   from KERLAB_FUZZ_SEED (default: the time) on; prints what differs,
//   made small

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <span>

#include "catch.h"
#include "device/emu/conformance/inputs.h"
#include "device/emu/machine/machine.h"
#include "device/emu/memory.h"
#include "device/emu/oracle/oracle.h"
#include "device/emu/oracle/random_program.h"
#include "device/emu/ptx/ir.h"

namespace kerlab {
using namespace emu;
namespace {

using oracle::Program;
using Bytes = std::vector<std::byte>;

constexpr std::uint64_t kInput = 0x100000, kOutput = 0x10000000, kAccumulators = 0x20000000;

struct Result {
  Bytes output, accumulators;
  bool operator==(const Result&) const = default;
};

std::size_t threads_of(const Program& program) {
  return std::size_t{program.grid} * program.block_x * program.block_y;
}

/// Special values and random bits of all types.
Bytes input_of(const Program& program) {
  static const char* const types[] = {"f32", "s32", "f16x2", "f64", "s64", "bf16x2", "u32", "f32"};
  Bytes bytes(threads_of(program) * oracle::kInputWords * 8);
  for (std::size_t i = 0; i < bytes.size() / 8; ++i) {
    const std::uint64_t record = conformance::mix(program.seed * 1000003 + i) % 4096;
    const std::uint64_t word = conformance::input_word(types[record % 8], {2, i % 2, 4096, record});
    std::memcpy(bytes.data() + 8 * i, &word, 8);
  }
  return bytes;
}

std::vector<std::byte> parameters(std::uint64_t in, std::uint64_t out, std::uint64_t accumulators) {
  const std::uint64_t all[] = {in, out, accumulators};
  const auto bytes = std::as_bytes(std::span(all));
  return {bytes.begin(), bytes.end()};
}

Result on_oracle(const Program& program, const ptx::Kernel& kernel) {
  std::vector<oracle::Buffer> memory{{kInput, input_of(program)},
                                     {kOutput, Bytes(threads_of(program) * oracle::kOutputBytes)},
                                     {kAccumulators, Bytes(oracle::kAccumulators * 4)}};
  oracle::Launch launch;
  launch.kernel = &kernel;
  launch.grid = {program.grid, 1, 1};
  launch.block = {program.block_x, program.block_y, 1};
  launch.parameters = parameters(kInput, kOutput, kAccumulators);
  oracle::run(launch, memory);
  return {memory[1].bytes, memory[2].bytes};
}

struct Way {
  const char* isa;
  int threads;
  bool count;
};
constexpr Way kWays[] = {{"", 1, false}, {"portable", 1, true}, {"", 2, true}};

Result on_machine(const Program& program, const ptx::Kernel& kernel, const Way& way, LaunchReport& report) {
  emu::GlobalMemory memory(std::int64_t{1} << 28);
  const auto place = [&](const Bytes& bytes) {
    const DevicePtr at = memory.allocate(bytes.size());
    std::memcpy(memory.at(at, bytes.size()), bytes.data(), bytes.size());
    return at;
  };
  Result result{Bytes(threads_of(program) * oracle::kOutputBytes), Bytes(oracle::kAccumulators * 4)};
  const DevicePtr in = place(input_of(program)), out = place(result.output), sums = place(result.accumulators);
  setenv("KERLAB_EMU_ISA", way.isa, 1);
  const emu::ProgramPtr lowered = emu::lower(kernel, 0, 0);
  unsetenv("KERLAB_EMU_ISA");
  const Bytes bytes = parameters(in, out, sums);
  emu::MachineLaunch launch;
  launch.program = lowered.get();
  launch.memory = &memory;
  launch.grid = {program.grid, 1, 1};
  launch.block = {program.block_x, program.block_y, 1};
  launch.parameters = bytes;
  launch.threads = way.threads;
  launch.count = launch.record_writes = way.count;
  launch.instruction_budget = 1 << 24;
  report = emu::run(launch);
  std::memcpy(result.output.data(), memory.at(out, result.output.size()), result.output.size());
  std::memcpy(result.accumulators.data(), memory.at(sums, result.accumulators.size()), result.accumulators.size());
  return result;
}

std::string first_difference(const Bytes& want, const Bytes& have, const char* what, std::size_t each) {
  const auto at = static_cast<std::size_t>(std::mismatch(want.begin(), want.end(), have.begin()).first - want.begin());
  if (at == want.size()) return {};
  return fmt::format("{}: thread {}, byte {}: oracle {:02x}, machine {:02x}", what, at / each, at % each,
                     static_cast<unsigned>(want[at]), static_cast<unsigned>(have[at]));
}

/// Unsupported by the machine or the parser: nothing to compare.
struct Skipped {
  std::string why;
};
/// What is wrong with the oracle's side: then it is no failure of the machine.
struct Invalid {
  std::string why;
};

/// Empty when all ways agree with the oracle.
std::string failure(const Program& program, const std::vector<bool>& keep = {}) {
  const ptx::ParseResult parsed = ptx::parse(oracle::to_ptx(program, keep));
  if (!parsed.failures.empty()) throw Skipped{parsed.failures[0].reason};
  const ptx::Kernel& kernel = *parsed.module.find(oracle::kEntry);
  Result expected;
  try {
    expected = on_oracle(program, kernel);
  } catch (const std::exception& error) {
    throw Invalid{error.what()};
  }
  std::optional<Counts> counts;
  for (const Way& way : kWays) {
    const std::string name = fmt::format("{} handlers, {} threads", *way.isa == 0 ? "fastest" : way.isa, way.threads);
    LaunchReport report;
    Result got;
    try {
      got = on_machine(program, kernel, way, report);
    } catch (const ptx::Unsupported& error) {
      throw Skipped{error.what()};
    } catch (const std::exception& error) {
      return name + ": " + error.what();
    }
    if (!(got == expected)) {
      const std::string text = first_difference(expected.output, got.output, "output", oracle::kOutputBytes);
      return name + ": " + (text.empty() ? first_difference(expected.accumulators, got.accumulators, "sums", 4) : text);
    }
    if (way.count && counts && !(*counts == report.counts)) return name + ": counts differ between ways";
    if (way.count) counts = report.counts;
  }
  return {};
}

/// Leaves out as many items as it can while the program still fails.
std::vector<bool> minimised(const Program& program) {
  std::vector<bool> keep(program.items.size(), true);
  const auto fails = [&](const std::vector<bool>& some) {
    try {
      return !failure(program, some).empty();
    } catch (const Skipped&) {
    } catch (const Invalid&) {
    } catch (const Error&) {
    }
    return false;
  };
  for (std::size_t chunk = program.items.size(); chunk > 0; chunk /= 2) {
    for (std::size_t at = 0; at < keep.size(); at += chunk) {
      std::vector<bool> fewer = keep;
      std::fill(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                fewer.begin() + static_cast<std::ptrdiff_t>(std::min(at + chunk, keep.size())), false);
      if (fewer != keep && fails(fewer)) keep = fewer;
    }
  }
  return keep;
}

struct Tally {
  int run = 0, skipped = 0;
  std::vector<std::string> failures;
};

void run_seed(std::uint64_t seed, Tally& tally) {
  const Program program = oracle::random_program(seed);
  try {
    const std::string text = failure(program);
    ++tally.run;
    if (text.empty()) return;
    const std::vector<bool> small = minimised(program);
    tally.failures.push_back(fmt::format("seed {}: {}\nmade small: {}\n{}", seed, text, failure(program, small),
                                         oracle::to_ptx(program, small)));
  } catch (const Skipped& skipped) {
    ++tally.skipped;
    if (tally.skipped <= 3) UNSCOPED_INFO("seed " << seed << " skipped: " << skipped.why);
  } catch (const Invalid& invalid) {
    tally.failures.push_back(fmt::format("seed {}: the program is not valid: {}", seed, invalid.why));
  } catch (const std::exception& error) {
    tally.failures.push_back(fmt::format("seed {}: {}", seed, error.what()));
  }
}

}  // namespace

TEST_CASE("Random programs: the machine agrees with the oracle", "[emu][random]") {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) run_seed(seed, tally);
  for (const std::string& text : tally.failures) {
    UNSCOPED_INFO(text);
    CHECK(false);
  }
  CHECK(tally.skipped == 0);
}

TEST_CASE("Random programs for a long time", "[.fuzz]") {
  const char* seconds = std::getenv("KERLAB_FUZZ_SECONDS");
  const char* first = std::getenv("KERLAB_FUZZ_SEED");
  const auto begin = std::chrono::steady_clock::now();
  const auto end = begin + std::chrono::seconds(seconds != nullptr ? std::atoi(seconds) : 60);
  std::uint64_t seed = first != nullptr
                           ? std::strtoull(first, nullptr, 10)
                           : static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  fmt::print("first seed {}\n", seed);
  Tally tally;
  std::size_t shown = 0;
  while (std::chrono::steady_clock::now() < end && tally.failures.size() < 5) {
    run_seed(seed++, tally);
    for (; shown < tally.failures.size(); ++shown) fmt::print("{}\n", tally.failures[shown]);
  }
  fmt::print("{} programs agree, {} skipped, {} differ\n", tally.run, tally.skipped, tally.failures.size());
  CHECK(tally.failures.empty());
}

}  // namespace kerlab
