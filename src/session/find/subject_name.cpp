#include "session/find/subject_name.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "base/error.h"

namespace kerlab::session {

namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool has_family(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "family.toml", ignored);
}

/// The whole text as a number above 0; else 0.
std::int64_t trial_id(const std::string& text) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc{} && end == text.data() + text.size() && id > 0 ? id : 0;
}

/// A family's folder, or a variant in one.
bool names_kernel(const fs::path& path) {
  return is_folder(path) || has_family(path.parent_path());
}

/// Where "@REVISION" begins; npos: there is none. Folders may have an @ in their names as well, and revisions another.
std::size_t revision_begin(const std::string& kernel) {
  const std::size_t last = kernel.rfind('/') + 1;
  const bool none = kernel.find('@', last) == std::string::npos && has_family(fs::path(kernel).parent_path());
  if (none || is_folder(kernel)) return std::string::npos;
  for (std::size_t at = kernel.find('@'); at != std::string::npos; at = kernel.find('@', at + 1))
    if (names_kernel(kernel.substr(0, at))) return at;
  return kernel.find('@');
}

/// "./my_op/ladder/tile2d.cu": the source is in the family's folder or below it.
void take_source_file(SubjectName& name) {
  const fs::path file = name.family;
  name.variant = file.stem().string();
  fs::path folder = file.parent_path();
  if (!has_family(folder) && has_family(folder.parent_path())) folder = folder.parent_path();
  name.family = folder.empty() ? "." : folder.string();
}

}  // namespace

SubjectName parse_subject(const std::string& text) {
  constexpr std::string_view kTrial = "trial:";
  SubjectName name;
  if (text.starts_with(kTrial)) {
    name.trial = trial_id(text.substr(kTrial.size()));
    if (name.trial == 0) throw UsageError(fmt::format("'{}': trial: is followed by the id of a trial", text));
    return name;
  }
  if (name.trial = trial_id(text); name.trial > 0) return name;
  const std::size_t at = revision_begin(text.substr(0, text.find(':')));
  const std::size_t colon = text.find(':', at == std::string::npos ? 0 : at);
  if (colon != std::string::npos) name.configuration = text.substr(colon + 1);
  name.family = text.substr(0, std::min(at, colon));
  if (at != std::string::npos) {
    name.revision = text.substr(at + 1, colon == std::string::npos ? colon : colon - at - 1);
    if (name.revision.empty() || name.revision.front() == '-')
      throw UsageError(fmt::format("'{}': @ is followed by a git revision, as in @HEAD~3 or @v1.2", text));
  }
  const std::size_t slash = name.family.rfind('/');
  if (name.family.ends_with(".cu") && slash != std::string::npos) {
    take_source_file(name);
  } else if (slash != std::string::npos && slash + 1 < name.family.size() && !is_folder(name.family)) {
    name.variant = name.family.substr(slash + 1);
    name.family.resize(slash);
  }
  if (name.family.empty())
    throw UsageError(fmt::format("'{}': name FAMILY[/VARIANT][@REVISION][:NAME=VALUE,...] or the id of a trial", text));
  return name;
}

std::string subject_text(const SubjectName& name) {
  if (name.trial > 0) return fmt::format("trial {}", name.trial);
  std::string text = name.family;
  if (!name.variant.empty()) text += "/" + name.variant;
  if (!name.revision.empty()) text += "@" + name.revision;
  if (!name.configuration.empty()) text += ":" + name.configuration;
  return text;
}

void refuse_revision(const SubjectName& name) {
  if (!name.revision.empty())
    throw UsageError(
        fmt::format("{}: this command takes kernels as they are now; kerlab bench, diff and inspect take @REVISION",
                    subject_text(name)));
}

}  // namespace kerlab::session
