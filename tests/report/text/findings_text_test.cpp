#include "report/text/findings_text.h"

#include "catch.h"

using namespace kerlab;

TEST_CASE("findings: hazard, both lines with their text, who has it", "[report]") {
  LocatedFinding race;
  race.finding = {
      Hazard::shared_race, "warp 0 reads what warp 1 wrote", {"/k/reg2d.cu", 57, 120}, {"/k/reg2d.cu", 63, 150}, 1280};
  race.source = "x = As[k][m];";
  race.other_source = "As[k][m] = a;";
  race.labels = {"reg2d BM=64", "reg2d BM=128", "reg2d BM=256", "reg2d BM=32"};
  race.problem = "gemm 391x263x1100 fp32 nn";
  LocatedFinding deadlock;
  deadlock.finding = {Hazard::deadlock, "no warp can go on", {}, {}, 1};
  deadlock.labels = {"reg2d BM=64"};
  deadlock.problem = "gemm 391x263x1100 fp32 nn";
  CHECK(findings_text("reg2d", {race, deadlock}, false) ==
        "reg2d: 2 findings\n"
        "  shared-memory race, 1,280 times: warp 0 reads what warp 1 wrote\n"
        "    reg2d.cu:57:  x = As[k][m];\n"
        "    reg2d.cu:63:  As[k][m] = a;\n"
        "    in reg2d BM=64; reg2d BM=128; reg2d BM=256 on gemm 391x263x1100 fp32 nn; and 1 more\n"
        "  deadlock: no warp can go on\n"
        "    in reg2d BM=64 on gemm 391x263x1100 fp32 nn\n");
  CHECK(findings_text("naive", {}, false) == "naive: nothing found\n");
}

TEST_CASE("findings: without line information the PTX line is the place", "[report]") {
  CHECK(finding_place({"", 0, 120}) == "ptx line 120");
  CHECK(finding_place({}).empty());
}
