// Every command once, from the outside, on a scripted device: what one writes, the others find.
#include "catch.h"
#include "cli/frame/command.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

/// The output of a run that must pass.
std::string passed(const ProcessResult& result) {
  INFO(result.err);
  CHECK(result.exit_code == 0);
  return result.out;
}

}  // namespace

TEST_CASE("cli: what was tuned is listed, shown, timed again, exported and imported", "[cli]") {
  const Sandbox sandbox;
  CHECK_THAT(passed(sandbox.run_scripted({"tune", sandbox.family()})),
             Catch::Contains("4 valid -> 4 tried") && Catch::Contains("THREADS=128"));
  CHECK_THAT(passed(sandbox.run_scripted({"tune", sandbox.family()})), Catch::Contains("4 stored before"));
  CHECK_THAT(passed(sandbox.run({"list", sandbox.family()})), Catch::Contains("THREADS = 64, 128, 256, 512"));
  CHECK_THAT(passed(sandbox.run({"db", "winners"})), Catch::Contains("twice") && Catch::Contains("THREADS=128"));
  CHECK_THAT(passed(sandbox.run_scripted({"show", "winner", "twice"})), Catch::Contains("THREADS=128"));
  CHECK_THAT(passed(sandbox.run_scripted({"bench", sandbox.family()})), Catch::Contains("THREADS=128"));
  CHECK_THAT(passed(sandbox.run_scripted({"check", sandbox.family()})), Catch::Contains("THREADS=128"));
  CHECK_THAT(passed(sandbox.run_scripted({"roofline", sandbox.family()})), Catch::Contains("twice"));

  const std::string text = passed(sandbox.run({"db", "export"}));
  CHECK(passed(sandbox.run({"db", "export", "-"})) == text);  // no file of that name
  sandbox.write("exported.txt", text);
  const std::string other = (sandbox / "other.db").string();
  passed(sandbox.run({"db", "import", (sandbox / "exported.txt").string(), "--db", other}));
  CHECK_THAT(passed(sandbox.run({"db", "winners", "--db", other})), Catch::Contains("THREADS=128"));
}

TEST_CASE("cli: list shows the families under their groups, a line each", "[cli]") {
  const Sandbox sandbox;
  const std::string mine = std::filesystem::path(sandbox.family()).parent_path().string();
  const std::string out = passed(sandbox.run({"list", "--kernels", mine}));
  std::size_t at = 0;
  for (const char* line : {"dense linear algebra\n", "\n  gemm  ", "\n  gemm_grouped  ", "\nrows\n", "\n  softmax  ",
                           "\nprimitives\n", "\n  reduce  ", "\nother\n", "\n  twice  "}) {
    INFO(line << "in\n" << out);
    at = out.find(line, at);
    REQUIRE(at != std::string::npos);
  }
  CHECK_THAT(out, !Catch::Contains("configurations"));
  CHECK_THAT(passed(sandbox.run({"list", "--json"})), Catch::Contains("\"group\": \"rows\""));
}

TEST_CASE("cli: the commands that a tune ends with work as they stand", "[cli]") {
  const Sandbox sandbox;
  const std::string out = passed(sandbox.run_scripted({"tune", sandbox.family()}));
  const auto command = [&](std::string_view from, std::string_view to) {
    const std::size_t begin = out.find(from) + from.size();
    return split_words(out.substr(begin, out.find(to, begin) - begin));
  };
  CHECK_THAT(passed(sandbox.run(command("reproduce: kerlab ", "   SASS"))), Catch::Contains("THREADS=128"));
  std::vector<std::string> show = command("SASS/PTX: kerlab ", "   profile");
  std::replace(show.begin(), show.end(), std::string("DIR"), (sandbox / "saved").string());
  CHECK_THAT(passed(sandbox.run(show)), Catch::Contains("THREADS=128"));
  CHECK(std::filesystem::exists(sandbox / "saved"));
}

TEST_CASE("cli: --json is one document and nothing else", "[cli]") {
  const Sandbox sandbox;
  const std::vector<Sandbox::Words> commands = {
      {"tune", sandbox.family(), "--dry-run"},
      {"tune", sandbox.family()},
      {"check", sandbox.family()},
      {"bench", sandbox.family()},
      {"roofline", sandbox.family()},
      {"list"},
      {"show", "winner", "twice"},
      {"db", "stats"},
      {"device"},
  };
  for (Sandbox::Words words : commands) {
    INFO(words.front());
    words.push_back("--json");
    const std::string out = passed(sandbox.run_scripted(words));
    CHECK_THAT(out, Catch::StartsWith("{") && Catch::EndsWith("}\n"));
    CHECK_THAT(out, Catch::Contains("\"schema_version\": 2") && Catch::Contains("\"command\": \"" + words.front()));
  }
}

TEST_CASE("cli: NAME=VALUE behind a kernel is its configuration, a folder names its family's trials", "[cli]") {
  const Sandbox sandbox;
  CHECK_THAT(passed(sandbox.run_scripted({"bench", sandbox.family() + "/flat", "THREADS=128"})),
             Catch::Contains("THREADS=128"));
  CHECK_THAT(passed(sandbox.run_scripted({"check", sandbox.family(), "THREADS=128", "--variant", "flat"})),
             Catch::Contains("THREADS=128"));
  CHECK(sandbox.run_scripted({"check", sandbox.family(), "THREADS"}).exit_code == 64);
  CHECK_THAT(passed(sandbox.run({"db", "trials", sandbox.family()})), Catch::Contains("THREADS=128"));
  const ProcessResult dry = sandbox.run_scripted({"bench", sandbox.family(), "--dry-run"});
  CHECK(dry.exit_code == 64);
  CHECK_THAT(dry.err, Catch::Contains("bench: --dry-run is not for it"));
}

TEST_CASE("cli: a new family works as it was written", "[cli]") {
  const Sandbox sandbox;
  passed(sandbox.run({"new", "my_op", "--in", (sandbox / "kernels").string()}));
  CHECK_THAT(passed(sandbox.run({"list", "--kernels", (sandbox / "kernels").string()})), Catch::Contains("my_op"));
  passed(sandbox.run_scripted({"tune", (sandbox / "kernels" / "my_op").string(), "--trials", "2"}));
  const ProcessResult again = sandbox.run({"new", "my_op", "--in", (sandbox / "kernels").string()});
  CHECK(again.exit_code == 64);
  CHECK_THAT(again.err, Catch::Contains("my_op"));
}

TEST_CASE("cli: lines that say how to reproduce repeat what was given, and can be run", "[cli]") {
  const Sandbox sandbox;
  const std::string other = (sandbox / "an other.db").string();
  const std::string out = passed(sandbox.run_scripted({"tune", sandbox.family(), "--db", other}));
  const std::size_t at = out.find("reproduce: kerlab ");
  REQUIRE(at != std::string::npos);
  const std::string line = out.substr(at, out.find('\n', at) - at);
  CHECK_THAT(line, Catch::Contains("bench " + sandbox.family() + " --db '" + other + "' --device " + sandbox.device()));
  const std::size_t trial = line.find("--trial ") + 8;
  const std::string id = line.substr(trial, line.find(' ', trial) - trial);
  passed(sandbox.run({"bench", sandbox.family(), "--db", other, "--device", sandbox.device(), "--trial", id}));
  CHECK_THAT(passed(sandbox.run_scripted({"show", id, "--db", other})),
             Catch::Contains("kerlab bench " + sandbox.family() + " --db '" + other + "' --device " + sandbox.device() +
                             " --trial " + id));
}
