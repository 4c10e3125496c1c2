#pragma once
// Where the files of a named kernel are read from: its family's folder as it is, or as a git revision has it.

#include <memory>

#include "session/find/git_revision.h"
#include "session/find/subject.h"

namespace kerlab::session {

class KernelHome {
 public:
  /// `kernels`: of --kernels. `database`: for the id of a trial; may be null. Throws what is wrong with the name, with
  /// git or with the specs.
  KernelHome(const SubjectName& name, const KernelPlaces& kernels, const Database* database);

  [[nodiscard]] const KernelFolder& folder() const { return folder_; }
  /// " @HEAD~3 (06a7f52)" for labels; empty where the files are as they are now.
  [[nodiscard]] std::string suffix() const;
  /// A message in which files of a revision are called as git calls them.
  [[nodiscard]] std::string readable(std::string message) const {
    return revision_ ? revision_->readable(std::move(message)) : message;
  }
  /// What `work` gives; its errors are readable as well.
  template <typename Work>
  auto said_readably(Work&& work) const -> decltype(work()) {
    try {
      return work();
    } catch (const Error& error) {
      if (!revision_) throw;
      throw Error(revision_->readable(error.what()), error.code());
    }
  }

 private:
  std::string name_;
  std::unique_ptr<GitRevision> revision_;  ///< null: as it is
  KernelFolder folder_;
};

}  // namespace kerlab::session
