#include "session/session_fixture.h"

#include "base/file.h"
#include "locations.h"

namespace kerlab::testing {

namespace {

constexpr std::string_view kFamily = R"toml(
name = "scale"
doc = "y = a x"
dtypes = ["fp32"]
[[dimension]]
name = "N"
default = 1024
[[scalar]]
name = "a"
default = 2.0
[[tensor]]
name = "x"
role = "input"
shape = ["N"]
[[tensor]]
name = "y"
role = "output"
shape = ["N"]
[[reference]]
output = "y"
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["x", "a", "index", "count", "value", "scale"]
tolerance = { rule = "dot", length = 1 }
[cost]
flops = "N"
bytes = "2 * N * dtype.bytes"
)toml";

constexpr std::string_view kReference = R"cuda(
extern "C" __global__ void reference(const float* x, float a, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const ACC y = ACC(a) * x[index == nullptr ? j : index[j]];
  value[j] = y;
  scale[j] = y < 0 ? -y : y;
}
)cuda";

constexpr std::string_view kVariant = R"toml(
doc = "elements one after the other"
[[parameter]]
name = "A"
values = [1, 2, 3, 4]
[[parameter]]
name = "B"
values = [1, 2, 3]
[[launch]]
kernel = "simple"
grid = ["ceil_div(N, 32 * A * B)"]
block = [32]
arguments = ["x", "y", "N", "a"]
)toml";

constexpr std::string_view kSimple = R"cuda(
extern "C" __global__ void simple(const float* x, float* y, int n, float a) {
  int i = (blockIdx.x * 32 + threadIdx.x) * A * B;
  for (int k = 0; k < A * B && i < n; ++k, ++i) y[i] = a * x[i];
  if (n < 0) y[A] = B;  // never; makes every configuration a program of its own
}
)cuda";

}  // namespace

void write_family(const std::filesystem::path& folder, const std::string& variant, const FamilyTexts& texts) {
  std::filesystem::create_directories(folder);
  write_atomic(folder / "family.toml", texts.family);
  if (!texts.reference.empty()) write_atomic(folder / "reference.cu", texts.reference);
  write_atomic(folder / (variant + ".toml"), texts.variant);
  write_atomic(folder / (variant + ".cu"), texts.kernel);
}

SessionFixture::SessionFixture(const std::string& rules, const std::string& defaults)
    : cache_("KERLAB_CACHE", (folder_ / "cache").c_str()), database_(Database::open(folder_ / "test.db")) {
  write_family(family(), "simple", {kFamily, kReference, kVariant, kSimple});
  write_script(rules, defaults);
}

void SessionFixture::write_script(const std::string& rules, const std::string& defaults) {
  write_atomic(folder_ / "script.toml", std::string_view("[default]\n" + defaults + rules));
}

std::string SessionFixture::device() const {
  return "script:" + (folder_ / "script.toml").string();
}

TuneOptions SessionFixture::options() const {
  TuneOptions options;
  options.rig.target = family().string();
  options.rig.device = device();
  options.rig.program = kerlab_program();
  options.rig.jobs = 2;
  options.command = "kerlab tune";
  options.version = "test";
  return options;
}

TuneResult SessionFixture::tune(const TuneOptions& options) {
  TuneSession session(options, database_);
  while (session.step()) {
  }
  return session.result();
}

std::map<std::string, Trial> SessionFixture::trials(const TuneResult& result) const {
  std::map<std::string, Trial> found;
  for (Trial& trial : database_.trials(result.problem.key, result.device.device_class())) {
    found[trial.configuration] = std::move(trial);
  }
  return found;
}

std::string rule(const std::string& configuration, const std::string& body) {
  return "[[rule]]\nmatch = \"simple " + configuration + "\"\n" + body + "\n";
}

std::string fast(const std::string& configuration) {
  return rule(configuration, "us = 80.0");
}

std::string outcome(const std::string& configuration, const std::string& name, const std::string& more) {
  return rule(configuration, "outcome = \"" + name + "\"\n" + more);
}

}  // namespace kerlab::testing
