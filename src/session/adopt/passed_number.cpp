#include "session/adopt/passed_number.h"

#include <charconv>
#include <cmath>

namespace kerlab::session {

namespace {

std::optional<double> literal(std::string_view text) {
  while (!text.empty() && std::string_view("fFlL").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// 1e-5f is three tokens.
std::optional<double> signed_literal(const CudaTokens& tokens) {
  std::string text;
  for (const CudaToken& token : tokens) {
    if (token.kind != CudaToken::Kind::number && !token.is("-") && !token.is("+")) return std::nullopt;
    text += token.text;
  }
  return literal(text);
}

}  // namespace

std::optional<double> passed_number(const CudaTokens& argument, const HostValues& host) {
  if (argument.size() != 1 || argument.front().kind != CudaToken::Kind::word) return signed_literal(argument);
  const auto variable = host.values.find(argument.front().text);
  return variable == host.values.end() ? std::nullopt : signed_literal(variable->second);
}

}  // namespace kerlab::session
