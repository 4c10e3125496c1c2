#include "session/adopt/guessed_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace kerlab::session {
namespace {

constexpr const char* kUnread = "a guess: no <<<grid, block>>> of this kernel could be read; ";

/// blockIdx.y, or the words of any other member.
bool uses(const CudaFile& file, const CudaKernel& kernel, std::string_view object, std::string_view member) {
  for (std::size_t i = kernel.body.begin; i + 2 < kernel.body.end && i + 2 < file.tokens.size(); ++i)
    if (file.tokens[i].is(object) && file.tokens[i + 1].is(".") && file.tokens[i + 2].is(member)) return true;
  return false;
}

/// blockIdx.x times something: each thread has a place of its own. Else a block has one.
bool numbers_threads(const CudaFile& file, const CudaKernel& kernel) {
  for (std::size_t i = kernel.body.begin; i + 3 < kernel.body.end && i + 3 < file.tokens.size(); ++i) {
    if (!file.tokens[i].is("blockIdx") || !file.tokens[i + 2].is("x")) continue;
    const CudaTokens& tokens = file.tokens;
    const bool by_block = tokens[i + 3].is("*") && i + 4 < tokens.size() && tokens[i + 4].is("blockDim");
    const bool block_first = i >= 4 && tokens[i - 1].is("*") && tokens[i - 4].is("blockDim");
    if (by_block || block_first) return true;
  }
  return false;
}

/// What blockIdx.x is multiplied by where these are parameters: `blockIdx.x * block_size_x * tile_size`.
std::vector<std::string> block_factors(const CudaFile& file, const CudaKernel& kernel, std::string_view axis,
                                       const LaunchHints& hints) {
  const CudaTokens& tokens = file.tokens;
  const auto is_parameter = [&](std::size_t at) {
    return at < tokens.size() && hints.parameters.contains(tokens[at].text);
  };
  for (std::size_t i = kernel.body.begin; i + 2 < kernel.body.end && i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("blockIdx") || !tokens[i + 2].is(axis)) continue;
    std::vector<std::string> factors;
    for (std::size_t at = i; at >= kernel.body.begin + 2 && tokens[at - 1].is("*") && is_parameter(at - 2); at -= 2)
      factors.insert(factors.begin(), tokens[at - 2].text);
    for (std::size_t at = i + 3; at + 1 < tokens.size() && tokens[at].is("*") && is_parameter(at + 1); at += 2)
      factors.push_back(tokens[at + 1].text);
    if (!factors.empty()) return factors;
  }
  return {};
}

/// A block's threads and elements along an axis, as its parameters say.
struct BlockShare {
  std::string threads, elements;
};

std::optional<BlockShare> block_share(const CudaFile& file, const CudaKernel& kernel, std::string_view axis,
                                      const LaunchHints& hints) {
  const std::vector<std::string> factors = block_factors(file, kernel, axis, hints);
  if (factors.empty()) return std::nullopt;
  const auto names_threads = [](std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name.find("block") != std::string::npos || name.find("thread") != std::string::npos;
  };
  const auto found = std::ranges::find_if(factors, names_threads);
  BlockShare share{hints.parameters.at(found == factors.end() ? factors.front() : *found), ""};
  for (const std::string& one : factors)
    share.elements += (share.elements.empty() ? "" : " * ") + hints.parameters.at(one);
  return share;
}

}  // namespace

void guess_launch(DraftLaunch& launch, const CudaFile& file, const CudaKernel& kernel, const LaunchHints& hints) {
  const bool flat = hints.dimensions.size() < 2;
  const auto x = block_share(file, kernel, "x", hints), y = block_share(file, kernel, "y", hints);
  if (uses(file, kernel, "threadIdx", "y") && uses(file, kernel, "blockIdx", "y") && (!flat || (x && y))) {
    const BlockShare half{"16", "16"};
    const std::string& columns = hints.dimensions.at(flat ? 0 : 1);
    launch.grid = {fmt::format("ceil_div({}, {})", columns, x.value_or(half).elements),
                   fmt::format("ceil_div({}, {})", hints.dimensions[0], y.value_or(half).elements)};
    launch.block = {x.value_or(half).threads, y.value_or(half).threads};
    launch.note = std::string(kUnread) + "a thread for each column and row";
    return;
  }
  if (x && hints.threads.empty() && !uses(file, kernel, "threadIdx", "y")) {
    launch.block = {x->threads};
    launch.block_note = "a guess: blockIdx.x is multiplied by it";
    launch.grid = {fmt::format("ceil_div({}, {})", hints.elements, x->elements)};
    launch.note = std::string(kUnread) + "a place for each element";
    return;
  }
  const std::string threads = hints.threads.empty() ? "256" : hints.threads;
  launch.block = {threads};
  if (hints.threads.empty()) launch.block_note = "a guess";
  const bool row = !flat && uses(file, kernel, "blockIdx", "x") && !numbers_threads(file, kernel);
  launch.grid = {row ? hints.dimensions[0] : fmt::format("ceil_div({}, {})", hints.elements, threads)};
  launch.note = std::string(kUnread) + (row ? "a block for each row" : "a thread for each element");
}

}  // namespace kerlab::session
