// Texts that went wrong: cut, tokens deleted, doubled, swapped, replaced. The parser answers with a module or an Error,
// soon, and what it accepts the analyses accept too. KERLAB_FUZZ_ROUNDS=n for more than the usual few.

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "device/emu/ptx/flow/control_flow.h"
#include "device/emu/ptx/lexer.h"
#include "device/emu/ptx_text.h"

using namespace kerlab::ptx;
using namespace kerlab::ptx::test;

namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  Words result;
  for (const Token& token : tokenise(text)) {
    if (token.kind == TokenKind::end) break;
    result.push_back(token.kind == TokenKind::string ? '"' + std::string(token.text) + '"' : std::string(token.text));
  }
  return result;
}

void mutate(Words& words, std::mt19937& random) {
  static const char* const kOdd[] = {"{",          "}",          "(",
                                     ")",          "[",          "]",
                                     ",",          ";",          ":",
                                     "-",          "+",          "<",
                                     ">",          "@",          "!",
                                     "|",          "=",          "0",
                                     "-1",         "4294967296", "18446744073709551615",
                                     "0f00000000", "1e400",      "%r0",
                                     "%p999999",   "_",          ".reg",
                                     ".param",     ".entry",     ".func",
                                     "call",       "bra",        ".b128",
                                     ".pred",      "%tid.x",     ".branchtargets",
                                     "generic",    "0xFF",       "1000000000000"};
  if (words.size() < 2) return;
  const std::size_t at = random() % words.size(), other = random() % words.size();
  switch (random() % 7) {
    case 0:
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), words[at]);
      break;
    case 2:
      std::swap(words[at], words[other]);
      break;
    case 3:
      words[at] = words[other];
      break;
    case 4:
      words[at] = kOdd[random() % std::size(kOdd)];
      break;
    case 5:
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), kOdd[random() % std::size(kOdd)]);
      break;
    default:
      if (random() % 8 == 0) words.resize(at + 1);
      break;
  }
}

std::string joined(const Words& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += words[i];
    text += words[i] == ";" || words[i] == "{" ? "\n" : " ";
  }
  return text;
}

/// What the parser answers: empty, or the error.
std::string analysed(const std::string& text) {
  ParseResult result;
  try {
    result = parse(text);
  } catch (const kerlab::Error& error) {
    return error.what();
  }
  for (const Kernel& kernel : result.module.kernels) {
    const ControlFlow flow = control_flow(kernel);
    const RegisterPlaces places = place_registers(kernel, flow, liveness(kernel, flow));
    communication(kernel);
    if (to_text(kernel).empty() || places.slots < 0) return "no text";
  }
  return "";
}

int rounds(int usual) {
  const char* wanted = std::getenv("KERLAB_FUZZ_ROUNDS");
  return wanted == nullptr ? usual : std::atoi(wanted);
}

}  // namespace

TEST_CASE("ptx: mutated texts never crash or hang the parser", "[ptx][fuzz]") {
  const char* const files[] = {"warp_sm90.ptx", "tensor_sm90.ptx", "calls_sm80.ptx", "ints_sm80.ptx", "math_sm80.ptx"};
  int refused = 0, total = 0;
  for (const char* file : files) {
    const Words original = words_of(fixture(file));
    std::mt19937 random(17);
    for (int round = 0; round < rounds(120); ++round, ++total) {
      Words words = original;
      for (unsigned i = 0; i <= random() % 4; ++i) mutate(words, random);
      const std::string answer = analysed(joined(words));
      INFO(file << " round " << round << ": " << answer);
      refused += answer.empty() ? 0 : 1;
      if (!answer.empty()) REQUIRE(answer.find("ptx:") == 0);
    }
  }
  // Most damage is seen, and not every mutation is damage.
  CHECK(refused > total / 4);
  CHECK(refused < total);
}

TEST_CASE("ptx: a text cut anywhere is an error, never a crash", "[ptx][fuzz]") {
  const std::string text = fixture("warp_sm90.ptx");
  for (std::size_t cut = 0; cut < text.size(); cut += 61) {
    const std::string answer = analysed(text.substr(0, cut));
    CAPTURE(cut, answer);
    if (!answer.empty()) REQUIRE(answer.find("ptx:") == 0);
  }
}

TEST_CASE("ptx: bytes at random", "[ptx][fuzz]") {
  std::mt19937 random(23);
  for (int round = 0; round < rounds(300); ++round) {
    std::string text = fixture("warp_sm90.ptx").substr(0, 3000);
    for (int i = 0; i < 5; ++i) text[random() % text.size()] = static_cast<char>(random());
    const std::string answer = analysed(text);
    if (!answer.empty()) REQUIRE(answer.find("ptx:") == 0);
  }
}
