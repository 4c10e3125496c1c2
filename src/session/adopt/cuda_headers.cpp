#include "session/adopt/cuda_headers.h"

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "spec/toml/source_path.h"

namespace kerlab::session {
namespace {

constexpr std::size_t kMostHeaders = 64, kLargestHeader = 1 << 20;

std::string joined_words(CudaTokens::const_iterator first, CudaTokens::const_iterator last) {
  std::string text;
  for (; first != last; ++first) text += (text.empty() ? "" : " ") + first->text;
  return text;
}

/// What an #include with quotes names; none: it is another directive.
std::optional<std::string> quoted_include(const CudaToken& token) {
  if (token.kind != CudaToken::Kind::directive || token.text.size() < 2) return std::nullopt;
  const std::size_t word = token.text.find_first_not_of(" \t", 1);
  if (word == std::string::npos || token.text.compare(word, 7, "include") != 0) return std::nullopt;
  const std::size_t open = token.text.find('"', word), close = token.text.find('"', open + 1);
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  return token.text.substr(open + 1, close - open - 1);
}

/// A file of the folder, or of one in it, by its name and behind all links.
bool lies_in(const std::filesystem::path& folder, const std::filesystem::path& name) {
  if (name.is_absolute() || std::ranges::any_of(name, [](const auto& part) { return part == ".."; })) return false;
  std::error_code error;
  const std::filesystem::path root = std::filesystem::canonical(folder.empty() ? "." : folder, error);
  if (error) return false;
  const std::filesystem::path real = std::filesystem::canonical(folder / name, error);
  return !error && std::ranges::mismatch(root, real).in1 == root.end() &&
         std::filesystem::is_regular_file(real, error) && std::filesystem::file_size(real, error) <= kLargestHeader;
}

}  // namespace

void add_type_names(const CudaTokens& tokens, std::map<std::string, std::string>& types) {
  for (auto first = tokens.begin(); first != tokens.end(); ++first) {
    if (!first->is("typedef") && !first->is("using")) continue;
    const auto last = std::find_if(first, tokens.end(), [](const CudaToken& t) { return t.is(";"); });
    const bool plain =
        std::all_of(first, last, [](const CudaToken& t) { return t.kind == CudaToken::Kind::word || t.is("="); });
    if (!plain || last - first < 3) continue;
    if (first->is("typedef"))
      types.try_emplace((last - 1)->text, joined_words(first + 1, last - 1));
    else if ((first + 2)->is("=") && last - first > 3)
      types.try_emplace((first + 1)->text, joined_words(first + 3, last));
  }
}

void add_headers(const std::filesystem::path& path, const CudaTokens& tokens, CudaFile& file) {
  for (const CudaToken& token : tokens) {
    const auto name = quoted_include(token);
    if (!name || !lies_in(path.parent_path(), *name) || file.headers.size() >= kMostHeaders) continue;
    const std::filesystem::path header = path.parent_path() / *name;
    const bool known = std::ranges::any_of(file.headers, [&](const CudaHeader& one) { return one.path == header; });
    if (known) continue;
    file.headers.push_back({*name, header});
    const CudaTokens inner = cuda_tokens(spec::shown_path(header), read_text(header));
    add_type_names(inner, file.types);
    add_headers(header, inner, file);
  }
}

}  // namespace kerlab::session
