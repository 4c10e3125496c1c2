// The process that compiles.

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/split.h"
#include "compile/confinement.h"
#include "compile/image_files.h"
#include "compile/jit_link.h"
#include "compile/messages.h"
#include "compile/nvrtc.h"

namespace kerlab::compile {
namespace {

/// Test hook, for the tests and the fault drill: KERLAB_COMPILER_FAULT="-DBM=96=hang;-DTM=7=crash" sabotages each
/// compilation whose options, joined by blanks, contain the text before the last '='. crash: SIGSEGV, kill: SIGKILL,
/// hang: never returns.
void sabotage(const CompileRequest& request) {
  const char* hook = std::getenv("KERLAB_COMPILER_FAULT");
  if (hook == nullptr) return;
  const std::string options = fmt::format("{}", fmt::join(request.options, " "));
  for (std::string_view rest = hook; !rest.empty();) {
    const std::string_view rule = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rule.size() + 1, rest.size()));
    const std::size_t split = rule.rfind('=');
    if (split == std::string_view::npos || options.find(rule.substr(0, split)) == std::string::npos) continue;
    const std::string_view fault = rule.substr(split + 1);
    if (fault == "crash") std::raise(SIGSEGV);
    if (fault == "kill") std::raise(SIGKILL);
    while (fault == "hang") pause();
  }
}

/// What the parent allows: an allocation beyond it fails here, where only this compilation is lost. Sanitizers reserve
/// more than there is.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const char* bytes = std::getenv("KERLAB_COMPILER_MEMORY");
  if (bytes == nullptr) return;
  const rlim_t most = std::strtoull(bytes, nullptr, 10);
  rlimit limit{};
  if (most == 0 || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, most);
  ::setrlimit(RLIMIT_DATA, &limit);
#endif
}

/// What a compilation frees stays with the process, for the next one: given back, it comes page by page again (217,000
/// page faults for 40 configurations of gemm/hopper, so 72,000), which is expensive in a virtual machine.
void keep_memory() {
  constexpr int kMost = 1 << 30;
  ::mallopt(M_TRIM_THRESHOLD, kMost);
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that is taken
  ::mallopt(M_TOP_PAD, 64 << 20);
}

/// What a compilation reads: headers of the toolkit, and libraries that are loaded when they are needed.
void confine(const Toolchain& toolchain) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these read /proc
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<fs::path> folders = {"/usr/lib",       "/usr/lib64",       "/lib",     "/lib64",
                                   "/usr/local/lib", "/etc/ld.so.cache", "/dev/null"};
  if (const char* searched = std::getenv("LD_LIBRARY_PATH"))
    for (const std::string& folder : split(searched, ':'))
      if (!folder.empty()) folders.emplace_back(folder);
  folders.push_back(toolchain.library.parent_path());
  folders.push_back(fs::canonical(toolchain.library, ignored).parent_path());
  for (const std::string& include : toolchain.includes) {
    folders.emplace_back(include);
    for (const char* name : {"cuda_fp16.h", "cuda/std/version"})  // in a tree of links
      if (const fs::path file = fs::path(include) / name; fs::exists(file, ignored))
        folders.push_back(fs::canonical(file, ignored).parent_path());
  }
  read_only_below(folders);
#else
  (void)toolchain;
#endif
}

/// Opened when the first image comes: most sessions have none.
CompileResult assemble(const CompileRequest& request, const Toolchain& toolchain, std::optional<JitLink>& jit_link) {
  try {
    if (!jit_link) jit_link = JitLink::open(toolchain);
    return jit_link->assemble(request);
  } catch (const Error& error) {
    CompileResult result;
    result.status = CompileStatus::crashed;  // another time it may be there
    result.message = error.what();
    return result;
  }
}

int serve() {
  limit_memory();
  keep_memory();
  FrameChannel channel = FrameChannel::take_over_stdio();
  channel.start_watchdog();
  std::optional<Nvrtc> nvrtc;
  std::optional<JitLink> jit_link;
  try {
    nvrtc = Nvrtc::open(nvrtc_candidates());
  } catch (const Error& error) {
    channel.write(encode(CompilerHello{{}, error.what()}));
    return static_cast<int>(ExitCode::failed);
  }
  confine(nvrtc->toolchain());
  channel.write(encode(CompilerHello{nvrtc->toolchain(), ""}));
  while (const std::optional<Bytes> frame = channel.read()) {
    const CompileRequest request = decode_compile_request(*frame);
    sabotage(request);
    channel.write(
        encode(is_image(request) ? assemble(request, nvrtc->toolchain(), jit_link) : nvrtc->compile(request)));
  }
  return static_cast<int>(ExitCode::passed);
}

}  // namespace

int run_compiler() {
  try {
    return serve();
  } catch (const std::exception& error) {
    // The parent shows the end of standard error of a child that died.
    fmt::print(stderr, "kerlab compiler: {}\n", error.what());
    return static_cast<int>(ExitCode::failed);
  }
}

}  // namespace kerlab::compile
