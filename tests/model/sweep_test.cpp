#include "model/sweep.h"

#include "base/error.h"
#include "catch.h"
#include "model/sweep_score.h"

using namespace kerlab;

namespace {

Sweep example() {
  Sweep sweep{"",        "gemm",     "reg2d",      "gemm M=512 N=4096 K=1024 fp32 layout=nt alpha=1 beta=0",
              "an H200", "580.1",    "NVRTC 13.0", "2026-11-21",
              "1980",    "0123abcd", true,         {{"BM=64 BN=64", 351.04}, {"BM=64 BN=128", 400.5}}};
  sweep.name = sweep_name(sweep);
  return sweep;
}

std::string failure(const std::string& text) {
  try {
    parse_sweep(text, "a.txt");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("sweep: what is written is read back", "[sweep]") {
  const Sweep sweep = example(), read = parse_sweep(sweep_text(sweep), "a.txt");
  CHECK(sweep.name == "gemm-reg2d-512x4096x1024-fp32-layout=nt");
  CHECK(read.name == sweep.name);
  CHECK(read.problem == sweep.problem);
  CHECK(read.source == sweep.source);
  CHECK(read.fitted);
  REQUIRE(read.points.size() == 2);
  CHECK(read.points[1].configuration == "BM=64 BN=128");
  CHECK(read.points[1].us == 400.5);
}

TEST_CASE("sweep: failed, spilling and equal configurations are kept", "[sweep]") {
  Sweep sweep = example();
  sweep.points.push_back({"BM=128 BN=64", 0, "spills"});
  sweep.points.push_back({"BM=16 BN=256", 90, "", 96, true});
  sort_points(sweep);
  const std::string text = sweep_text(sweep);
  CHECK(text.substr(text.find("role")) ==
        "role fitted\nparameters BM BN\n\n16 256 = 90 spills 96 twin\n64 64 = 351.04\n128 = 400.5\n"
        "128 64 = failed spills\n");
  const Sweep read = parse_sweep(text, "a.txt");
  REQUIRE(read.points.size() == 4);
  CHECK(read.points[0].spills == 96);
  CHECK(read.points[0].twin);
  CHECK(read.points[2].configuration == "BM=64 BN=128");
  CHECK(read.points[3].configuration == "BM=128 BN=64");
  CHECK(read.points[3].failed == "spills");
  CHECK(some_points(read, 0).size() == 2);  // measured, each program once
}

TEST_CASE("sweep: files of version 1 are read", "[sweep]") {
  std::string text = sweep_text(example());
  text = "kerlab sweep 1" + text.substr(14, text.find("parameters") - 14) + "\nBM=64 BN=64 = 351.04\n";
  const Sweep read = parse_sweep(text, "a.txt");
  REQUIRE(read.points.size() == 1);
  CHECK(read.points[0].configuration == "BM=64 BN=64");
}

TEST_CASE("sweep: what is wrong is named with its line", "[sweep]") {
  const std::string good = sweep_text(example());
  CHECK(failure("BM=64 = 3\n").starts_with("a.txt:1: "));
  CHECK(failure(good + "64 64 351\n").starts_with("a.txt:16: '64 64 351' is not CONFIGURATION"));
  CHECK(failure(good + "64 = -3\n").find("a.txt:16: ") == 0);
  CHECK(failure(good + "64 64 64 = 3\n").find("a.txt:16: ") == 0);
  CHECK(failure(good + "64 = 3 spills\n").find("a.txt:16: ") == 0);
  CHECK(failure(good.substr(0, good.find("\n\n") + 2) + "64 = 3\n").find("a.txt:14: ") == 0);  // nothing above it
  CHECK(failure(good.substr(0, good.find("\n\n"))) == "a.txt: no configuration in this sweep");
  CHECK(failure("kerlab sweep 1\ncolour red\n").starts_with("a.txt:2: 'colour red' is no line of a sweep's head"));
}

TEST_CASE("sweep: some points are spread over all", "[sweep]") {
  Sweep sweep = example();
  sweep.points.assign(100, {});
  for (std::size_t i = 0; i < 100; ++i) sweep.points[i].us = static_cast<double>(i);
  CHECK(some_points(sweep, 0).size() == 100);
  CHECK(some_points(sweep, 200).size() == 100);
  const std::vector<SweepPoint> some = some_points(sweep, 4);
  REQUIRE(some.size() == 4);
  CHECK(some[3].us == 75);
}

TEST_CASE("sweep score: ranks, the best, and errors", "[sweep]") {
  const std::vector<double> measured = {10, 20, 30, 40};
  const SweepScore same = score(measured, {11, 22, 33, 44});
  CHECK(same.spearman == Approx(1));
  CHECK(same.best_rank == 1);
  CHECK(same.best_of_8 == 1);
  CHECK(same.median_error == Approx(0.1));
  CHECK(same.error_90 == Approx(0.1));
  const SweepScore reversed = score(measured, {40, 30, 20, 10});
  CHECK(reversed.spearman == Approx(-1));
  CHECK(reversed.best_rank == 4);
  CHECK(reversed.low == Approx(-0.75));
  CHECK(reversed.high == Approx(3));
  CHECK(score({10, 20, 30}, {5, 5, 9}).spearman == Approx(0.866).epsilon(0.01));  // ties share their rank
}
