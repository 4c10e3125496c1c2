// kerlab in hostile surroundings and with hostile files: a message and an exit code, nothing lost, nothing left behind.
// docs/faults.md lists all that is tried.
#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>

#include "base/file.h"
#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;
namespace fs = std::filesystem;

namespace {

constexpr const char* kStored = "(4 stored before)";

ProcessResult in_shell(const Sandbox& sandbox, const std::string& script, Sandbox::Words arguments) {
  arguments.insert(arguments.end(), {"--device", sandbox.device()});
  return sandbox.run_below({"/bin/sh", "-c", script}, arguments);
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string changed(text);
  return changed.replace(changed.find(what), what.size(), with);
}

}  // namespace

TEST_CASE("abuse: no home, no known language, no known time zone, no folder to be in", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult homeless =
      sandbox.run_scripted({"tune", sandbox.family()}, {"HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME="});
  CHECK(homeless.exit_code == 1);
  CHECK_THAT(homeless.err, Catch::Contains("XDG_CACHE_HOME") && Catch::Contains("KERLAB_CACHE"));
  REQUIRE(sandbox.run_scripted({"tune", sandbox.family()}).exit_code == 0);
  const std::string text = sandbox.run({"db", "export"}).out;
  for (const char* language :
       {"LC_ALL=tr_TR.UTF-8", "LC_ALL=de_DE.UTF-8", "LC_ALL=nowhere", "TZ=Nowhere/City", "TZ=UTC+25"})
    CHECK(sandbox.run({"db", "export"}, {language}).out == text);
  const ProcessResult gone = in_shell(
      sandbox, fmt::format("mkdir '{0}' && cd '{0}' && rmdir '{0}' && exec \"$0\" \"$@\"", (sandbox / "gone").string()),
      {"tune", sandbox.family()});
  CHECK(gone.exit_code == 0);
  CHECK_THAT(gone.out, Catch::Contains(kStored));
}

TEST_CASE("abuse: too few descriptors, no address space", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult few = in_shell(sandbox, "ulimit -n 12; exec \"$0\" \"$@\"", {"tune", sandbox.family()});
  CHECK(few.exit_code == 1);
  CHECK_THAT(few.err, Catch::Contains("Too many open files"));
  CHECK(sandbox.run_scripted({"tune", sandbox.family()}).exit_code == 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const ProcessResult narrow =
      sandbox.run_below({"/bin/sh", "-c", "ulimit -v 2000000; exec \"$0\" \"$@\""},
                        {"check", sandbox.family(), "--N", "4096", "--only", "--device", "emu:h200"});
  CHECK(narrow.exit_code == 1);
  CHECK_THAT(narrow.err, Catch::Contains("ulimit -v"));
#endif
}

TEST_CASE("abuse: a launcher that is no worker is named, and leaves nobody behind", "[cli]") {
  const Sandbox sandbox;
  const std::string mark = (sandbox / "bomb").string();
  const auto with = [&](const std::string& command) {
    return sandbox.run_scripted({"tune", sandbox.family(), "--worker-command", command});
  };
  const std::string bomb = "sh -c 'touch " + mark + "; for i in 1 2 3 4 5 6 7 8; do sleep 4711 & done; yes; :'";
  for (const std::string command : {"true", "/etc", "no-such-program", "sh -c 'echo hello'", "sh -c 'kill -9 $$'"}) {
    const ProcessResult result = with(command);
    INFO(command << "\n" << result.out << result.err);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Catch::StartsWith("kerlab: "));
  }
  const ProcessResult forks = with(bomb);
  CHECK(forks.exit_code == 1);
  CHECK_THAT(forks.err, Catch::Contains("not a frame"));
  CHECK(fs::exists(mark));
  CHECK(sandbox.run_below({"/bin/sh", "-c", "! pgrep -f '^sleep 4711$'"}, {}).exit_code == 0);
  CHECK(sandbox.run_scripted({"tune", sandbox.family()}).exit_code == 0);
}

TEST_CASE("abuse: a kernel that prints megabytes is tuned, and its words do not flood the screen", "[cli][emulated]") {
  const Sandbox sandbox;
  sandbox.write(
      "twice/flat.cu",
      replaced(kToyKernel, "  if (i < N)",
               "  for (int k = 0; k < 40 && i < 2048; ++k) printf(\"element %d: all is well, again\\n\", i);\n"
               "  if (i < N)"));
  const ProcessResult result =
      sandbox.run({"tune", sandbox.family(), "--N", "2048", "--trials", "1", "--device", "emu:h200"});
  INFO(result.err.substr(0, 2000));
  CHECK(result.exit_code == 0);
  CHECK(result.out.size() + result.err.size() < 20000);
}

TEST_CASE("abuse: descriptions that are no text, no file, too long, too deep or not ending", "[cli]") {
  const Sandbox sandbox;
  const std::string good(kToyVariant);
  const std::string million(2 << 20, 'x');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {good + std::string("\0\0\0", 3), "flat.toml:"},
      {good + "# " + million + "\n", "larger than 1 MiB"},
      {good + "# " + million.substr(0, 5000) + "\n", "line longer than"},
      {good + "a = " + std::string(4000, '[') + "\n", "flat.toml:"},
      {good + "[" + std::string(1500, 'a') + replaced(std::string(1500, '.'), ".", ".b") + "]\n", "flat.toml:"},
      {"doc = \"again\"\n" + good, "flat.toml:"},
      {replaced(good, "[64, 128, 256, 512]", "[64, 128, 256, 99999999999999999999]"), "flat.toml:"},
      {replaced(good, "[64, 128, 256, 512]", "[64, \"128\", 1.5]"), "flat.toml:"},
      {replaced(good, "\"THREADS\"]", "\"THREADS * 9223372036854775807\"]"), "flat.toml"},
      {good + "\xff\xfe", "flat.toml:"},
      {"", "flat.toml"},
  };
  for (const auto& [text, part] : cases) {
    sandbox.write("twice/flat.toml", text);
    const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family()});
    INFO(text.substr(0, 800) << "\n" << result.out << result.err.substr(0, 800));
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Catch::Contains(part));
    CHECK(result.err.size() < 3000);
  }
  sandbox.write("twice/flat.toml", good);
  const auto in_its_place = [&](const char* file, const auto& put) {
    const fs::path path = sandbox / "twice" / file;
    const std::string text = read_text(path);
    fs::remove(path);
    put(path);
    const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family()});
    INFO(file << "\n" << result.out << result.err);
    CHECK(result.exit_code != 0);
    CHECK_THAT(result.err, Catch::StartsWith("kerlab: ") && Catch::Contains("twice"));
    fs::remove_all(path);
    sandbox.write(fs::path("twice") / file, text);
  };
  for (const char* file : {"family.toml", "reference.cu", "flat.cu"}) {
    in_its_place(file, [](const fs::path&) {});
    in_its_place(file, [](const fs::path& path) { fs::create_directory(path); });
    in_its_place(file, [](const fs::path& path) { fs::create_symlink(path, path); });
    in_its_place(file, [](const fs::path& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); });
  }
  sandbox.write("twice/own.cuh", "#include \"own.cuh\"\n#pragma once\n");
  sandbox.write("twice/flat.cu", "#include \"own.cuh\"\n" + std::string(kToyKernel));
  CHECK(sandbox.run_scripted({"tune", sandbox.family(), "--trials", "1"}).exit_code != 130);  // it ends
  sandbox.write("twice/flat.cu", "#include \"/dev/zero\"\n" + std::string(kToyKernel));
  CHECK_THAT(sandbox.run_scripted({"tune", sandbox.family()}).err, Catch::Contains("flat.cu:1"));
}

TEST_CASE("abuse: folders and files with any name", "[cli]") {
  const Sandbox sandbox;
  const std::string name = GENERATE(as<std::string>{}, "sp ace", "q'uo\"te", "line\nbreak", "\xc3\xbcml\xc3\xa4ut",
                                    "$(touch hacked)", "a;b|c&d", "%s%n{}", "-dash", std::string(200, 'n'));
  CAPTURE(name);
  fs::create_directories(sandbox / name);
  fs::copy(sandbox / "twice", sandbox / name / "twice");
  const std::string family = (sandbox / name / "twice").string(), database = (sandbox / name / "of the.db").string();
  const ProcessResult result = sandbox.run_scripted({"tune", family, "--db", database});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  // The command that repeats it is typed as it stands.
  const std::string last = result.out.substr(result.out.find("reproduce: ") + 11);
  const std::string command = last.substr(0, last.find("   SASS/PTX"));
  const ProcessResult again = sandbox.run_below(
      {"/bin/sh", "-c", fmt::format("kerlab() {{ {} \"$@\"; }}\n{}", kerlab_program().string(), command)}, {});
  INFO(command << "\n" << again.err);
  CHECK(again.exit_code == 0);
  CHECK_FALSE(fs::exists("hacked"));
}

TEST_CASE("abuse: caches that are files, loops or nonsense cost time and nothing else", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("file", "not a folder");
  fs::create_symlink(sandbox / "loop", sandbox / "loop");
  for (const char* cache : {"file", "loop"}) {
    const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family(), "--trials", "1", "--fresh"},
                                                      {"KERLAB_CACHE=" + (sandbox / cache).string()});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Catch::Contains("warning") && Catch::Contains("KERLAB_CACHE"));
  }
  REQUIRE(sandbox.run_scripted({"tune", sandbox.family()}).exit_code == 0);
  for (const auto& entry : fs::recursive_directory_iterator(sandbox / "cache"))
    if (entry.is_regular_file()) std::ofstream(entry.path(), std::ios::trunc) << "nonsense";
  const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family(), "--fresh"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("winner: flat THREADS=128\n"));
}

TEST_CASE("abuse: libraries that are none in place of NVRTC", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("libnvrtc.so", "not a library");
  for (const std::string& library :
       {(sandbox / "libnvrtc.so").string(), std::string("/proc/self/exe"), sandbox.family()}) {
    const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family()}, {"KERLAB_NVRTC=" + library});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Catch::Contains("KERLAB_NVRTC"));
  }
}

TEST_CASE("abuse: a database that cannot be: links in a circle, a pipe, a device", "[cli]") {
  const Sandbox sandbox;
  fs::create_symlink(sandbox / "loop.db", sandbox / "loop.db");
  REQUIRE(::mkfifo((sandbox / "pipe.db").c_str(), 0600) == 0);
  for (const std::string& database :
       {(sandbox / "loop.db").string(), (sandbox / "pipe.db").string(), std::string("/dev/null")}) {
    const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family(), "--db", database});
    INFO(database << "\n" << result.err);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Catch::Contains(database) && Catch::Contains("--db PATH"));
  }
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("abuse: two sweeps of one problem at once end with the same winner", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult result = in_shell(
      sandbox, "\"$0\" \"$@\" >/dev/null & \"$0\" \"$@\"; code=$?; wait $! && exit $code", {"tune", sandbox.family()});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  const ProcessResult after = sandbox.run_scripted({"tune", sandbox.family()});
  CHECK_THAT(after.out, Catch::Contains(kStored) && Catch::Contains("winner: flat THREADS=128\n"));
}

TEST_CASE("abuse: exports to a full disk or where nothing can be written lose nothing", "[cli]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run_scripted({"tune", sandbox.family()}).exit_code == 0);
  const std::string text = sandbox.run({"db", "export"}).out;
  sandbox.write("old.txt", "the old one");
  const std::string full = "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\"";
  const ProcessResult torn = in_shell(sandbox, full, {"db", "export", (sandbox / "old.txt").string()});
  INFO(torn.out << torn.err);
  CHECK(torn.exit_code == 1);
  CHECK(read_text(sandbox / "old.txt") == "the old one");
  CHECK(sandbox.run({"db", "export", "/proc/kerlab.txt"}).exit_code == 1);
  CHECK(sandbox.run({"new", "op", "--in", "/proc"}).exit_code == 1);
  // The same disk takes no import either: nothing of it, then.
  sandbox.write("whole.txt", text);
  const ProcessResult import = in_shell(
      sandbox, full, {"db", "import", (sandbox / "whole.txt").string(), "--db", (sandbox / "new.db").string()});
  CHECK(import.exit_code == 1);
  CHECK(sandbox.run({"db", "import", (sandbox / "whole.txt").string(), "--db", (sandbox / "new2.db").string()})
            .exit_code == 0);
  CHECK(sandbox.run({"db", "export"}).out == text);
}
