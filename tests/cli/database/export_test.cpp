// kerlab export from the outside: a portfolio, a header, data, and whether they are stale.

#include "catch.h"
#include "cli/sandbox.h"
#include "report/form/json.h"

using namespace kerlab;

namespace {

/// All four configurations are tried at N = 1000 (THREADS=128 wins), one other at N = 4096.
void tune_two(const Sandbox& sandbox) {
  REQUIRE(sandbox.run_scripted({"tune", sandbox.family(), "--N", "1000"}).exit_code == 0);
  sandbox.write("twice/flat.toml", std::string(kToyVariant) +
                                       "[[constraint]]\nname = \"large\"\n"
                                       "condition = \"THREADS > 256 || N < 2000\"\n");
  REQUIRE(sandbox.run_scripted({"tune", sandbox.family(), "--N", "4096"}).exit_code == 0);
  sandbox.write("twice/flat.toml", kToyVariant);
}

}  // namespace

TEST_CASE("cli: export measures what is missing, and picks the fewest kernels", "[cli]") {
  const Sandbox sandbox;
  tune_two(sandbox);
  const ProcessResult own = sandbox.run_scripted({"export", sandbox.family()});
  INFO(own.err << own.out);
  CHECK(own.exit_code == 0);
  CHECK_THAT(own.out, Catch::Contains("2 kernels for 2 shapes, worst loss 0"));

  const ProcessResult stored = sandbox.run_scripted(
      {"export", sandbox.family(), "--portfolio", "1", "--within", "5%", "--stored-only", "--json"});
  CHECK(stored.exit_code == 4);  // 512 threads take twice the time at N = 1000; the others have no time at N = 4096
  const auto document = parse_json(stored.out);
  REQUIRE(document);
  CHECK(document->find("met")->text() == "false");
  CHECK_THAT(document->find("verdict")->text(), Catch::Contains("--within 5.0 % cannot be met with 1 kernel"));

  const ProcessResult one = sandbox.run_scripted({"export", sandbox.family(), "--portfolio", "1", "--within", "5%"});
  CHECK(one.exit_code == 0);
  CHECK_THAT(one.out, Catch::Contains("1 kernel for 2 shapes, worst loss 0"));
  CHECK_THAT(one.out, Catch::Contains("flat THREADS=128 (measured now)"));
  CHECK_THAT(one.err, Catch::Contains("faster than the stored winner: tune again"));
  const ProcessResult again =
      sandbox.run_scripted({"export", sandbox.family(), "--portfolio", "1", "--within", "5%", "--stored-only"});
  CHECK(again.exit_code == 0);  // what was measured is stored
  CHECK_THAT(again.out, !Catch::Contains("measured now"));
}

TEST_CASE("cli: an exported header is fresh until its kernel changes", "[cli]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run_scripted({"tune", sandbox.family(), "--N", "1000"}).exit_code == 0);
  const std::string header = (sandbox / "twice.h").string();
  const ProcessResult written = sandbox.run_scripted({"export", sandbox.family(), "-o", header});
  INFO(written.err);
  CHECK(written.exit_code == 0);
  CHECK_THAT(written.out, Catch::Contains("wrote " + header));
  const std::string text = read_text(header);
  CHECK_THAT(text, Catch::Contains("namespace kerlab_twice {") && Catch::Contains("unsigned char image_0[]"));
  CHECK_THAT(text, !Catch::Contains("#include \""));
  const std::string data = (sandbox / "twice.json").string();
  CHECK(sandbox.run_scripted({"export", sandbox.family(), "--format", "json", "-o", data}).exit_code == 0);
  const auto document = parse_json(read_text(data));
  REQUIRE(document);
  CHECK(std::filesystem::exists(document->find("kernels")->elements()[0].find("cubin")->text()));

  for (const std::string& file : {header, data}) {
    const ProcessResult fresh = sandbox.run_scripted({"export", "--check", file});
    CHECK(fresh.exit_code == 0);
    CHECK_THAT(fresh.out, Catch::Contains(": fresh (exported "));
  }
  sandbox.write("twice/flat.cu", std::string(kToyKernel) + "// changed\n");
  for (const std::string& file : {header, data}) {
    const ProcessResult stale = sandbox.run_scripted({"export", "--check", file});
    CHECK(stale.exit_code == 5);
    CHECK_THAT(stale.out, Catch::Contains("stale: flat.cu: its source has changed"));
  }
  const ProcessResult left_out = sandbox.run_scripted({"export", sandbox.family(), "--stored-only"});
  CHECK(left_out.exit_code == 5);
  CHECK_THAT(left_out.err, Catch::Contains("decided with other sources, options or toolchain"));
  const ProcessResult again = sandbox.run_scripted({"export", sandbox.family()});
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.err, Catch::Contains("measured again"));
  CHECK(sandbox.run_scripted({"export", sandbox.family(), "--stored-only"}).exit_code == 0);  // stored now
}

TEST_CASE("cli: export refuses what makes no sense", "[cli]") {
  const Sandbox sandbox;
  CHECK(sandbox.run_scripted({"export"}).exit_code == 64);
  CHECK(sandbox.run_scripted({"export", sandbox.family()}).exit_code == 64);  // no database
  REQUIRE(sandbox.run_scripted({"tune", sandbox.family(), "--N", "1000"}).exit_code == 0);
  CHECK(sandbox.run_scripted({"export", sandbox.family(), "--within", "much"}).exit_code == 64);
  CHECK(sandbox.run_scripted({"export", sandbox.family(), "--portfolio", "0"}).exit_code == 64);
  CHECK(sandbox.run_scripted({"export", sandbox.family(), "-o", "x.h", "--embed", "--cubins", "y"}).exit_code == 64);
  CHECK(sandbox.run_scripted({"export", sandbox.family(), "--cubins", "y"}).exit_code == 64);
  CHECK(sandbox.run_scripted({"export", sandbox.family(), "--Q", "7"}).exit_code == 64);
  const ProcessResult nothing = sandbox.run_scripted({"export", sandbox.family(), "--N", "7"});
  CHECK(nothing.exit_code == 5);
  CHECK_THAT(nothing.err, Catch::Contains("run kerlab tune first"));
  sandbox.write("other.txt", "nothing of kerlab's");
  CHECK(sandbox.run_scripted({"export", "--check", (sandbox / "other.txt").string()}).exit_code == 64);
}
