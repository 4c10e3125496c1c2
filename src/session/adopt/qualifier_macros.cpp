#include "session/adopt/qualifier_macros.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace kerlab::session {
namespace {

constexpr int kDeepestMacro = 8;  // macros of macros

// The one that says most goes before: __global__ of `extern "C" __global__`.
constexpr std::array<std::string_view, 14> kMacroQualifiers = {
    "__global__", "__device__", "__shared__", "__constant__", "__host__", "const",    "__restrict__",
    "__restrict", "volatile",   "static",     "inline",       "extern",   "restrict", "__forceinline__"};

using Macros = std::map<std::string, CudaTokens>;

/// The macros without parameters, the first of each name.
Macros plain_macros(const std::string& path, const CudaTokens& tokens) {
  Macros macros;
  for (const CudaToken& token : tokens) {
    if (token.kind != CudaToken::Kind::directive || token.text.find("define") == std::string::npos) continue;
    const CudaTokens words = cuda_tokens(path, std::string_view(token.text).substr(1));
    if (words.size() < 2 || !words[0].is("define") || words[1].kind != CudaToken::Kind::word) continue;
    const bool takes = words.size() > 2 && words[2].is("(") && words[2].begin == words[1].end;
    if (!takes) macros.try_emplace(words[1].text, words.begin() + 2, words.end());
  }
  return macros;
}

/// The place in kMacroQualifiers of what a macro's text says most, kMacroQualifiers.size() for nothing at all; none: it
/// says something else.
std::optional<std::size_t> qualifier_of(const Macros& macros, const CudaTokens& body, int depth = 0) {
  std::size_t most = kMacroQualifiers.size();
  for (const CudaToken& token : body) {
    if (token.kind == CudaToken::Kind::text) continue;  // "C"
    const auto own =
        static_cast<std::size_t>(std::ranges::find(kMacroQualifiers, token.text) - kMacroQualifiers.begin());
    const auto macro = macros.find(token.text);
    std::optional<std::size_t> inner = own < kMacroQualifiers.size() ? std::optional(own) : std::nullopt;
    if (!inner && macro != macros.end() && depth < kDeepestMacro)
      inner = qualifier_of(macros, macro->second, depth + 1);
    if (!inner) return std::nullopt;
    most = std::min(most, *inner);
  }
  return most;
}

}  // namespace

void expand_qualifiers(const std::string& path, CudaTokens& tokens) {
  const Macros macros = plain_macros(path, tokens);
  if (macros.empty()) return;
  CudaTokens kept;
  for (CudaToken& token : tokens) {
    const auto macro = token.kind == CudaToken::Kind::word ? macros.find(token.text) : macros.end();
    const auto found = macro == macros.end() ? std::nullopt : qualifier_of(macros, macro->second);
    if (found && *found == kMacroQualifiers.size()) continue;
    if (found) token.text = kMacroQualifiers[*found];
    kept.push_back(std::move(token));
  }
  tokens = std::move(kept);
}

}  // namespace kerlab::session
