#include "spec/spec_fixture.h"

#include <fstream>

#include "catch.h"
#include "spec/toml/source_path.h"

namespace kerlab::testing {

const std::string kFamily = R"toml(name = "demo"
dtypes = ["bf16", "fp32"]
[[dimension]]
name = "M"
default = 64
[[dimension]]
name = "N"
default = "M"
[[dimension]]
name = "K"
default = "M / 2"
minimum = 0
[[flag]]
name = "layout"
values = ["nn", "tn"]
[[scalar]]
name = "alpha"
default = 1.0
[[derived]]
name = "TRANS_A"
value = "layout.tn"
[[tensor]]
name = "A"
role = "input"
shape = ["TRANS_A ? K : M", "TRANS_A ? M : K"]
[[tensor]]
name = "D"
role = "output"
shape = ["M", "N"]
[[reference]]
output = "D"
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["A", "M", "N", "K", "alpha", "index", "count", "value", "scale"]
tolerance = { rule = "dot", length = "K" }
[cost]
flops = "2 * M * N * K"
bytes = "(M * K + M * N) * dtype.bytes"
)toml";

const std::string kVariant = R"toml(doc = "a tile"
[[parameter]]
name = "BM"
values = [16, 32, 64]
default = 32
[[parameter]]
name = "BN"
values = [16, 32]
[[derived]]
name = "THREADS"
value = "BM * BN / 4"
[[constraint]]
name = "square"
condition = "BM == BN"
[[launch]]
kernel = "tile"
grid = ["ceil_div(N, BN)", "ceil_div(M, BM)"]
block = ["THREADS"]
arguments = ["A", "D", "M", "N", "K", "alpha"]
)toml";

namespace {

void write_specs(const std::filesystem::path& folder, const std::string& family, const std::string& variant) {
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("family.toml", family);
  write("tile.toml", variant);
  write("tile.cu", "");
  write("reference.cu", "");
}

}  // namespace

KernelFolder load_specs(const std::string& family, const std::string& variant) {
  const TemporaryFolder folder;
  write_specs(folder.path(), family, variant);
  return load_folder(folder.path());
}

std::string load_error(const std::string& family, const std::string& variant) {
  const TemporaryFolder folder;
  write_specs(folder.path(), family, variant);
  try {
    (void)load_folder(folder.path());
  } catch (const SpecError& failure) {
    std::string what = failure.what();
    const std::string shown = shown_path(folder.path());
    for (std::size_t at = what.find(shown); at != std::string::npos; at = what.find(shown))
      what.erase(at, shown.size() + 1);
    return what;
  }
  return "no error";
}

std::string replaced(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  INFO(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find(from, at + 1) == std::string::npos);
  return text.substr(0, at) + to + text.substr(at + from.size());
}

DeviceInfo h200() {
  DeviceInfo device;
  device.id = "cuda:0";
  device.name = "NVIDIA H200";
  device.cc_major = 9;
  device.sms = 132;
  device.shared_per_block = 232448;
  device.shared_per_sm = 233472;
  device.shared_reserved = 1024;
  device.registers_per_block = 65536;
  device.registers_per_sm = 65536;
  device.threads_per_block = 1024;
  device.threads_per_sm = 2048;
  device.blocks_per_sm = 32;
  device.memory_bytes = std::int64_t{139} << 30;
  device.l2_bytes = std::int64_t{50} << 20;
  device.fp64_ratio = 0.5;
  return device;
}

}  // namespace kerlab::testing
