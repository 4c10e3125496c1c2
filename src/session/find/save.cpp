#include "session/find/save.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "base/error_about.h"
#include "base/file.h"
#include "session/run/candidate.h"

namespace kerlab::session {

namespace {

namespace fs = std::filesystem;

/// A name without what leads out of the folder: a database may come from others.
fs::path inside(const fs::path& name) {
  fs::path safe;
  for (const fs::path& part : name.lexically_normal().relative_path()) {
    if (part != "..") safe /= part;
  }
  return safe;
}

/// The options as they went to NVRTC; the digests of the launch plan and of recordings, which ride behind them, are
/// none.
std::vector<std::string> compiler_options(const Trial& trial) {
  std::istringstream words(trial.options);
  std::vector<std::string> options;
  for (std::string word; words >> word;) {
    if (!word.starts_with("plan:") && !word.starts_with("recordings:")) options.push_back(word);
  }
  return options;
}

class Saver {
 public:
  Saver(const Database& database, const Trial& trial, const SaveOptions& options)
      : database_(database), trial_(trial), options_(options) {}

  SavedTrial run() {
    const SourceBundle source = find_source();
    if (!source.text.empty()) write(trial_.variant + ".cu", source.text);  // images are among the headers
    for (const Header& header : source.headers) write(header.name, header.text);
    compile(source);
    return std::move(saved_);
  }

 private:
  void write(const fs::path& name, std::string_view text) {
    const fs::path file = options_.folder / inside(name);
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) {
      throw Error(fmt::format("{}: cannot be created: {}; name another folder with --save", file.parent_path().string(),
                              error.message()));
    }
    write_atomic(file, text);
    saved_.files.push_back(file);
  }

  /// The current files when they are still those of the trial (so that the compilation is found in the cache, which
  /// knows the file's path), else the stored text.
  SourceBundle find_source() {
    const std::optional<SourceBundle> current = current_source();
    if (current && current->hash == trial_.source_hash) return *current;
    saved_.notes.push_back(
        current ? fmt::format("{} or what it includes has changed since the trial ran; written is the text of then",
                              current->path)
                : fmt::format("{} of {} is not among today's kernels (--kernels DIR adds a folder); written is the "
                              "text of when the trial ran",
                              trial_.variant, trial_.family));
    return stored_source();
  }

  [[nodiscard]] std::optional<SourceBundle> current_source() const {
    try {
      for (const Variant& variant : open_catalogue(options_.kernels).find(trial_.family).variants) {
        if (variant.name == trial_.variant) return read_kernel_source(variant);
      }
    } catch (const Error&) {
      // No such family any more, or it cannot be read: as good as gone.
    }
    return {};
  }

  [[nodiscard]] SourceBundle stored_source() const {
    const auto packed = database_.source_text(trial_.source_hash);
    if (!packed) {
      throw ErrorAbout<Error, AboutDatabase>(
          fmt::format("database {} has no source text of trial {}; run the trial again with kerlab tune --fresh",
                      database_.path().string(), trial_.id));
    }
    return unpack_source(*packed, trial_.variant + ".cu", trial_.source_hash);
  }

  CompileResult run_compiler(const SourceBundle& source) {
    CompilerPool::Options pool;
    pool.executable = (options_.compiler.empty() ? executable_path() : options_.compiler).string();
    pool.processes = 1;
    pool.cache_folder = cache_folder() / "compile";
    pool.use_cache = options_.use_cache;
    CompilerPool compilers(std::move(pool));
    if (compilers.toolchain() != trial_.toolchain) {
      saved_.notes.push_back(fmt::format("compiled by {}, the trial was by {}: PTX, cubin and log may differ",
                                         compilers.toolchain(), trial_.toolchain));
    }
    return compilers.compile({source, compiler_options(trial_)});
  }

  void compile(const SourceBundle& source) {
    CompileResult result;
    try {
      result = run_compiler(source);
    } catch (const Error& error) {
      saved_.notes.push_back(fmt::format("PTX, cubin, SASS and log are left out: {}", error.what()));
      return;
    }
    write(trial_.variant + ".log",
          fmt::format("options: {}\n{}", fmt::join(compiler_options(trial_), " "), result.log));
    if (result.status != CompileStatus::ok) {
      saved_.notes.push_back(fmt::format("PTX, cubin and SASS are left out: it does not compile: {}", result.message));
      return;
    }
    if (result.ptx.empty()) {
      saved_.notes.emplace_back("PTX is left out: NVRTC gave none beside the cubin");
    } else {
      write(trial_.variant + ".ptx", result.ptx);
    }
    write(trial_.variant + ".cubin", {reinterpret_cast<const char*>(result.cubin.data()), result.cubin.size()});
    disassemble(saved_.files.back());
  }

  void disassemble(const fs::path& cubin) {
    std::vector<std::string> command;
    if (const fs::path nvdisasm = find_toolkit_program("nvdisasm"); !nvdisasm.empty()) {
      command = {nvdisasm.string(), "-c", cubin.string()};
    } else if (const fs::path cuobjdump = find_toolkit_program("cuobjdump"); !cuobjdump.empty()) {
      command = {cuobjdump.string(), "-sass", cubin.string()};
    } else {
      saved_.notes.emplace_back(
          "SASS is left out: neither nvdisasm nor cuobjdump in PATH, CUDA_HOME/bin, CUDA_PATH/bin or "
          "/usr/local/cuda/bin; they come with the CUDA Toolkit");
      return;
    }
    const ProcessResult result = run_process(command, std::chrono::seconds(60));
    if (result.exit_code == 0) {
      write(trial_.variant + ".sass", result.out);
    } else {
      saved_.notes.push_back(
          fmt::format("SASS is left out: {} ended with {}: {}", command.front(), result.exit_code, result.err));
    }
  }

  const Database& database_;
  const Trial& trial_;
  const SaveOptions& options_;
  SavedTrial saved_;
};

void add_path(std::vector<fs::path>& folders, const char* list) {
  std::istringstream stream(list == nullptr ? "" : list);
  for (std::string folder; std::getline(stream, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
}

}  // namespace

fs::path find_toolkit_program(const std::string& name) {
  std::vector<fs::path> folders;
  add_path(folders, std::getenv("PATH"));
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable); home != nullptr && *home != '\0') {
      folders.push_back(fs::path(home) / "bin");
    }
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    const fs::path file = folder / name;
    if (fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

SavedTrial save_trial(const Database& database, const Trial& trial, const SaveOptions& options) {
  return Saver(database, trial, options).run();
}

}  // namespace kerlab::session
