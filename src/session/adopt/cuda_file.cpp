#include "session/adopt/cuda_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/file.h"
#include "session/adopt/cuda_headers.h"
#include "session/adopt/qualifier_macros.h"
#include "session/adopt/signature.h"
#include "spec/toml/source_path.h"

namespace kerlab::session {
namespace {

constexpr std::size_t kLargestSource = 4 << 20;

/// Words that only the host knows: a function with one of them is not for the device.
bool is_of_host(const CudaToken& token) {
  if (token.is("<<<")) return true;
  if (token.kind != CudaToken::Kind::word) return false;
  constexpr std::string_view kStarts[] = {"cudaMalloc", "cudaMemcpy", "cudaFree",   "cudaEvent", "cudaStream",
                                          "cudaGet",    "cudaDevice", "cudaMemset", "cublas",    "cudaLaunch"};
  constexpr std::string_view kWords[] = {"malloc", "vector", "cout", "cerr", "fprintf", "exit", "rand", "chrono"};
  const auto starts = [&](std::string_view start) { return token.text.starts_with(start); };
  return std::ranges::any_of(kStarts, starts) || std::ranges::find(kWords, token.text) != std::end(kWords);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                   : std::nullopt;
}

class FileReader {
 public:
  explicit FileReader(CudaFile& file) : file_(file), tokens_(file.tokens) {}

  void read() {
    while (at_ < tokens_.size()) {
      if (tokens_[at_].kind == CudaToken::Kind::directive) {
        directive(at_++);
      } else if (tokens_[at_].is("}")) {
        if (!spaces_.empty()) spaces_.pop_back();
        ++at_;
      } else if (tokens_[at_].is(";")) {
        ++at_;
      } else {
        declaration();
      }
    }
  }

 private:
  void directive(std::size_t at) {
    const CudaToken& token = tokens_[at];
    if (token.text.size() < 2) return;
    const CudaTokens words = cuda_tokens(file_.path, std::string_view(token.text).substr(1));
    if (words.size() > 2 && words[0].is("pragma") && words[1].is("kernel")) {
      pragma_ = read_pragma(file_, token);
      return;
    }
    if (words.size() < 3 || !words[0].is("define") || words[2].begin == words[1].end) return;
    std::size_t first = 2, last = words.size();
    while (last - first > 2 && words[first].is("(") && words[last - 1].is(")")) ++first, --last;
    if (last - first != 1) return;
    add_number(words[1].text, words[first].text, token.begin, token.end, guarded(at, words[1].text));
  }

  [[nodiscard]] bool guarded(std::size_t at, const std::string& name) const {
    if (at == 0 || tokens_[at - 1].kind != CudaToken::Kind::directive) return false;
    const CudaTokens words = cuda_tokens(file_.path, std::string_view(tokens_[at - 1].text).substr(1));
    return words.size() == 2 && words[0].is("ifndef") && words[1].is(name);
  }

  void add_number(const std::string& name, const std::string& text, std::size_t begin, std::size_t end, bool guarded) {
    const auto value = whole_number(text);
    const auto is_it = [&](const CudaNumber& one) { return one.name == name; };
    if (value && *value > 0 && std::ranges::none_of(file_.numbers, is_it))
      file_.numbers.push_back({name, *value, begin, end, guarded});
  }

  /// From here to the ; or the body of what is declared.
  void declaration() {
    const std::size_t first = at_;
    std::size_t i = first;
    while (i < tokens_.size() && !tokens_[i].is(";") && !tokens_[i].is("{") && !tokens_[i].is("}")) {
      if (tokens_[i].kind == CudaToken::Kind::directive) directive(i);
      i = tokens_[i].is("(") ? behind_bracket(tokens_, i) : i + 1;
    }
    if (i >= tokens_.size() || !tokens_[i].is("{")) {
      named_number(first, i);
      at_ = i < tokens_.size() && tokens_[i].is(";") ? i + 1 : i;
      return;
    }
    if (opens_space(first, i)) {
      at_ = i + 1;
      return;
    }
    const std::size_t behind = behind_bracket(tokens_, i);
    const auto has = [&](std::string_view word) {
      return std::any_of(tokens_.begin() + first, tokens_.begin() + i, [&](const CudaToken& t) { return t.is(word); });
    };
    if (has("__global__")) {
      file_.kernels.push_back(read_signature(file_, first, i, spaces_));
      file_.kernels.back().pragma = std::exchange(pragma_, {});
      file_.kernels.back().body = {i, behind};
    } else if (!has("__device__") && has("(") && for_host(first, i, behind)) {
      file_.host.push_back({tokens_[first].begin, tokens_[behind - 1].end});
    }
    at_ = behind;
  }

  /// namespace a::b {  and  extern "C" {
  bool opens_space(std::size_t first, std::size_t brace) {
    std::size_t i = first;
    if (tokens_[i].is("inline") && i + 1 < brace) ++i;
    if (tokens_[i].is("extern") && brace == i + 2) {
      spaces_.emplace_back();
      return true;
    }
    if (!tokens_[i].is("namespace")) return false;
    std::string name;
    for (++i; i < brace; ++i) name += tokens_[i].text;
    spaces_.push_back(name);
    return true;
  }

  /// constexpr int TILE = 16;
  void named_number(std::size_t first, std::size_t last) {
    if (last < first + 4 || !tokens_[last - 2].is("=") || tokens_[last - 1].kind != CudaToken::Kind::number) return;
    for (std::size_t i = first; i + 3 < last; ++i) {
      constexpr std::string_view kWords[] = {"static",   "inline", "const",  "constexpr", "int",
                                             "unsigned", "long",   "size_t", "__device__"};
      if (std::ranges::find(kWords, tokens_[i].text) == std::end(kWords)) return;
    }
    const bool constant = tokens_[first].is("const") || tokens_[first].is("constexpr") ||
                          tokens_[first + 1].is("const") || tokens_[first + 1].is("constexpr");
    if (constant)
      add_number(tokens_[last - 3].text, tokens_[last - 1].text, tokens_[first].begin,
                 last < tokens_.size() ? tokens_[last].end : tokens_[last - 1].end, false);
  }

  [[nodiscard]] bool for_host(std::size_t first, std::size_t brace, std::size_t behind) const {
    const bool is_main = brace >= first + 2 && std::any_of(tokens_.begin() + first, tokens_.begin() + brace,
                                                           [](const CudaToken& t) { return t.is("main"); });
    return is_main || std::any_of(tokens_.begin() + first, tokens_.begin() + behind, is_of_host);
  }

  CudaFile& file_;
  const CudaTokens& tokens_;
  std::size_t at_ = 0;
  std::vector<std::string> spaces_;
  CudaPragma pragma_;
};

}  // namespace

std::string CudaFile::named_type(const std::string& type) const {
  std::string name = type;
  for (std::size_t depth = 0; depth <= types.size() && types.contains(name); ++depth) name = types.at(name);
  return name;
}

std::string CudaKernel::plain() const {
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

CudaFile read_cuda_file(const std::filesystem::path& path) {
  CudaFile file;
  file.path = spec::shown_path(path);
  file.source = read_text(path);
  const auto fail = [&](const char* what) { throw SpecError({file.path, 1, 1, ""}, what); };
  if (file.source.size() > kLargestSource) fail("larger than 4 MiB: give the file of the kernel alone");
  if (file.source.find('\0') != std::string::npos) fail("this is no text");
  file.tokens = cuda_tokens(file.path, file.source);
  expand_qualifiers(file.path, file.tokens);
  FileReader(file).read();
  add_type_names(file.tokens, file.types);
  add_headers(path, file.tokens, file);
  return file;
}

}  // namespace kerlab::session
