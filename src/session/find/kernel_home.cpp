#include "session/find/kernel_home.h"

namespace kerlab::session {

namespace {

/// The folder of a family that a revision may have, whether it is there now or not.
std::filesystem::path folder_in_some_revision(const Catalogue& catalogue, const std::string& family) {
  try {
    return catalogue.locate(family);
  } catch (const UsageError&) {
    return family.find('/') == std::string::npos ? catalogue.roots().back() / family : std::filesystem::path(family);
  }
}

}  // namespace

KernelHome::KernelHome(const SubjectName& name, const KernelPlaces& kernels, const Database* database) {
  const Catalogue catalogue = open_catalogue(kernels);
  if (name.revision.empty()) {
    folder_ = catalogue.find(family_of(name, database));
    return;
  }
  name_ = name.revision;
  revision_ = std::make_unique<GitRevision>(folder_in_some_revision(catalogue, name.family), name.revision);
  folder_ = said_readably([&] { return Catalogue({}, kernels.headers).find(revision_->folder().string()); });
}

std::string KernelHome::suffix() const {
  return revision_ ? fmt::format(" @{} ({})", name_, revision_->commit()) : "";
}

}  // namespace kerlab::session
