#pragma once
// The folder of a family as a git revision has it, written to a temporary folder. The working tree and git's index stay
// as they are.

#include <filesystem>
#include <string>

#include "base/modules.h"
#include "base/scratch_folder.h"

namespace kerlab::session {

class GitRevision {
 public:
  /// `folder`: of a family, in a working tree of git; need not exist there any more. Throws Error: git is missing, the
  /// folder is in no repository, there is no such revision, or it does not have the folder.
  GitRevision(const std::filesystem::path& folder, const std::string& revision);

  /// The family's folder; beside it that repository's `common`, where the revision has one there.
  [[nodiscard]] const std::filesystem::path& folder() const { return family_; }
  /// Shortest that git gives: "06a7f52".
  [[nodiscard]] const std::string& commit() const { return commit_; }
  /// A message in which files of the temporary folder are called as git calls them:
  /// "HEAD~3:kernels/gemm/ladder/reg2d.cu".
  [[nodiscard]] std::string readable(std::string message) const;

 private:
  ScratchFolder scratch_{"kerlab-revision"};
  std::filesystem::path family_;
  std::string revision_, commit_;
};

}  // namespace kerlab::session
