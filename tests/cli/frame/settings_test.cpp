// Flag > environment > kerlab.toml > default, and what is wrong in kerlab.toml, from the outside.
#include <fmt/format.h>

#include "base/file.h"
#include "catch.h"
#include "cli/commands.h"
#include "cli/help/completion.h"
#include "cli/sandbox.h"
#include "report/form/json.h"
#include "session/find/project_file.h"

using namespace kerlab;

namespace {

/// A working folder work/deep below a folder with a kerlab.toml; kerlab runs in it.
class Workplace {
 public:
  Sandbox sandbox;

  explicit Workplace(const std::string& toml) {
    std::filesystem::create_directories(sandbox / "work/deep");
    std::filesystem::create_directories(sandbox / "work/mine");
    std::filesystem::rename(sandbox / "twice", sandbox / "work/mine/twice");
    sandbox.write("work/kerlab.toml", toml);
  }
  [[nodiscard]] ProcessResult run(const Sandbox::Words& words, const Sandbox::Words& environment = {}) const {
    return sandbox.run_below({"env", "-C", (sandbox / "work/deep").string()}, words, environment);
  }
  /// "VALUE from PLACE" of a setting, one a line.
  [[nodiscard]] std::string setting(const std::string& name, Sandbox::Words words,
                                    const Sandbox::Words& environment = {}) const {
    words.insert(words.begin(), {"device", "--json"});
    const ProcessResult result = run(words, environment);
    INFO(result.err);
    const auto document = parse_json(result.out);
    REQUIRE(document);
    std::string lines;
    for (const JsonValue& value : document->find("settings")->find("values")->elements())
      if (value.find("name")->text() == name)
        lines += fmt::format("{} from {}\n", value.find("value")->text(), value.find("from")->text());
    return lines;
  }
};

std::string refused(const std::string& toml) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "some");
  write_atomic(folder / "kerlab.toml", toml);
  try {
    static_cast<void>(read_project_file(folder / "kerlab.toml"));
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(std::min(text.find("kerlab.toml"), text.size()));
  }
  return "accepted";
}

}  // namespace

TEST_CASE("settings: flag before environment before kerlab.toml before the default", "[cli]") {
  const Workplace place("device = \"emu:a100\"\ndb = \"tuning.db\"\nkernels = \"mine\"\n");
  const std::string file = (place.sandbox / "work/kerlab.toml").string();
  CHECK(place.setting("device", {}) == "emu:a100 from " + file + ":1:10\n");
  CHECK(place.setting("device", {}, {"KERLAB_DEVICE=emu:h200"}) == "emu:h200 from KERLAB_DEVICE\n");
  CHECK(place.setting("device", {"--device", "emu:l40s"}, {"KERLAB_DEVICE=emu:h200"}) == "emu:l40s from --device\n");
  CHECK(place.setting("db", {}, {"KERLAB_DB="}) ==
        fmt::format("{} from {}:2:6\n", (place.sandbox / "work/tuning.db").string(), file));
  CHECK_THAT(place.setting("db", {}), Catch::EndsWith(" from KERLAB_DB\n"));
  CHECK_THAT(place.setting("kernels", {}),
             Catch::StartsWith((place.sandbox / "work/mine").string() + " from " + file + ":3:11\n") &&
                 Catch::EndsWith(" from shipped\n"));
  const Sandbox elsewhere;
  const ProcessResult result = elsewhere.run_below({"env", "-C", (elsewhere / "").string()}, {"device"});
  CHECK_THAT(result.out, Catch::Contains("no kerlab.toml here"));
}

TEST_CASE("settings: folders of headers are the user's, of the command line, the environment and the user's file",
          "[cli]") {
  const Workplace place("");
  const auto folder = [&](const char* name) {
    std::filesystem::create_directories(place.sandbox / name);
    return (place.sandbox / name).string();
  };
  const std::string typed = folder("typed"), set = folder("set"), own = folder("own/include");
  const Sandbox::Words home = {"KERLAB_INCLUDE=" + set, "XDG_CONFIG_HOME=" + (place.sandbox / "config").string(),
                               "LIBRARY=" + (place.sandbox / "own").string()};
  place.sandbox.write("config/kerlab/kerlab.toml", "include = \"$LIBRARY/include\"\n");
  const std::string file = (place.sandbox / "config/kerlab/kerlab.toml").string();
  CHECK(place.setting("include", {"--include", typed}, home) ==
        fmt::format("{} from --include\n{} from KERLAB_INCLUDE\n{} from {}:1:11\n", typed, set, own, file));
  const auto said = [&](const std::string& text, const Sandbox::Words& words = {"device"}) {
    place.sandbox.write("config/kerlab/kerlab.toml", text);
    return place.run(words, {"XDG_CONFIG_HOME=" + (place.sandbox / "config").string()}).err;
  };
  CHECK_THAT(said("include = [\"$NO_SUCH/include\"]\n"),
             Catch::Contains("kerlab.toml:1:13: '$NO_SUCH/include': the variable NO_SUCH is not set"));
  CHECK_THAT(said("include = \"lib\"\n"), Catch::Contains(":1:11: 'lib': a path from the root on"));
  CHECK_THAT(said("include = \"/no/such\"\n"), Catch::Contains(":1:11: there is no folder /no/such"));
  CHECK_THAT(said("device = \"auto\"\n"), Catch::Contains(":1:1: unknown key 'device'"));
  CHECK_THAT(said("", {"device", "--include", "/no/such"}), Catch::Contains("--include: there is no folder /no/such"));
  place.sandbox.write("work/kerlab.toml", "include = \"/usr/include\"\n");  // a project names none
  CHECK_THAT(said(""), Catch::Contains("kerlab.toml:1:1: unknown key 'include'"));
}

TEST_CASE("settings: a family, a database and a suite of kerlab.toml are used", "[cli]") {
  const Workplace place(
      "db = \"tuning.db\"\nkernels = [\"mine\"]\nsuites = \"suites\"\n[margins]\ninstructions = \"2%\"\n");
  CHECK(place.run({"list"}).exit_code == 1);  // the folder of suites is not there
  place.sandbox.write("work/suites/ours.toml", "[[problem]]\nfamily = \"twice\"\ndimensions = { N = 3000 }\n");
  CHECK_THAT(place.run({"list"}).out, Catch::Contains("twice"));
  const Sandbox::Words own = {"KERLAB_DB="};
  const ProcessResult tuned =
      place.run({"tune", "--suite", "ours", "--device", place.sandbox.device(), "--trials", "2"}, own);
  INFO(tuned.err);
  CHECK(tuned.exit_code == 0);
  CHECK(std::filesystem::exists(place.sandbox / "work/tuning.db"));
  CHECK_FALSE(std::filesystem::exists(place.sandbox.database()));
  CHECK_THAT(place.run({"db", "winners"}, own).out, Catch::Contains("twice"));
  CHECK_THAT(place.run({"complete", "--", "tune", "--suite", "ou"}).out, Catch::StartsWith("ours\t"));
  CHECK_THAT(place.run({"complete", "--", "tune", "twi"}).out, Catch::StartsWith("twice\t"));
  CHECK_THAT(place.setting("margins", {}), Catch::StartsWith("instructions = 0.02 from "));
}

TEST_CASE("settings: what is wrong in kerlab.toml is told with its place; help works on", "[cli]") {
  CHECK_THAT(refused("device = \"auto\"\nkernel = \"some\"\n"),
             Catch::StartsWith("kerlab.toml:2:1: unknown key 'kernel', did you mean 'kernels'?"));
  CHECK_THAT(refused("device = 3\n"), Catch::StartsWith("kerlab.toml:1:10: expected a string, not an integer"));
  CHECK_THAT(refused("kernels = [\"some\", 7]\n"), Catch::StartsWith("kerlab.toml:1:20: expected a string"));
  CHECK_THAT(refused("kernels = \"none\"\n"), Catch::StartsWith("kerlab.toml:1:11: there is no folder"));
  CHECK_THAT(refused("kernels = true\n"), Catch::StartsWith("kerlab.toml:1:11: expected a list"));
  CHECK_THAT(refused("db = \"\"\n"), Catch::StartsWith("kerlab.toml:1:6: expected a path"));
  CHECK_THAT(refused("db = \"a\\u0000b\"\n"), Catch::StartsWith("kerlab.toml:1:6: expected a path"));
  CHECK_THAT(refused("[margins]\ninstrutions = 1\n"), Catch::Contains("did you mean instructions?"));
  CHECK_THAT(refused("device = \n"), Catch::StartsWith("kerlab.toml:1:"));
  // Nothing in it may name a program.
  for (const char* key : {"worker_command", "worker-command", "pager", "cache", "nvrtc"})
    CHECK_THAT(refused(fmt::format("{} = \"sh\"\n", key)), Catch::Contains("unknown key"));
  CHECK(refused("kernels = \"some\"\nsuites = [\"some\"]\n") == "accepted");

  const Workplace place("devise = \"auto\"\n");
  const ProcessResult broken = place.run({"list"});
  CHECK(broken.exit_code == 1);
  CHECK_THAT(broken.err, Catch::Contains("kerlab.toml:1:1: unknown key 'devise', did you mean 'device'?"));
  CHECK(place.run({"help"}).exit_code == 0);
  CHECK(place.run({"tune", "--help"}).exit_code == 0);
  CHECK(place.run({"completion", "bash"}).exit_code == 0);
}

TEST_CASE("settings: a wrong device or folder is told with the flag, the variable or the line", "[cli]") {
  const Workplace place("device = \"emu:none\"\n");
  CHECK_THAT(place.run({"device"}).err, Catch::Contains("emu:none") && Catch::Contains("kerlab.toml:1:10"));
  CHECK_THAT(place.run({"device"}, {"KERLAB_DEVICE=tpu"}).err, Catch::Contains("is of KERLAB_DEVICE"));
  CHECK_THAT(place.run({"device", "--device", "tpu"}).err, !Catch::Contains(" is of "));
  CHECK_THAT(place.run({"db", "stats"}, {"KERLAB_DB=/no/such.db"}).err,
             Catch::Contains("database /no/such.db: ") && Catch::Contains("the database is of KERLAB_DB"));
  CHECK_THAT(place.run({"db", "stats", "--db", "/no/such.db"}).err, !Catch::Contains(" is of "));
  const ProcessResult flag = place.run({"list", "--kernels", "/no/such"});
  CHECK(flag.exit_code == 64);
  CHECK_THAT(flag.err, Catch::Contains("--kernels: there is no folder /no/such"));
  CHECK_THAT(place.run({"list"}, {"KERLAB_KERNELS=/no/such"}).err,
             Catch::Contains("KERLAB_KERNELS: there is no folder /no/such"));
  CHECK_THAT(place.run({"list", "--kernels", (place.sandbox / "work/mine/twice").string()}).err,
             Catch::Contains("is a family, not a folder of families"));
}

TEST_CASE("settings: several devices that are a default: only tune takes all of them", "[cli]") {
  const Workplace place("device = \"emu:h200,emu:h200\"\n");
  CHECK(place.run({"list", "gemm", "--space", "--variant", "naive"}).exit_code == 0);
  CHECK(place.run({"list", "--device", "emu:h200,emu:h200"}).exit_code == 64);
}
