#pragma once
// The program from the outside: runs it in a folder of its own, with its own cache, database, family and device script.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/temporary_folder.h"
#include "cli/toy_family.h"
#include "locations.h"

class Sandbox {
 public:
  using Words = std::vector<std::string>;

  std::chrono::seconds limit{120};  ///< what runs longer hangs, and is ended

  Sandbox() {
    write("twice/family.toml", kToyFamily);
    write("twice/reference.cu", kToyReference);
    write("twice/flat.toml", kToyVariant);
    write("twice/flat.cu", kToyKernel);
    write("device.toml", kToyScript);
  }

  /// Runs kerlab to its end; `environment` entries NAME=VALUE replace the sandbox's own.
  [[nodiscard]] kerlab::ProcessResult run(const Words& arguments, const Words& environment = {}) const {
    return run_program({kerlab_program().string()}, arguments, environment);
  }
  /// kerlab on the scripted device.
  [[nodiscard]] kerlab::ProcessResult run_scripted(Words arguments, const Words& environment = {}) const {
    arguments.insert(arguments.end(), {"--device", device()});
    return run(arguments, environment);
  }
  /// kerlab below another program: `before` kerlab `arguments`.
  [[nodiscard]] kerlab::ProcessResult run_below(Words before, const Words& arguments,
                                                const Words& environment = {}) const {
    before.push_back(kerlab_program().string());
    return run_program(before, arguments, environment);
  }

  [[nodiscard]] std::string device() const { return "script:" + (folder_ / "device.toml").string(); }
  [[nodiscard]] std::string family() const { return (folder_ / "twice").string(); }
  [[nodiscard]] std::filesystem::path database() const { return folder_ / "kerlab.db"; }
  [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const { return folder_ / name; }

  /// Writes a file, making its folders.
  void write(const std::filesystem::path& name, std::string_view text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    kerlab::write_atomic(folder_ / name, text);
  }

 private:
  [[nodiscard]] kerlab::ProcessResult run_program(Words argv, const Words& arguments, const Words& environment) const {
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    Words own = {
        "HOME=" + folder_.path().string(),
        "XDG_CACHE_HOME=" + (folder_ / "cache").string(),
        "XDG_DATA_HOME=" + (folder_ / "data").string(),
        "KERLAB_CACHE=",
        "KERLAB_KERNELS=",
        "KERLAB_DEVICE=",
        "KERLAB_DB=" + database().string(),
        "NO_COLOR=1",
    };
    const auto given = [&](const std::string& entry) {
      const std::string name = entry.substr(0, entry.find('=') + 1);
      return std::ranges::any_of(environment, [&](const std::string& other) { return other.starts_with(name); });
    };
    std::erase_if(own, given);
    own.insert(own.end(), environment.begin(), environment.end());
    return kerlab::run_process(argv, limit, own);
  }

  TemporaryFolder folder_;
};
