#pragma once
// C++ that kerlab writes, compiled and run by the compiler of this machine.

#include <chrono>
#include <filesystem>
#include <string>

#include "base/child.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"

namespace kerlab::testing {

/// Standard output of a C++17 program that includes from `folders`; nothing where this machine has no g++, which is
/// said. Fails the test when it does not compile without a warning, or ends with another code than 0.
inline std::string output_of_program(const std::string& text, const std::vector<std::filesystem::path>& folders,
                                     const std::vector<std::string>& arguments = {}) {
  const TemporaryFolder folder;
  if (run_process({"/usr/bin/env", "g++", "--version"}, std::chrono::seconds(20), {}).exit_code != 0) {
    WARN("skipped: no g++ here");
    return {};
  }
  write_atomic(folder / "program.cpp", std::string_view(text));
  std::vector<std::string> command = {"/usr/bin/env",
                                      "g++",
                                      "-std=c++17",
                                      "-O0",
                                      "-Wall",
                                      "-Wextra",
                                      "-Wpedantic",
                                      "-Wshadow",
                                      "-Werror",
                                      "-o",
                                      (folder / "program").string(),
                                      (folder / "program.cpp").string(),
                                      "-ldl"};
  for (const auto& include : folders) command.push_back("-I" + include.string());
  const ProcessResult compiled = run_process(command, std::chrono::seconds(300), {});
  INFO(compiled.err);
  REQUIRE(compiled.exit_code == 0);
  std::vector<std::string> words = {(folder / "program").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const ProcessResult run = run_process(words, std::chrono::seconds(60), {});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  return run.out;
}

}  // namespace kerlab::testing
