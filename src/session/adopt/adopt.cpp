#include "session/adopt/adopt.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "session/adopt/family_text.h"
#include "session/adopt/t1_file.h"
#include "spec/toml/spec_table.h"

namespace kerlab::session {
namespace {

std::string kernel_names(const CudaFile& file) {
  std::vector<std::string> names;
  for (const CudaKernel& kernel : file.kernels) names.push_back(kernel.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const CudaKernel& kernel_named(const CudaFile& file, const std::string& name, const char* option) {
  const CudaKernel* found = nullptr;
  for (const CudaKernel& kernel : file.kernels) {
    if (kernel.name != name && kernel.plain() != name) continue;
    if (found != nullptr)
      throw SpecError(kernel.where, fmt::format("{} {}: a second kernel of that name, the first is in line {}", option,
                                                name, found->where.line));
    found = &kernel;
  }
  if (found != nullptr) return *found;
  throw UsageError(fmt::format("{} {}: {} has no such kernel; it has {}", option, name, file.path, kernel_names(file)));
}

const CudaKernel& chosen_kernel(const CudaFile& file, const AdoptOptions& options) {
  if (!options.kernel.empty()) return kernel_named(file, options.kernel, "--kernel");
  std::vector<const CudaKernel*> others;
  for (const CudaKernel& kernel : file.kernels)
    if (options.reference.empty() || (kernel.name != options.reference && kernel.plain() != options.reference))
      others.push_back(&kernel);
  if (others.size() == 1) return *others.front();
  if (others.empty())
    throw SpecError({file.path, 1, 1, ""},
                    "no kernel to adopt: no __global__ function with a body stands in this file");
  throw SpecError(others[1]->where,
                  fmt::format("several kernels: say which one with --kernel; there are {}", kernel_names(file)));
}

std::string identifier_of(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "k_" + name : name;
}

void add_marks(const std::string& file, const std::string& text, std::vector<std::string>& marks) {
  constexpr std::string_view kMark = "# adopt: ";
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view row = std::string_view(text).substr(at, end - at);
    if (const std::size_t mark = row.find(kMark); mark != std::string_view::npos)
      marks.push_back(fmt::format("{}:{}: {}", file, line, row.substr(mark + kMark.size())));
    at = end + 1;
  }
}

/// Headers of the source's folder go along, less what is the host's.
void add_header_texts(const std::filesystem::path& beside, const CudaFile& file, const Draft& draft,
                      std::vector<std::pair<std::string, std::string>>& files) {
  for (const CudaHeader& header : file.headers) {
    const std::string name = header.path.lexically_relative(beside.empty() ? "." : beside).generic_string();
    files.emplace_back(name.empty() ? header.name : name, device_source(read_cuda_file(header.path), draft));
  }
}

Adopted write_family(const AdoptOptions& options, const CudaFile& file, const CudaKernel& kernel,
                     const CudaKernel* reference, const Draft& draft) {
  const std::string name = options.name.empty() ? identifier_of(options.file.stem().string()) : options.name;
  if (!spec::is_identifier(name))
    throw UsageError(fmt::format("--name {}: a family's name is letters, digits and _, no digit first", name));
  AdoptedNames names{name, kernel.plain(), identifier_of(options.file.stem().string()) + ".cu",
                     reference == nullptr ? "" : reference->plain()};
  if (names.source == "reference.cu") names.source = "reference_source.cu";
  std::vector<std::pair<std::string, std::string>> files = {{"family.toml", family_text(draft, names)},
                                                            {"reference.cu", reference_text(draft, names)},
                                                            {names.kernel + ".toml", variant_text(draft, names)},
                                                            {names.source, device_source(file, draft)}};
  add_header_texts(options.file.parent_path(), file, draft, files);
  Adopted result{options.parent / name, kernel.name, names.reference, {}};
  std::error_code error;
  for (const auto& [one, text] : files) {
    const std::filesystem::path path = result.folder / one;
    if (std::filesystem::exists(path, error) && !options.overwrite)
      throw UsageError(fmt::format("{} exists: --name takes another folder, --overwrite replaces it", path.string()));
  }
  std::filesystem::create_directories(result.folder, error);
  if (error) throw Error(fmt::format("cannot create {}: {}", result.folder.string(), error.message()));
  for (const auto& [one, text] : files) {
    std::filesystem::create_directories((result.folder / one).parent_path(), error);
    write_atomic(result.folder / one, text);
    if (one.ends_with(".toml")) add_marks(one, text, result.marks);
  }
  return result;
}

/// A kernel with its space, of a tuner's JSON.
Adopted adopt_t1(const AdoptOptions& options) {
  if (!options.kernel.empty() || !options.reference.empty())
    throw UsageError(
        "--kernel, --reference: a JSON file names its kernel, whose own results count as right; adopt the .cu for "
        "these");
  const T1File t1(options.file);
  const CudaFile file = read_cuda_file(t1.kernel().source);
  const CudaKernel& kernel = kernel_named(file, t1.kernel().kernel, "KernelName");
  return write_family(options, file, kernel, nullptr, t1.draft(file, kernel));
}

}  // namespace

Adopted adopt(const AdoptOptions& options) {
  if (options.file.extension() == ".json") return adopt_t1(options);
  const CudaFile file = read_cuda_file(options.file);
  const CudaKernel& kernel = chosen_kernel(file, options);
  const CudaKernel* reference =
      options.reference.empty() ? nullptr : &kernel_named(file, options.reference, "--reference");
  return write_family(options, file, kernel, reference, make_draft(file, kernel, reference));
}

}  // namespace kerlab::session
