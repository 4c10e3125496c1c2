// wgmma on the emulated device against what an H200 computed: the kernels and cases of conformance/wgmma/cases.h,
// parsed, lowered and launched. expected/wgmma_hashes.bin has a hash of D for each case, wgmma_rows.bin
// the first 16 rows of D of each suite "values".
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "catch.h"
#include "conformance/wgmma/cases.h"
#include "device/emu/machine_lab.h"
#include "locations.h"

namespace kerlab::emu {
namespace {

using conformance::wgmma::Case;
using conformance::wgmma::Suite;

std::vector<std::uint8_t> recorded(const char* name) {
  std::ifstream in(tests_folder() / "device/emu/conformance/expected" / name, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// D of all cases, one after the other. `findings`: of the sanitizer, if they are wanted.
std::vector<std::uint8_t> launch(const Suite& suite, std::vector<Finding>* findings = nullptr) {
  MachineLab lab(conformance::wgmma::ptx(suite.form));
  std::vector<std::uint8_t> bytes;
  for (const Case& one : suite.cases) {
    const std::vector<std::uint8_t> input = conformance::wgmma::input(suite.form, one);
    bytes.insert(bytes.end(), input.begin(), input.end());
  }
  const Buffer<std::uint8_t> in(lab.memory, bytes);
  const Buffer<std::uint8_t> out(lab.memory, suite.form.output_bytes() * suite.cases.size());
  lab.launch.sanitize = findings != nullptr;
  const LaunchReport report = lab.run("wgmma", {static_cast<unsigned>(suite.cases.size()), 1, 1}, {128, 1, 1}, in, out);
  if (findings != nullptr) *findings = report.findings;
  return out.values();
}

struct Recorded {
  std::vector<std::uint8_t> hashes = recorded("wgmma_hashes.bin"), rows = recorded("wgmma_rows.bin");
  std::size_t hash_at = 0, row_at = 0;

  void check(const Suite& suite, bool run) {
    const bool values = suite.name == "values";
    const std::size_t row_bytes =
        16u * static_cast<std::size_t>(suite.form.n * conformance::wgmma::bits(suite.form.d)) / 8;
    INFO(suite.name << " " << suite.form.describe());
    const std::vector<std::uint8_t> out = run ? launch(suite) : std::vector<std::uint8_t>();
    for (std::size_t i = 0; i < suite.cases.size(); ++i) {
      std::uint64_t hash = 0;
      REQUIRE(hash_at + 8 <= hashes.size());
      std::memcpy(&hash, hashes.data() + hash_at, 8);
      hash_at += 8;
      const std::size_t rows_at = row_at;
      if (values) row_at += row_bytes;
      if (!run) continue;
      const auto d = conformance::wgmma::result(suite.form, out.data() + i * suite.form.output_bytes());
      ++compared;
      if (conformance::wgmma::hash(d) == hash) continue;
      INFO("case " << i << (values ? "; " + first_difference(suite, d, rows_at) : ""));
      CHECK(conformance::wgmma::hash(d) == hash);
    }
  }

  std::string first_difference(const Suite& suite, const std::vector<std::uint32_t>& d, std::size_t at) const {
    const auto bytes = static_cast<std::size_t>(conformance::wgmma::bits(suite.form.d) / 8);
    for (std::size_t e = 0; e < static_cast<std::size_t>(16 * suite.form.n); ++e) {
      std::uint32_t want = 0;
      std::memcpy(&want, rows.data() + at + e * bytes, bytes);
      if (want != d[e])
        return "element " + std::to_string(e) + ": " + std::to_string(d[e]) + " instead of " + std::to_string(want);
    }
    return "beyond the rows recorded";
  }

  int compared = 0;
};

TEST_CASE("wgmma gives every bit that an H200 gave", "[wgmma][conformance]") {
  Recorded recorded;
  for (const Suite& suite : conformance::wgmma::suites()) recorded.check(suite, true);
  CHECK(recorded.hash_at == recorded.hashes.size());
  CHECK(recorded.compared == 1412);
}

TEST_CASE("wgmma gives every bit that an H200 gave, on every processor", "[wgmma][conformance]") {
  for (const char* isa : {"portable", "x86-64-v3"}) {
    setenv("KERLAB_EMU_ISA", isa, 1);
    Recorded recorded;
    for (const Suite& suite : conformance::wgmma::suites()) recorded.check(suite, suite.name == "values");
    CHECK(recorded.compared == 612);
  }
  unsetenv("KERLAB_EMU_ISA");
}

TEST_CASE("descriptor bits that an H200 ignores are a finding", "[wgmma][sanitize]") {
  for (const Suite& suite : conformance::wgmma::suites()) {
    if (suite.name.rfind("map", 0) != 0) continue;
    const bool of_a = suite.name == "map of A";
    const conformance::wgmma::Layout& l = of_a ? suite.cases[0].layout_a : suite.cases[0].layout_b;
    const bool ignored = l.as_is != 0 || (l.mode == 0 && l.base != 0);
    if (!ignored && (l.base == 0 || l.mode != 1)) continue;
    std::vector<Finding> findings;
    launch(suite, &findings);
    INFO(suite.name << " " << std::hex << l.descriptor());
    REQUIRE(findings.size() == (ignored ? 1 : 0));
    if (!ignored) continue;
    CHECK(findings[0].hazard == Hazard::other);
    CHECK_THAT(findings[0].message, Catch::Matchers::Contains(of_a ? "of matrix A" : "of matrix B"));
    CHECK_THAT(findings[0].message, Catch::Matchers::Contains("ignored"));
  }
}

}  // namespace
}  // namespace kerlab::emu
