// The emulated device and the oracle against what a GPU computed: every form of conformance/*.ptx, bit for bit where
// the instruction is not an approximation. conformance/record made conformance/expected.

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "catch.h"
#include "device/emu/conformance/approximate.h"
#include "device/emu/conformance/inputs.h"
#include "device/emu/machine/machine.h"
#include "device/emu/memory.h"
#include "device/emu/oracle/oracle.h"
#include "device/emu/ptx/ir.h"
#include "locations.h"

namespace kerlab {
using namespace emu;
namespace {

using conformance::Form;
using Bytes = std::vector<std::byte>;

std::filesystem::path folder() {
  return tests_folder() / "device/emu/conformance";
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Bytes bytes_of(const std::vector<std::uint64_t>& words) {
  Bytes bytes(words.size() * 8 + 8);
  std::memcpy(bytes.data(), words.data(), words.size() * 8);
  return bytes;
}

std::size_t output_bytes(const Form& form) {
  return static_cast<std::size_t>(form.out) * static_cast<std::size_t>(form.records);
}

Bytes run_oracle(const ptx::Module& module, const ptx::Kernel& kernel, const Form& form) {
  const std::uint64_t in = 0x10000000, out = 0x20000000, globals = 0x30000000, constants = 0x40000000;
  std::vector<oracle::Buffer> memory{{in, bytes_of(conformance::input_words(form))},
                                     {out, Bytes(output_bytes(form))},
                                     {globals, module.global_image},
                                     {constants, module.constant_image}};
  oracle::Launch launch;
  launch.kernel = &kernel;
  launch.grid = {static_cast<std::uint32_t>(form.grid[0]), static_cast<std::uint32_t>(form.grid[1]), 1};
  launch.block = {static_cast<std::uint32_t>(form.block[0]), static_cast<std::uint32_t>(form.block[1]), 1};
  launch.parameters.resize(16);
  std::memcpy(launch.parameters.data(), &in, 8);
  std::memcpy(launch.parameters.data() + 8, &out, 8);
  launch.global_base = globals;
  launch.constant_base = constants;
  oracle::run(launch, memory);
  return memory[1].bytes;
}

/// Runs forms of one module on the emulated machine.
class Machine {
 public:
  Machine(const ptx::Module& module, int threads) : threads_(threads) {
    if (!module.global_image.empty()) globals_ = place(module.global_image);
    if (!module.constant_image.empty()) constants_ = place(module.constant_image);
  }

  Bytes run(const ptx::Kernel& kernel, const Form& form) {
    const emu::ProgramPtr program = emu::lower(kernel, globals_, constants_);
    const std::uint64_t arguments[] = {place(bytes_of(conformance::input_words(form))),
                                       place(Bytes(output_bytes(form)))};
    emu::MachineLaunch launch;
    launch.program = program.get();
    launch.memory = &memory_;
    launch.grid = {static_cast<std::uint32_t>(form.grid[0]), static_cast<std::uint32_t>(form.grid[1]), 1};
    launch.block = {static_cast<std::uint32_t>(form.block[0]), static_cast<std::uint32_t>(form.block[1]), 1};
    launch.parameters = std::as_bytes(std::span(arguments));
    launch.threads = threads_;
    launch.instruction_budget = 1 << 24;
    emu::run(launch);
    Bytes result(output_bytes(form));
    std::memcpy(result.data(), memory_.at(arguments[1], result.size()), result.size());
    for (const std::uint64_t argument : arguments) memory_.release(argument);
    return result;
  }

 private:
  DevicePtr place(const Bytes& bytes) {
    const DevicePtr at = memory_.allocate(bytes.size());
    std::memcpy(memory_.at(at, bytes.size()), bytes.data(), bytes.size());
    return at;
  }

  emu::GlobalMemory memory_{std::int64_t{1} << 30};
  DevicePtr globals_ = 0, constants_ = 0;
  int threads_;
};

std::string hex(const std::byte* bytes, int count) {
  std::string text;
  for (int i = count; i-- > 0;) text += fmt::format("{:02x}", static_cast<unsigned>(bytes[i]));
  return text;
}

std::uint64_t word(const std::byte* bytes, int count) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, static_cast<std::size_t>(count));
  return value;
}

/// Whether a record's result is as it must be; of an approximation, element by element.
bool agrees(const Form& form, const std::byte* want, const std::byte* have, const std::uint64_t* in) {
  if (std::memcmp(want, have, static_cast<std::size_t>(form.out)) == 0) return true;
  const conformance::Approximation* function = conformance::find_approximation(form.check);
  if (function == nullptr) return false;
  const int bits = 1 + function->e + function->m;
  const bool flushes = form.name.find("ftz") != std::string::npos;
  bool good = true;
  for (int i = 0; i < form.out * 8 / bits; ++i) {
    const auto element = [&](std::uint64_t value) { return value >> (i * bits); };
    const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    good = good && conformance::near_enough(*function, element(word(want, form.out)) & mask,
                                            element(word(have, form.out)) & mask, element(in[0]) & mask,
                                            form.in.size() > 1 ? element(in[1]) & mask : 0, flushes);
  }
  return good;
}

/// The first record that differs, with its inputs; empty when none does.
std::string difference(const Form& form, const Bytes& expected, const Bytes& got) {
  if (expected == got) return {};
  int count = 0;
  std::string first;
  const std::vector<std::uint64_t> words = conformance::input_words(form);
  for (int record = 0; record < form.records; ++record) {
    const std::byte* want = expected.data() + record * form.out;
    const std::byte* have = got.data() + record * form.out;
    const std::uint64_t* in = words.data() + static_cast<std::size_t>(record) * form.in.size();
    if (agrees(form, want, have, in)) continue;
    if (++count > 1) continue;
    first = fmt::format("record {}: expected {}, got {}; inputs", record, hex(want, form.out), hex(have, form.out));
    for (std::size_t i = 0; i < form.in.size(); ++i) first += fmt::format(" {:x}", in[i]);
  }
  if (count == 0) return {};
  return fmt::format("{}: {} of {} records differ; {}", form.name, count, form.records, first);
}

struct File {
  std::string name, text, expected;
};

std::vector<File> files() {
  std::vector<File> all;
  const char* only = std::getenv("KERLAB_CONFORMANCE_FILE");
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() != ".ptx" || (only != nullptr && stem != only)) continue;
    all.push_back({stem, read(entry.path()), read(folder() / "expected" / (stem + ".bin"))});
  }
  std::sort(all.begin(), all.end(), [](const File& a, const File& b) { return a.name < b.name; });
  return all;
}

struct Outcome {
  int forms = 0, approximate = 0, open = 0;
  std::vector<std::string> different, unsupported;
};

/// Runs all forms of a file (or those that are no approximations); `run` gives the output of one.
template <class Run>
void compare(const File& file, const ptx::ParseResult& parsed, bool only_exact, Outcome& outcome, Run&& run) {
  for (const auto& failure : parsed.failures) outcome.unsupported.push_back(failure.kernel + ": " + failure.reason);
  std::size_t at = 0;
  for (const Form& form : conformance::read_forms(file.text)) {
    const std::size_t bytes = output_bytes(form);
    REQUIRE(at + bytes <= file.expected.size());
    Bytes expected(bytes);
    std::memcpy(expected.data(), file.expected.data() + at, bytes);
    at += bytes;
    ++outcome.forms;
    outcome.approximate += conformance::find_approximation(form.check) != nullptr;
    outcome.open += form.check == "open";
    const ptx::Kernel* kernel = parsed.module.find(form.name);
    if (kernel == nullptr || form.check == "open" || (only_exact && form.check != "bits")) continue;
    try {
      const std::string text = difference(form, expected, run(*kernel, form));
      if (!text.empty()) outcome.different.push_back(text);
    } catch (const ptx::Unsupported& error) {
      outcome.unsupported.push_back(form.name + ": " + error.what());
    } catch (const std::exception& error) {
      outcome.different.push_back(form.name + ": " + error.what());
    }
  }
  CHECK(at == file.expected.size());
}

void show(const Outcome& outcome) {
  fmt::print("{} forms, {} of them approximations; {} not compared, {} differ, {} unsupported\n", outcome.forms,
             outcome.approximate, outcome.open, outcome.different.size(), outcome.unsupported.size());
  for (const std::string& text : outcome.different) {
    UNSCOPED_INFO(text);
    CHECK(false);
  }
}

}  // namespace

TEST_CASE("The oracle computes what a GPU does", "[emu][oracle][conformance]") {
  Outcome outcome;
  for (const File& file : files()) {
    const ptx::ParseResult parsed = ptx::parse(file.text);
    compare(file, parsed, true, outcome,
            [&](const ptx::Kernel& kernel, const Form& form) { return run_oracle(parsed.module, kernel, form); });
  }
  show(outcome);
  CHECK(outcome.unsupported.empty());
}

TEST_CASE("The emulated machine computes what a GPU does", "[emu][machine][conformance]") {
  for (const char* isa : {"", "portable"}) {
    Outcome outcome;
    for (const File& file : files()) {
      const ptx::ParseResult parsed = ptx::parse(file.text);
      setenv("KERLAB_EMU_ISA", isa, 1);
      Machine machine(parsed.module, 2);
      compare(file, parsed, false, outcome,
              [&](const ptx::Kernel& kernel, const Form& form) { return machine.run(kernel, form); });
    }
    unsetenv("KERLAB_EMU_ISA");
    INFO((*isa == 0 ? "fastest handlers" : isa));
    show(outcome);
    for (std::size_t i = 0; i < std::min<std::size_t>(outcome.unsupported.size(), 5); ++i) WARN(outcome.unsupported[i]);
  }
}

}  // namespace kerlab
