#include "compile/confinement.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "base/descriptor.h"

namespace kerlab::compile {

namespace {

// As linux/landlock.h declares them, which older systems have not.
constexpr std::uint64_t kReadFile = 1ull << 2;
constexpr int kRulePathBeneath = 1;
struct RulesetAttributes {
  std::uint64_t handled_access_fs;
};
struct __attribute__((packed)) PathBeneath {
  std::uint64_t allowed_access;
  std::int32_t parent_fd;
};
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;  // on every architecture

bool allow(int ruleset, const std::filesystem::path& folder) noexcept {
  const Descriptor opened(::open(folder.c_str(), O_PATH | O_CLOEXEC));
  if (!opened.open()) return true;  // not there: nothing to read
  const PathBeneath rule{kReadFile, opened.get()};
  return ::syscall(kAddRule, ruleset, kRulePathBeneath, &rule, 0) == 0;
}

}  // namespace

bool read_only_below(const std::vector<std::filesystem::path>& folders) noexcept {
  const RulesetAttributes attributes{kReadFile};
  const Descriptor ruleset(static_cast<int>(::syscall(kCreateRuleset, &attributes, sizeof attributes, 0)));
  if (!ruleset.open()) return false;
  for (const std::filesystem::path& folder : folders)
    if (!allow(ruleset.get(), folder)) return false;
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(kRestrictSelf, ruleset.get(), 0) == 0;
}

}  // namespace kerlab::compile
