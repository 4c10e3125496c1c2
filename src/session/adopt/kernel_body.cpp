#include "session/adopt/kernel_body.h"

#include <fmt/format.h>

#include <algorithm>

#include "session/adopt/cuda_types.h"

namespace kerlab::session {
namespace {

constexpr int kDeepestLocal = 6;  // variables of variables

template <std::size_t kCount>
bool is_one_of(const CudaToken& token, const std::string_view (&words)[kCount]) {
  return std::ranges::find(words, token.text) != std::end(words);
}

bool is_assignment(const CudaTokens& tokens, std::size_t at) {
  return at < tokens.size() && tokens[at].is("=") && (at + 1 >= tokens.size() || !tokens[at + 1].is("="));
}

/// ++ and --, which are two signs each.
bool counts(const CudaTokens& tokens, std::size_t at) {
  return at + 1 < tokens.size() && (tokens[at].is("+") || tokens[at].is("-")) &&
         tokens[at + 1].text == tokens[at].text && tokens[at + 1].begin == tokens[at].end;
}

/// += and its like.
bool changes(const CudaTokens& tokens, std::size_t at) {
  if (at + 1 >= tokens.size() || tokens[at].kind != CudaToken::Kind::sign) return false;
  constexpr std::string_view kOperators = "+-*/%&|^";
  const bool is_operator = tokens[at].text.size() == 1 && kOperators.find(tokens[at].text) != std::string_view::npos;
  return counts(tokens, at) || (is_operator && tokens[at + 1].is("="));
}

class UseReader {
 public:
  UseReader(const CudaFile& file, const CudaKernel& kernel)
      : tokens_(file.tokens), begin_(kernel.body.begin), end_(std::min(kernel.body.end, file.tokens.size())) {}

  TensorUse of(const std::string& name) {
    TensorUse use;
    if (!seen_.insert(name).second) return use;
    for (std::size_t i = begin_; i + 1 < end_; ++i) {
      if (tokens_[i].kind != CudaToken::Kind::word || name_in_spec(tokens_[i].text) != name) continue;
      if (i > 0 && (tokens_[i - 1].is(".") || tokens_[i - 1].is("->"))) continue;  // a member of that name
      const TensorUse one = tokens_[i + 1].is("[") ? element(i) : pointer(i);
      use.read |= one.read;
      use.written |= one.written;
    }
    return use;
  }

 private:
  [[nodiscard]] TensorUse element(std::size_t at) const {
    std::size_t behind = behind_bracket(tokens_, at + 1);
    if (behind + 1 < end_ && tokens_[behind].is(".")) behind += 2;
    if (behind >= end_ || (at > 1 && (tokens_[at - 1].is("&") || counts(tokens_, at - 2)))) return {true, true};
    if (at > 1 && tokens_[at - 1].is("(") && tokens_[at - 2].is("&")) return {true, true};  // &(a[i])
    if (is_assignment(tokens_, behind)) return {false, true};
    return changes(tokens_, behind) ? TensorUse{true, true} : TensorUse{true, false};
  }

  [[nodiscard]] TensorUse pointer(std::size_t at) {
    constexpr std::string_view kLoads[] = {"__ldg", "__ldcs", "__ldcg", "__ldca", "__ldcv", "__ldlu"};
    constexpr std::string_view kStores[] = {"__stcs", "__stcg", "__stwb", "__stwt"};
    if (tokens_[at + 1].is("==") || tokens_[at + 1].is("!=")) return {};
    const bool starred = at > begin_ + 1 && tokens_[at - 1].is("*");
    const bool declared = starred && tokens_[at - 2].kind == CudaToken::Kind::word && !tokens_[at - 2].is("return");
    if (is_assignment(tokens_, at + 1)) return {false, starred && !declared};  // *p = 1; or the pointer itself
    if (starred) return changes(tokens_, at + 1) ? TensorUse{true, true} : TensorUse{true, false};
    if (at > begin_ + 1 && tokens_[at - 1].is("(")) {
      if (is_one_of(tokens_[at - 2], kLoads) || tokens_[at - 2].is("LDG")) return {true, false};  // a macro of __ldg
      if (is_one_of(tokens_[at - 2], kStores)) return {false, true};
    }
    if (at > begin_ + 3 && tokens_[at - 1].is("=") && tokens_[at - 2].kind == CudaToken::Kind::word)
      return alias(at - 2);
    return {true, true};
  }

  /// `const float* row = x + n`: what is done with `row` is done with x.
  [[nodiscard]] TensorUse alias(std::size_t name) {
    std::size_t first = name;
    while (first > begin_ && !tokens_[first - 1].is(";") && !tokens_[first - 1].is("{") && !tokens_[first - 1].is("}"))
      --first;
    bool pointer = false;
    for (std::size_t i = first; i < name; ++i) {
      if (tokens_[i].is("const") && !pointer) return {true, false};
      pointer |= tokens_[i].is("*");
    }
    if (!pointer) return {true, true};
    return of(tokens_[name].text);
  }

  const CudaTokens& tokens_;
  std::size_t begin_, end_;
  std::set<std::string> seen_;
};

std::string text_of(const CudaTokens& tokens) {
  std::string text;
  for (const CudaToken& token : tokens) text += token.text;
  return text;
}

/// Less brackets around all of it, and casts: (size_t)row, static_cast<int>(row). blockIdx.x becomes one word.
CudaTokens bare(CudaTokens tokens) {
  for (;;) {
    const std::size_t size = tokens.size();
    if (size > 2 && tokens[0].is("(") && behind_bracket(tokens, 0) == size) {
      tokens = CudaTokens(tokens.begin() + 1, tokens.end() - 1);
    } else if (size > 3 && tokens[0].is("(") && tokens[2].is(")") && bytes_of_type(tokens[1].text)) {
      tokens.erase(tokens.begin(), tokens.begin() + 3);
    } else if (size > 6 && tokens[0].is("static_cast") && tokens[1].is("<")) {
      tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(behind_bracket(tokens, 1)));
    } else if (size == 3 && tokens[1].is(".")) {
      tokens[0].text += "." + tokens[2].text;
      tokens.resize(1);
    } else {
      return tokens;
    }
  }
}

/// At one of `signs` outside of brackets.
std::vector<CudaTokens> split_at(const CudaTokens& tokens, std::string_view first, std::string_view second) {
  std::vector<CudaTokens> parts(1);
  int depth = 0;
  for (const CudaToken& token : tokens) {
    if (token.kind == CudaToken::Kind::directive) continue;
    if (token.is("(") || token.is("[")) ++depth;
    if (token.is(")") || token.is("]")) --depth;
    if (depth == 0 && (token.is(first) || token.is(second)))
      parts.emplace_back();
    else
      parts.back().push_back(token);
  }
  return parts;
}

}  // namespace

TensorUse tensor_use(const CudaFile& file, const CudaKernel& kernel, const std::string& name) {
  return UseReader(file, kernel).of(name);
}

IndexBounds::IndexBounds(const CudaFile& file, const CudaKernel& kernel, std::map<std::string, std::string> known,
                         std::set<std::string> steps, std::map<std::string, std::string> counts)
    : tokens_(file.tokens),
      body_({kernel.body.begin, std::min(kernel.body.end, file.tokens.size())}),
      known_(std::move(known)),
      steps_(std::move(steps)),
      counts_(std::move(counts)) {
  for (const auto& [index, count] : counts_)
    known_[(index.starts_with("block") ? "gridDim" : "blockDim") + index.substr(index.find('.'))] = count;
  for (std::size_t i = body_.begin; i + 1 < body_.end; ++i) read_local(i);
  read_conditions();
}

void IndexBounds::read_local(std::size_t at) {
  if (at == body_.begin || tokens_[at].kind != CudaToken::Kind::word || !is_assignment(tokens_, at + 1)) return;
  std::size_t type = at;  // declared here: a type stands before it, or before the first of several
  while (tokens_[at - 1].is(",") && type > body_.begin && !tokens_[type - 1].is(";") && !tokens_[type - 1].is("{") &&
         !tokens_[type - 1].is("}") && !tokens_[type - 1].is("("))
    --type;
  const bool declared =
      type == at ? tokens_[at - 1].kind == CudaToken::Kind::word
                 : tokens_[type].kind == CudaToken::Kind::word && tokens_[type + 1].kind == CudaToken::Kind::word;
  if (!declared) return;
  std::size_t last = at + 2;
  while (last < body_.end && !tokens_[last].is(";") && !tokens_[last].is(","))
    last = tokens_[last].is("(") || tokens_[last].is("[") ? behind_bracket(tokens_, last) : last + 1;
  last = std::min(last, tokens_.size());
  locals_.try_emplace(tokens_[at].text, CudaTokens(tokens_.begin() + static_cast<std::ptrdiff_t>(at + 2),
                                                   tokens_.begin() + static_cast<std::ptrdiff_t>(last)));
}

void IndexBounds::read_conditions() {
  for (std::size_t i = body_.begin; i + 1 < body_.end; ++i) {
    const bool loop = tokens_[i].is("for");
    if ((!loop && !tokens_[i].is("if") && !tokens_[i].is("while")) || !tokens_[i + 1].is("(")) continue;
    const std::size_t behind = std::min(behind_bracket(tokens_, i + 1), body_.end);
    if (behind < i + 4) continue;
    const CudaTokens inside(tokens_.begin() + static_cast<std::ptrdiff_t>(i + 2),
                            tokens_.begin() + static_cast<std::ptrdiff_t>(behind - 1));
    const std::vector<CudaTokens> parts = loop ? split_at(inside, ";", ";") : std::vector<CudaTokens>{inside};
    if (parts.size() == (loop ? 3U : 1U))
      for (const CudaTokens& one : split_at(parts[loop ? 1 : 0], "&&", "||")) read_condition(bare(one));
  }
}

/// i < n, i + 1 < n; and i >= n, behind which there is a return.
void IndexBounds::read_condition(const CudaTokens& tokens) {
  const std::vector<CudaTokens> sides = split_at(tokens, "<", ">=");
  if (sides.size() != 2 || sides[0].empty()) return;
  const auto extent = product(sides[1]);
  if (!extent) return;
  const auto [guard, is_new] = guards_.try_emplace(text_of(bare(sides[0])), extent);
  if (!is_new && guard->second != extent) guard->second = std::nullopt;
}

/// T * C, or a variable that is that.
std::optional<IndexBounds::Factors> IndexBounds::product(const CudaTokens& tokens, int depth) const {
  if (depth > kDeepestLocal) return std::nullopt;
  Factors factors;
  for (const CudaTokens& part : split_at(bare(tokens), "*", "*")) {
    const CudaTokens one = bare(part);
    if (one.size() != 1) return std::nullopt;
    if (const auto named = known_.find(name_in_spec(one[0].text)); named != known_.end()) {
      factors.push_back(named->second);
    } else if (const auto local = locals_.find(one[0].text); local != locals_.end()) {
      const auto inner = product(local->second, depth + 1);
      if (!inner) return std::nullopt;
      factors.insert(factors.end(), inner->begin(), inner->end());
    } else if (one[0].kind == CudaToken::Kind::number &&
               one[0].text.find_first_not_of("0123456789") == std::string::npos) {
      factors.push_back(one[0].text);
    } else {
      return std::nullopt;
    }
  }
  return factors;
}

/// One above the largest that it can be.
std::optional<IndexBounds::Factors> IndexBounds::bound(const std::string& variable, int depth) const {
  if (const auto guard = guards_.find(variable); guard != guards_.end()) return guard->second;
  if (const std::string index = counted(variable); !index.empty()) return Factors{counts_.at(index)};
  const auto local = locals_.find(variable);
  if (local == locals_.end() || depth > kDeepestLocal) return std::nullopt;
  const CudaTokens value = bare(local->second);
  if (const auto parts = split_at(value, "%", "%"); parts.size() == 2) return product(parts[1]);
  const auto parts = split_at(value, "/", "/");
  if (parts.size() != 2 || bare(parts[0]).size() != 1) return std::nullopt;
  auto whole = bound(bare(parts[0])[0].text, depth + 1);
  const auto divisor = product(parts[1]);
  if (!whole || !divisor) return std::nullopt;
  for (const std::string& one : *divisor) {
    const auto at = std::ranges::find(*whole, one);
    if (at == whole->end()) return std::nullopt;
    whole->erase(at);
  }
  return whole->empty() ? std::nullopt : whole;
}

/// row * K: as far as row goes, times K. `strides`: how many factors it is multiplied by.
std::optional<IndexBounds::Factors> IndexBounds::reach_of_term(const CudaTokens& term, std::size_t& strides) const {
  std::optional<Factors> variable;
  Factors stride;
  bool of_threads = false;
  for (const CudaTokens& part : split_at(bare(term), "*", "*")) {
    const CudaTokens one = bare(part);
    if (one.size() == 1)
      if (const auto own = bound(one[0].text); own && !variable) {
        variable = own;
        of_threads = counted(one[0].text).starts_with("thread");
        continue;
      }
    const auto factors = product(one);
    if (!factors) return std::nullopt;
    stride.insert(stride.end(), factors->begin(), factors->end());
  }
  strides = stride.size();
  if (of_threads && stride.empty()) return std::nullopt;  // threads of one block: others may go on from there
  if (variable) variable->insert(variable->end(), stride.begin(), stride.end());
  return variable;
}

/// Whether it is made of a dimension: `offset` of `const int offset = blockIdx.x * n`.
bool IndexBounds::has_dimension(const CudaTokens& tokens, int depth) const {
  return std::ranges::any_of(tokens, [&](const CudaToken& token) {
    const std::string name = name_in_spec(token.text);
    if (known_.contains(name)) return !steps_.contains(name);
    const auto local = locals_.find(token.text);
    return local != locals_.end() && depth < kDeepestLocal && has_dimension(local->second, depth + 1);
  });
}

/// "blockIdx.x" of a variable that is that, where the launch says how many there are; else empty.
std::string IndexBounds::counted(const std::string& variable) const {
  if (counts_.contains(variable)) return variable;
  const auto local = locals_.find(variable);
  if (local == locals_.end()) return {};
  const CudaTokens value = bare(local->second);
  return value.size() == 1 && counts_.contains(value[0].text) && is_fixed(variable) ? value[0].text : std::string();
}

/// It keeps what it was first given.
bool IndexBounds::is_fixed(const std::string& variable) const {
  std::size_t given = 0;
  for (std::size_t i = body_.begin + 1; i + 1 < body_.end; ++i) {
    if (!tokens_[i].is(variable)) continue;
    if (changes(tokens_, i + 1) || (i > body_.begin + 1 && counts(tokens_, i - 2)) || tokens_[i - 1].is("&"))
      return false;
    given += is_assignment(tokens_, i + 1) ? 1 : 0;
  }
  return given == 1;
}

/// Its terms; of a variable that is a sum, or a block's offset, what it is made of.
void IndexBounds::add_terms(const CudaTokens& sum, std::vector<CudaTokens>& terms, int depth) const {
  for (const CudaTokens& part : split_at(bare(sum), "+", "+")) {
    const CudaTokens term = bare(part);
    const auto local = term.size() == 1 ? locals_.find(term[0].text) : locals_.end();
    const bool opened = local != locals_.end() && depth < kDeepestLocal && !counts_.empty() && !bound(term[0].text) &&
                        is_fixed(term[0].text) && has_dimension(term);
    if (opened)
      add_terms(local->second, terms, depth + 1);
    else
      terms.push_back(term);
  }
}

/// Of row * K + k what is multiplied by most says how far all of it goes; i + 1 goes one further than i.
std::optional<IndexBounds::Factors> IndexBounds::reach(const CudaTokens& index) const {
  if (const auto guard = guards_.find(text_of(bare(index))); guard != guards_.end()) return guard->second;
  std::optional<Factors> furthest;
  CudaTokens of_furthest;
  std::string offset;
  std::size_t most = 0, unknown = 0;
  std::vector<CudaTokens> terms;
  add_terms(index, terms);
  for (const CudaTokens& term : terms) {
    std::size_t strides = 0;
    const auto one = reach_of_term(term, strides);
    const CudaTokens words = bare(term);
    if (!one && words.size() == 1 && words[0].kind == CudaToken::Kind::number) {
      offset = words[0].text;
    } else if (!one) {
      if (has_dimension(term)) return std::nullopt;
      ++unknown;
    } else if (!furthest || strides > most) {
      if (furthest && most == 0) offset.clear();
      furthest = one;
      most = strides;
      of_furthest = term;
    } else if (strides == most) {
      ++unknown;
    }
  }
  if (!furthest || (unknown > 0 && (most == 0 || !has_dimension(of_furthest)))) return std::nullopt;
  if (most == 0 && !offset.empty()) return Factors{fmt::format("({} + {})", fmt::join(*furthest, " * "), offset)};
  return furthest;
}

std::optional<std::string> IndexBounds::elements(const std::string& tensor) const {
  std::set<Factors> found;
  for (std::size_t i = body_.begin; i + 2 < body_.end; ++i) {
    if (tokens_[i].kind != CudaToken::Kind::word || name_in_spec(tokens_[i].text) != tensor) continue;
    if (tokens_[i - 1].is(".") || tokens_[i - 1].is("->")) continue;
    std::size_t first = i + 2, last = first;
    if (tokens_[i + 1].is("[")) {
      last = behind_bracket(tokens_, i + 1) - 1;
    } else if (tokens_[i + 1].is("+")) {
      while (last < body_.end && !tokens_[last].is(";") && !tokens_[last].is(",") && !tokens_[last].is(")"))
        last = tokens_[last].is("(") ? behind_bracket(tokens_, last) : last + 1;
    } else {
      continue;
    }
    last = std::min(last, body_.end);
    auto one = last <= first ? std::nullopt
                             : reach({tokens_.begin() + static_cast<std::ptrdiff_t>(first),
                                      tokens_.begin() + static_cast<std::ptrdiff_t>(last)});
    if (one) found.insert(*one);
  }
  if (found.size() == 2) {  // rows[i] and rows[i + 1]
    const std::string one = fmt::format("{}", fmt::join(*found.begin(), " * "));
    const std::string other = fmt::format("{}", fmt::join(*found.rbegin(), " * "));
    if (one.starts_with("(" + other + " + ")) return one.substr(1, one.size() - 2);
    if (other.starts_with("(" + one + " + ")) return other.substr(1, other.size() - 2);
  }
  if (found.size() != 1) return std::nullopt;
  return fmt::format("{}", fmt::join(*found.begin(), " * "));
}

}  // namespace kerlab::session
