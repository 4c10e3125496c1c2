#include "session/run/child_main.h"

#include <cstring>

#include "compile/compiler.h"
#include "worker/worker.h"

namespace kerlab::session {

std::optional<int> run_as_child(int argc, const char* const* argv) {
  if (argc < 2) return std::nullopt;
  if (std::strcmp(argv[1], "compiler") == 0) return run_compiler();
  if (std::strcmp(argv[1], "worker") != 0) return std::nullopt;
  const char* device = "auto";
  std::chrono::milliseconds patience = kLockPatience;
  std::vector<std::string> plugins;
  for (int i = 2; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--device") == 0) device = argv[i + 1];
    if (std::strcmp(argv[i], "--patience") == 0) patience = std::chrono::milliseconds(std::atoll(argv[i + 1]));
    if (std::strcmp(argv[i], "--library") == 0) plugins.emplace_back(argv[i + 1]);
  }
  return run_worker(device, patience, std::move(plugins));
}

}  // namespace kerlab::session
