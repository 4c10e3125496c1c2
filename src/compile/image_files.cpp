#include "compile/image_files.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "compile/project_folder.h"
#include "plan/kernel_name.h"

namespace kerlab::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

std::string digest_of(const std::vector<Header>& images) {
  FieldHasher hasher;
  for (const Header& image : images) hasher.field("image", image.name).field("text", image.text);
  return hasher.hex();
}

}  // namespace

SourceBundle read_images(const fs::path& pattern) {
  std::vector<fs::path> files;
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(pattern.parent_path(), error)) {
    std::error_code ignored;
    if (fnmatch(pattern.filename().c_str(), entry.path().filename().c_str(), 0) != 0 || !entry.is_regular_file(ignored))
      continue;
    require_inside(entry.path());
    files.push_back(entry.path());
    bytes += entry.file_size(ignored);
  }
  if (files.empty()) throw Error(fmt::format("{}: no such file; image names PTX beside its spec", pattern.string()));
  if (bytes > kMostBytes)
    throw Error(fmt::format("{}: {} files of {} MiB, more than {}", pattern.string(), files.size(), bytes >> 20,
                            kMostBytes >> 20));
  std::ranges::sort(files);
  SourceBundle bundle;
  bundle.path = pattern.string();
  for (const fs::path& file : files) bundle.headers.push_back({file.filename().string(), read_text(file), file});
  bundle.hash = digest_of(bundle.headers);
  return bundle;
}

CompileRequest with_image_alone(CompileRequest request) {
  const auto named =
      std::ranges::find_if(request.options, [](const std::string& option) { return option.starts_with(kImage); });
  if (named == request.options.end()) return request;
  const std::string name = named->substr(kImage.size());
  CompileRequest alone;
  alone.deadline = request.deadline;
  for (const std::string& option : request.options)
    if (option.starts_with("--gpu-architecture=") || option.starts_with(kImage)) alone.options.push_back(option);
  alone.source.path = (fs::path(request.source.path).parent_path() / name).string();
  const auto found = std::ranges::find(request.source.headers, name, &Header::name);
  if (found != request.source.headers.end()) alone.source.text = found->text;
  alone.source.hash = digest_of({{name, alone.source.text}});
  return alone;
}

bool is_image(const CompileRequest& request) {
  return std::ranges::any_of(request.options, [](const std::string& option) { return option.starts_with(kImage); });
}

}  // namespace kerlab::compile
