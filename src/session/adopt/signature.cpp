#include "session/adopt/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace kerlab::session {
namespace {

constexpr std::string_view kQualifiers[] = {"const",      "volatile", "restrict", "__restrict__",
                                            "__restrict", "struct",   "typename", "__grid_constant__",
                                            "unsigned",   "signed",   "*",        "&",
                                            "std",        "::"};

bool is_word(const CudaToken& token) {
  return token.kind == CudaToken::Kind::word;
}

/// "unsigned int" of `const unsigned * __restrict__`.
std::string type_of(const CudaTokens& tokens) {
  std::string prefix, type;
  for (const CudaToken& token : tokens) {
    if (token.is("unsigned") || token.is("signed")) prefix = token.text;
    if (std::ranges::find(kQualifiers, token.text) == std::end(kQualifiers))
      type += (type.empty() ? "" : " ") + token.text;
  }
  if (prefix == "signed" && type != "char") prefix.clear();
  if (type.empty() && !prefix.empty()) type = "int";
  if (type == "long int") type = "long";
  if (type == "long long int") type = "long long";
  return prefix.empty() ? type : prefix + " " + type;
}

CudaArgument argument_of(const CudaFile& file, const CudaTokens& all, const SourceLocation& kernel) {
  CudaTokens tokens(all.begin(), std::find_if(all.begin(), all.end(), [](const CudaToken& t) { return t.is("="); }));
  CudaArgument argument;
  argument.where = tokens.empty() ? kernel : place_in(file.path, file.source, tokens.front().begin);
  const auto bracket = std::find_if(tokens.begin(), tokens.end(), [](const CudaToken& t) { return t.is("["); });
  if (bracket != tokens.end()) {
    argument.pointers = 1;
    tokens.erase(bracket, tokens.end());
  }
  if (tokens.size() < 2 || !is_word(tokens.back()))
    throw SpecError(argument.where, "this parameter has no name that kerlab can read: write `type name`");
  argument.name = tokens.back().text;
  tokens.pop_back();
  const auto star = std::find_if(tokens.begin(), tokens.end(), [](const CudaToken& t) { return t.is("*"); });
  argument.constant = std::any_of(tokens.begin(), star, [](const CudaToken& t) { return t.is("const"); });
  argument.pointers +=
      static_cast<int>(std::count_if(star, tokens.end(), [](const CudaToken& t) { return t.is("*"); }));
  if (std::any_of(tokens.begin(), tokens.end(), [](const CudaToken& t) { return t.is("&"); }))
    throw SpecError(argument.where,
                    fmt::format("parameter '{}' is a reference: a kernel takes pointers and values", argument.name));
  argument.type = type_of(tokens);
  return argument;
}

std::vector<CudaTemplateParameter> templates_of(const CudaFile& file, std::size_t first, std::size_t behind) {
  std::vector<CudaTemplateParameter> parameters;
  for (const CudaTokens& part : split_at_commas(file.tokens, first, behind)) {
    const auto equals = std::find_if(part.begin(), part.end(), [](const CudaToken& t) { return t.is("="); });
    CudaTokens left(part.begin(), equals);
    if (left.size() < 2 || !is_word(left.back()))
      throw SpecError(place_in(file.path, file.source, part.empty() ? 0 : part.front().begin),
                      "this template parameter has no name that kerlab can read: write `int NAME` or `typename T`");
    CudaTemplateParameter parameter;
    parameter.name = left.back().text;
    left.pop_back();
    parameter.type = left.front().is("typename") || left.front().is("class") ? "typename" : type_of(left);
    if (equals != part.end()) parameter.value.assign(equals + 1, part.end());
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

/// The ( of the parameters: the first behind a word that is no attribute.
std::size_t opening_of(const CudaFile& file, std::size_t first, std::size_t brace) {
  constexpr std::string_view kAttributes[] = {"__launch_bounds__", "__attribute__", "__cluster_dims__",
                                              "alignas",           "__maxnreg__",   "__block_size__"};
  for (std::size_t i = first; i + 1 < brace; ++i) {
    if (!is_word(file.tokens[i]) || !file.tokens[i + 1].is("(")) continue;
    if (std::ranges::find(kAttributes, file.tokens[i].text) == std::end(kAttributes)) return i + 1;
    i = behind_bracket(file.tokens, i + 1) - 1;
  }
  throw SpecError(place_in(file.path, file.source, file.tokens[first].begin),
                  "the signature of this kernel cannot be read: its name and ( must stand in the file, not in a macro");
}

}  // namespace

CudaKernel read_signature(const CudaFile& file, std::size_t first, std::size_t brace,
                          const std::vector<std::string>& spaces) {
  CudaKernel kernel;
  std::size_t from = first;
  while (from + 1 < brace && file.tokens[from].is("template") && file.tokens[from + 1].is("<")) {
    const std::size_t behind = behind_bracket(file.tokens, from + 1);
    for (CudaTemplateParameter& one : templates_of(file, from + 2, behind - 1))
      kernel.templates.push_back(std::move(one));
    from = behind;
  }
  const std::size_t open = opening_of(file, from, brace);
  for (std::size_t i = from; i + 1 < brace; ++i)
    if (file.tokens[i].is("__launch_bounds__") && file.tokens[i + 1].is("(")) {
      const auto parts = split_at_commas(file.tokens, i + 2, behind_bracket(file.tokens, i + 1) - 1);
      if (!parts.empty()) kernel.bounds = parts.front();
    }
  const CudaToken& name = file.tokens[open - 1];
  for (const std::string& space : spaces)
    if (!space.empty()) kernel.name += space + "::";
  kernel.name += name.text;
  kernel.where = place_in(file.path, file.source, name.begin);
  for (const CudaTokens& part : split_at_commas(file.tokens, open + 1, behind_bracket(file.tokens, open) - 1)) {
    const bool nothing = part.size() == 1 && part.front().is("void");
    if (!nothing) kernel.arguments.push_back(argument_of(file, part, kernel.where));
  }
  return kernel;
}

CudaPragma read_pragma(const CudaFile& file, const CudaToken& directive) {
  const CudaTokens words = cuda_tokens(file.path, std::string_view(directive.text).substr(1));
  const auto fail = [&](std::size_t at, const std::string& what) {
    throw SpecError(place_in(file.path, file.source, directive.begin + 1 + at), what);
  };
  CudaPragma pragma;
  for (std::size_t i = 2; i < words.size();) {
    if (i + 1 >= words.size() || !words[i + 1].is("(")) fail(words[i].begin, "expected clause(...), as tune(bs=32,64)");
    const std::string clause = words[i].text;
    const std::size_t behind = behind_bracket(words, i + 1);
    if (!words[behind - 1].is(")")) fail(words[i].begin, fmt::format("{}( is not closed", clause));
    for (const CudaTokens& part : split_at_commas(words, i + 2, behind - 1)) {
      if (part.empty()) fail(words[i].begin, fmt::format("an empty word in {}(...)", clause));
      if (clause == "block_size") pragma.block.push_back(part);
      if (clause == "problem_size") pragma.problem.push_back(part);
      if (clause == "buffers" && part.size() > 3 && part[1].is("["))
        pragma.buffers.emplace_back(part[0].text, CudaTokens(part.begin() + 2, part.end() - 1));
      if (clause != "tune") continue;
      const bool named = part.size() == 3 && part[1].is("=");
      if (named) pragma.tune.push_back({part[0].text, {}});
      std::int64_t value = 0;
      const std::string& text = part.back().text;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (pragma.tune.empty() || error != std::errc() || end != text.data() + text.size() ||
          (!named && part.size() != 1))
        fail(part.front().begin, "expected NAME=VALUE,VALUE with whole numbers");
      pragma.tune.back().second.push_back(value);
    }
    i = behind;
  }
  return pragma;
}

}  // namespace kerlab::session
