#include "compile/toolchain.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "compile/messages.h"

namespace kerlab::compile {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void add_existing(const fs::path& folder, std::vector<std::string>& candidates) {
  // Newest known first; the bare name, which is the development link, covers every other version.
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    std::error_code ignored;
    if (const fs::path file = folder / name; fs::is_regular_file(file, ignored)) candidates.push_back(file.string());
  }
}

/// One file for each set of places to look at: another CUDA_HOME is another toolchain.
fs::path memory_file(const fs::path& cache_folder) {
  FieldHasher hasher;
  for (const std::string& candidate : nvrtc_candidates()) hasher.field("candidate", candidate);
  hasher.field("loader", environment("LD_LIBRARY_PATH"));
  return cache_folder / "toolchain" / hasher.hex();
}

}  // namespace

std::string Toolchain::identity() const {
  std::string text = fmt::format("{} {} {} {}", name, library.string(), size, modified_ns);
  for (const std::string& folder : includes) text += " -I" + folder;
  return text;
}

std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> candidates;
  if (const std::string given = environment("KERLAB_NVRTC"); !given.empty()) {
    std::error_code ignored;
    if (!fs::is_directory(given, ignored)) return {given};
    add_existing(given, candidates);
    return candidates;
  }
  for (const std::string& home : {environment("CUDA_HOME"), environment("CUDA_PATH"), std::string("/usr/local/cuda")})
    if (!home.empty()) add_existing(fs::path(home) / "lib64", candidates);
  candidates.insert(candidates.end(), {"libnvrtc.so.13", "libnvrtc.so.12"});
  return candidates;
}

Toolchain describe_toolchain(const std::string& name, const fs::path& library) {
  Toolchain toolchain{name, library, 0, 0, {}};
  struct stat info {};
  if (::stat(library.c_str(), &info) == 0) {
    toolchain.size = info.st_size;
    toolchain.modified_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  }
  std::error_code ignored;
  const fs::path resolved = fs::canonical(library, ignored);
  for (const fs::path& base : {library.parent_path(), resolved.parent_path()}) {
    const fs::path include = base.parent_path() / "include";
    if (!fs::is_regular_file(include / "cuda_fp16.h", ignored)) continue;
    toolchain.includes.push_back(include.string());
    // CUDA 13 moved libcu++ and CUB into a folder of their own.
    if (fs::is_directory(include / "cccl", ignored)) toolchain.includes.push_back((include / "cccl").string());
    break;
  }
  return toolchain;
}

std::optional<Toolchain> recall_toolchain(const fs::path& cache_folder) {
  try {
    const fs::path file = memory_file(cache_folder);
    if (std::error_code ignored; !fs::exists(file, ignored)) return {};
    const Toolchain remembered = decode_toolchain(read_bytes(file));
    if (describe_toolchain(remembered.name, remembered.library) == remembered) return remembered;
  } catch (const Error&) {
    // Unreadable or of another version: as good as none.
  }
  return {};
}

void remember_toolchain(const fs::path& cache_folder, const Toolchain& toolchain) noexcept {
  try {
    const fs::path file = memory_file(cache_folder);
    fs::create_directories(file.parent_path());
    write_atomic(file, encode(toolchain));
  } catch (const std::exception&) {
  }
}

}  // namespace kerlab::compile
