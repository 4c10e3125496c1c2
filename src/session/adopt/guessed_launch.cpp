#include "session/adopt/guessed_launch.h"

#include <fmt/format.h>

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

}  // namespace

void guess_launch(DraftLaunch& launch, const CudaFile& file, const CudaKernel& kernel, const LaunchHints& hints) {
  const bool flat = hints.dimensions.size() < 2;
  if (!flat && uses(file, kernel, "threadIdx", "y") && uses(file, kernel, "blockIdx", "y")) {
    launch.grid = {fmt::format("ceil_div({}, 16)", hints.dimensions[1]),
                   fmt::format("ceil_div({}, 16)", hints.dimensions[0])};
    launch.block = {"16", "16"};
    launch.note = std::string(kUnread) + "a thread for each column and row";
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
