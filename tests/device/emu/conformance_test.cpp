// The emulated device and the oracle against what a GPU computed: every form of conformance/*.ptx, bit for bit where
// the instruction is not an approximation. conformance/record made conformance/expected.

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "catch.h"
#include "device/emu/conformance/inputs.h"
#include "device/emu/oracle/oracle.h"
#include "device/emu/ptx/ir.h"

namespace kerlab {
namespace {

using conformance::Form;
using Bytes = std::vector<std::byte>;

const std::filesystem::path kFolder = std::filesystem::path(KERLAB_TESTS_FOLDER) / "device/emu/conformance";

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

std::string hex(const std::byte* bytes, int count) {
  std::string text;
  for (int i = count; i-- > 0;) text += fmt::format("{:02x}", static_cast<unsigned>(bytes[i]));
  return text;
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
    if (std::memcmp(want, have, static_cast<std::size_t>(form.out)) == 0) continue;
    if (++count > 1) continue;
    first = fmt::format("record {}: expected {}, got {}; inputs", record, hex(want, form.out), hex(have, form.out));
    for (std::size_t i = 0; i < form.in.size(); ++i)
      first += fmt::format(" {:x}", words[static_cast<std::size_t>(record) * form.in.size() + i]);
  }
  return fmt::format("{}: {} of {} records differ; {}", form.name, count, form.records, first);
}

struct File {
  std::string name, text, expected;
};

std::vector<File> files() {
  std::vector<File> all;
  const char* only = std::getenv("KERLAB_CONFORMANCE_FILE");
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() != ".ptx" || (only != nullptr && stem != only)) continue;
    all.push_back({stem, read(entry.path()), read(kFolder / "expected" / (stem + ".bin"))});
  }
  std::sort(all.begin(), all.end(), [](const File& a, const File& b) { return a.name < b.name; });
  return all;
}

using Runner = Bytes (*)(const ptx::Module&, const ptx::Kernel&, const Form&);

/// Runs all forms; returns what differs.
std::vector<std::string> differences(const File& file, Runner run) {
  std::vector<std::string> found;
  const ptx::ParseResult parsed = ptx::parse(file.text);
  for (const auto& failure : parsed.failures) found.push_back(failure.kernel + ": " + failure.reason);
  std::size_t at = 0;
  for (const Form& form : conformance::read_forms(file.text)) {
    const std::size_t bytes = output_bytes(form);
    REQUIRE(at + bytes <= file.expected.size());
    Bytes expected(bytes);
    std::memcpy(expected.data(), file.expected.data() + at, bytes);
    at += bytes;
    const ptx::Kernel* kernel = parsed.module.find(form.name);
    if (kernel == nullptr || form.check != "bits") continue;
    try {
      const std::string text = difference(form, expected, run(parsed.module, *kernel, form));
      if (!text.empty()) found.push_back(text);
    } catch (const std::exception& error) {
      found.push_back(form.name + ": " + error.what());
    }
  }
  CHECK(at == file.expected.size());
  return found;
}

}  // namespace

TEST_CASE("The oracle computes what a GPU does", "[emu][oracle][conformance]") {
  for (const File& file : files()) {
    INFO(file.name);
    for (const std::string& text : differences(file, run_oracle)) {
      INFO(text);
      CHECK(false);
    }
  }
}

}  // namespace kerlab
