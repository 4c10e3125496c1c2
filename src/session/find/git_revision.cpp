#include "session/find/git_revision.h"

#include <fmt/format.h>

#include "base/child.h"
#include "base/error.h"

namespace kerlab::session {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kGitPatience{2};  // on a network's file system, of a large repository

/// git in a folder, with an index of its own where it needs one.
class Git {
 public:
  Git(const fs::path& folder, const fs::path& index) : folder_(folder), index_(index) {}

  [[nodiscard]] ProcessResult run(const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{"git", "-C", folder_.string()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run_process(argv, kGitPatience, {"LC_ALL=C", "GIT_INDEX_FILE=" + index_.string()});
  }
  /// Its first line of output. Throws Error with git's message.
  [[nodiscard]] std::string line(const std::vector<std::string>& arguments) const {
    const ProcessResult result = run(arguments);
    if (result.exit_code != 0)
      throw Error(fmt::format("git {}: {}", arguments.front(), result.err.substr(0, result.err.find('\n'))));
    return result.out.substr(0, result.out.find('\n'));
  }
  [[nodiscard]] bool has(const std::string& object) const { return run({"cat-file", "-e", object}).exit_code == 0; }
  /// Writes a folder of a commit, as a checkout would.
  void write(const std::string& tree, const fs::path& to) const {
    fs::remove(index_);
    (void)line({"read-tree", tree});
    fs::create_directories(to);
    (void)line({"checkout-index", "--all", "--prefix=" + to.string() + "/"});
  }

 private:
  fs::path folder_, index_;
};

/// The nearest folder that there is: the one asked for may be gone.
fs::path existing(fs::path folder) {
  while (!fs::is_directory(folder) && folder.has_parent_path() && folder != folder.parent_path())
    folder = folder.parent_path();
  return folder;
}

/// The root of the working tree that holds the folder.
fs::path working_tree(const fs::path& folder, const fs::path& index, const std::string& revision) {
  ProcessResult result;
  try {
    result = Git(existing(folder), index).run({"rev-parse", "--show-toplevel"});
  } catch (const Error& error) {
    throw Error(fmt::format("@{} is read with git: {}", revision, error.what()));
  }
  if (result.exit_code != 0)
    throw Error(fmt::format("@{}: {} is in no working tree of git: {}", revision, folder.string(),
                            result.err.substr(0, result.err.find('\n'))));
  return fs::canonical(result.out.substr(0, result.out.find('\n')));
}

}  // namespace

GitRevision::GitRevision(const fs::path& folder, const std::string& revision) : revision_(revision) {
  const fs::path index = scratch_.path() / "index", wanted = fs::weakly_canonical(fs::absolute(folder));
  const fs::path root = working_tree(wanted, index, revision);
  const Git git(root, index);
  const ProcessResult found = git.run({"rev-parse", "--verify", "--quiet", revision + "^{commit}"});
  if (found.exit_code != 0)
    throw Error(fmt::format("@{}: there is no such revision in {} (git log --oneline lists commits, git tag tags)",
                            revision, root.string()));
  const std::string hash = found.out.substr(0, found.out.find('\n'));
  commit_ = git.line({"rev-parse", "--short", hash});
  std::string path = wanted.lexically_relative(root).generic_string();
  if (path == ".") path.clear();  // the whole repository is the family's
  if (!git.has(hash + ":" + path)) throw Error(fmt::format("@{}: {} has no {}", revision, commit_, path));
  family_ = path.empty() ? scratch_.path() / wanted.filename() : scratch_.path() / path;
  git.write(hash + ":" + path, family_);
  if (path.empty()) return;
  const fs::path common = fs::path(path).parent_path() / "common";
  if (git.has(hash + ":" + common.generic_string()))
    git.write(hash + ":" + common.generic_string(), scratch_.path() / common);
}

std::string GitRevision::readable(std::string message) const {
  const std::string place = scratch_.path().string() + "/";
  for (std::size_t at = message.find(place); at != std::string::npos; at = message.find(place, at))
    message.replace(at, place.size(), revision_ + ":");
  return message;
}

}  // namespace kerlab::session
