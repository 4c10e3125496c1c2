// `kerlab bench A B` and the tables of bench and tune from the outside.

#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE("cli: bench A B says which is faster, and how sure that is", "[cli]") {
  const Sandbox sandbox;
  const std::string a = sandbox.family() + "/flat:THREADS=64", b = sandbox.family() + "/flat.cu:THREADS=128";
  const ProcessResult text = sandbox.run_scripted({"bench", a, b, "--rounds", "20"});
  INFO(text.err);
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, Catch::Contains("\nA and B have the same source\n") && Catch::Contains("B is 2.") &&
                           Catch::Contains(" times as fast as A [2.") && Catch::Contains("(95 %, 20 rounds)"));
  const ProcessResult self = sandbox.run_scripted({"bench", a, a});
  CHECK_THAT(self.out, Catch::Contains("A and B are the same program") &&
                           Catch::Contains("no difference seen between A and B: "));
  const ProcessResult json = sandbox.run_scripted({"bench", a, b, "--json"});
  CHECK_THAT(json.out, Catch::Contains("\"command\": \"bench\"") && Catch::Contains("\"speed\""));
  const ProcessResult csv = sandbox.run_scripted({"bench", a, b, "--csv", "-"});
  CHECK(lines(csv.out) == 3);
  CHECK_THAT(csv.out, Catch::Contains("times as fast") && Catch::Contains("THREADS=128"));
  CHECK_THAT(sandbox.run_scripted({"bench", a, b, "--markdown", "-"}).out, Catch::Contains("| B |"));

  CHECK(sandbox.run_scripted({"bench", a, b, "--variant", "flat"}).exit_code == 64);
  CHECK(sandbox.run_scripted({"bench", a, sandbox.family() + "/none"}).exit_code == 64);
  CHECK_THAT(sandbox.run_scripted({"bench", a}).out, Catch::Contains("THREADS=64"));  // one: as --config
}

TEST_CASE("cli: bench --svg draws speed over the dimension that has several values", "[cli]") {
  const Sandbox sandbox;
  const std::string file = (sandbox / "sweep.svg").string();
  const ProcessResult result = sandbox.run_scripted(
      {"bench", sandbox.family(), "--variant", "flat", "--N", "1K..4K:x2", "--rounds", "5", "--svg", file});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const std::string svg = read_text(file);
  CHECK_THAT(svg, Catch::StartsWith("<svg ") && Catch::Contains(">flat</text>") && Catch::Contains(">N</text>"));
  for (const char* x : {">1024</text>", ">2048</text>", ">4096</text>"}) CHECK_THAT(svg, Catch::Contains(x));
  CHECK(std::ranges::count(svg, '\n') > 10);
  const ProcessResult single = sandbox.run_scripted({"bench", sandbox.family(), "--variant", "flat", "--svg", file});
  CHECK(single.exit_code == 64);
  CHECK_THAT(single.err, Catch::Contains("give one several values"));
  CHECK_THAT(single.out, Catch::Contains("flat"));  // what was timed is shown all the same
}

TEST_CASE("cli: bench A B ends with 3 where one is wrong, and says where", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("device.toml", "[default]\nus = 100.0\n[[rule]]\nmatch = \"* THREADS=256*\"\noutcome = \"wrong\"\n");
  const ProcessResult result =
      sandbox.run_scripted({"bench", sandbox.family() + "/flat:THREADS=64", sandbox.family() + "/flat:THREADS=256"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.out, Catch::Contains("wrong") && Catch::Contains("of 100003 wrong") &&
                             Catch::Contains("reproduce: kerlab bench " + sandbox.family() + "/flat:THREADS=256"));
  CHECK_THAT(result.out, !Catch::Contains("times as fast"));
}

TEST_CASE("cli: tune --csv has every trial, of earlier sessions too; --markdown has the ranking", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("device.toml", std::string(kToyScript) + "[[rule]]\nmatch = \"* THREADS=512*\"\noutcome = \"wrong\"\n");
  CHECK(sandbox.run_scripted({"tune", sandbox.family(), "--where", "THREADS <= 128"}).exit_code == 0);
  const ProcessResult csv = sandbox.run_scripted({"tune", sandbox.family(), "--where", "THREADS >= 256", "--csv", "-"});
  INFO(csv.err);
  CHECK(lines(csv.out) == 5);  // of four trials two are of the session before
  CHECK_THAT(csv.out,
             Catch::StartsWith("trial,standing,variant,status,us,low_us,high_us,rounds,stage,clock,cache,THREADS,"));
  CHECK_THAT(csv.out, Catch::Contains(",winner,flat,passed,") && Catch::Contains(",wrong,,,,,,,,512,"));
  CHECK_THAT(sandbox.run_scripted({"tune", sandbox.family(), "--markdown", "-"}).out,
             Catch::Contains("| configuration |"));
}
