// Launches that may begin before the one before them has ended: what griddepcontrol.wait orders, and what it does not.

#include "catch.h"
#include "device/emu/hopper_text.h"
#include "device/emu/sanitize/in_flight.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

constexpr const char* kWait = "griddepcontrol.wait;\n";
constexpr const char* kTrigger = "griddepcontrol.launch_dependents;\n";
// Of a thread's word: out[tid] = in[tid]; the same of words 64 on.
constexpr const char* kPlace = "mul.wide.u32 x5, r1, 4; add.u64 x6, x0, x5; add.u64 x7, x1, x5;\n";
constexpr const char* kRead = "ld.global.u32 r10, [x7];\n";
constexpr const char* kWrite = "st.global.u32 [x6], r1;\n";

/// Buffers `first` and `second` of 64 words, and launches of 64 threads that go from one to the other.
class Overlap {
 public:
  explicit Overlap(std::uint32_t blocks = 1) : blocks_(blocks) {}

  /// Reads `first`, writes `second`.
  std::vector<Finding> run(const std::string& body, const InFlight* before, InFlight* after = nullptr) {
    return launch(body, before, after, first_, second_);
  }
  /// The other way round.
  std::vector<Finding> back(const std::string& body, const InFlight* before, InFlight* after = nullptr) {
    return launch(body, before, after, second_, first_);
  }
  [[nodiscard]] std::uint64_t first() const { return first_.at; }
  [[nodiscard]] std::uint64_t second() const { return second_.at; }

 private:
  std::vector<Finding> launch(const std::string& body, const InFlight* before, InFlight* after,
                              const Buffer<unsigned>& in, const Buffer<unsigned>& out) {
    const ptx::ParseResult parsed = ptx::parse(hopper_text("", kPlace + body));
    REQUIRE(parsed.failures.empty());
    const ProgramPtr program = lower(parsed.module.kernels.at(0), 0, 0, &parsed.module.files);
    lab_.launch.sanitize = true;
    lab_.launch.before = before;
    lab_.launch.after = after;
    return lab_.run(*program, {blocks_, 1, 1}, {64, 1, 1}, out, in, 0u).findings;
  }

  std::uint32_t blocks_;
  MachineLab lab_{hopper_text("", "")};
  Buffer<unsigned> first_{lab_.memory, std::vector<unsigned>(64)}, second_{lab_.memory, std::vector<unsigned>(64)};
};

void check_early(const std::vector<Finding>& findings, const char* words) {
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].hazard == Hazard::global_race);
  CHECK_THAT(findings[0].message, Catch::Contains(words) && Catch::Contains("griddepcontrol.wait"));
}

}  // namespace

TEST_CASE("dependence: a launch leaves behind what it has read and written", "[emu][sanitize]") {
  Overlap overlap;
  InFlight after;
  CHECK(overlap.run(std::string(kRead) + kWrite, nullptr, &after).empty());
  CHECK(after.read.mask(overlap.first()) == ~std::uint64_t{0});
  CHECK(after.read.mask(overlap.first() + 192) == ~std::uint64_t{0});
  CHECK(after.read.mask(overlap.second()) == 0);
  CHECK(after.written.mask(overlap.second() + 192) == ~std::uint64_t{0});
  CHECK(after.written.mask(overlap.first()) == 0);
}

TEST_CASE("dependence: what the launch before writes is read behind the wait only", "[emu][sanitize]") {
  Overlap overlap;
  InFlight before;
  overlap.run(std::string(kRead) + kWrite, nullptr, &before);
  CHECK(overlap.back(std::string(kWait) + kRead + kWrite, &before).empty());
  check_early(overlap.back(std::string(kRead) + kWait + kWrite, &before), "reads argument 1");
  // What it reads is written behind the wait only.
  check_early(overlap.back(std::string(kWrite) + kWait + kRead, &before), "a launch before this one reads");
  // Two launches that read the same are no race, nor is memory that the one before has not touched.
  CHECK(overlap.run(std::string(kRead) + kWait + kWrite, &before).empty());
  InFlight nothing;
  CHECK(overlap.back(std::string(kRead) + kWrite + kWait, &nothing).empty());
}

TEST_CASE("dependence: who has not waited learns of it by a barrier", "[emu][sanitize]") {
  Overlap overlap;
  InFlight before;
  overlap.run(std::string(kRead) + kWrite, nullptr, &before);
  const std::string of_first_lane = "setp.eq.u32 p1, r1, 0;\n@p1 griddepcontrol.wait;\n";
  check_early(overlap.back(of_first_lane + kRead, &before), "reads argument 1");
  check_early(overlap.back(of_first_lane + "bar.warp.sync -1;\n" + kRead, &before), "warp 1");
  CHECK(overlap.back(of_first_lane + "bar.sync 0;\n" + kRead, &before).empty());
}

TEST_CASE("dependence: a launch in which nobody waits is told", "[emu][sanitize]") {
  Overlap overlap;
  InFlight nothing;
  check_early(overlap.run("setp.eq.u32 p1, r1, 99;\n@p1 griddepcontrol.wait;\n", &nothing), "no thread came to");
  CHECK(overlap.run(kRead, nullptr).empty());
}

TEST_CASE("dependence: launches further back may still run where those between let others begin early",
          "[emu][sanitize]") {
  for (const std::uint32_t blocks : {1u, 2u}) {
    Overlap overlap(blocks);
    const std::string only_in_first = "setp.eq.u32 p2, r2, 0;\n@p2 ";
    const auto left = [&](const std::string& between) {
      InFlight first, second;
      overlap.run("setp.eq.u32 p1, r2, 0;\n@p1 st.global.u32 [x6], r1;\n", nullptr, &first);
      CHECK(overlap.run(between, &first, &second).empty());
      return second.written.mask(overlap.second()) != 0;
    };
    CHECK(left(std::string(kTrigger) + kWait));
    CHECK_FALSE(left(std::string(kWait) + kTrigger));
    CHECK_FALSE(left(kWait));
    // One block that waits first is enough: all must let the next launch begin.
    CHECK(left(only_in_first + kTrigger + kWait) == (blocks == 1));
  }
}
