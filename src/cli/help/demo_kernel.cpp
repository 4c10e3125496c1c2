#include "cli/help/demo_kernel.h"

#include <fmt/format.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"

namespace kerlab::cli {

namespace fs = std::filesystem;

DemoFolder::DemoFolder() {
  std::string name = (fs::temp_directory_path() / "kerlab-demo-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Error(fmt::format("{} cannot be made; TMPDIR names another folder", name));
  path_ = name;
}

DemoFolder::~DemoFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string replace_line(const fs::path& file, const std::string& part, const std::string& by) {
  std::string text = read_text(file);
  const std::size_t at = text.find(part);
  if (at == std::string::npos) throw Error(fmt::format("{}: has no '{}' any more", file.string(), part));
  const auto line = [&] {
    const std::size_t begin = text.rfind('\n', at) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
  };
  const std::string before = line();
  text.replace(at, part.size(), by);
  write_atomic(file, std::string_view(text));
  return fmt::format("  {}\n  -{}\n  +{}\n", file.filename().string(), before, line());
}

fs::path free_folder(const fs::path& wanted) {
  fs::path folder = wanted;
  for (int number = 2; fs::exists(fs::symlink_status(folder)); ++number)
    folder = wanted.string() + fmt::format("_{}", number);
  return folder;
}

}  // namespace kerlab::cli
