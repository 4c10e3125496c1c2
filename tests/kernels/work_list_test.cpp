// How tiles and their k are dealt out to workers (stream-K): nothing twice, nothing forgotten, and whoever finishes a
// tile finds what others left of it.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"

#define __device__
#define __forceinline__ inline
namespace {
int STREAM = 0;  // a define of the kernels
}
#include "gemm/work_list.cuh"

namespace {

struct Dealt {
  std::vector<std::vector<Piece>> pieces;  // of each worker, in order
  std::size_t most = 0, least = 0;         // stages of a worker
};

Dealt deal(int tiles, int stages, int workers) {
  Dealt dealt;
  dealt.least = static_cast<std::size_t>(tiles) * static_cast<std::size_t>(stages);
  for (int worker = 0; worker < workers; ++worker) {
    WorkList list(tiles, stages, workers, worker);
    std::size_t count = 0;
    dealt.pieces.emplace_back();
    for (Piece piece{}; list.next(piece);) {
      dealt.pieces.back().push_back(piece);
      count += static_cast<std::size_t>(piece.end - piece.first);
    }
    dealt.most = std::max(dealt.most, count);
    dealt.least = std::min(dealt.least, count);
  }
  return dealt;
}

/// What is wrong with how so many tiles are dealt out; empty: nothing.
std::string faults(int tiles, int stages, int workers) {
  const Dealt dealt = deal(tiles, stages, workers);
  std::map<int, std::vector<std::pair<int, int>>> left;  // of a tile: first k, worker
  std::vector<std::vector<int>> times(static_cast<std::size_t>(tiles),
                                      std::vector<int>(static_cast<std::size_t>(stages)));
  for (int worker = 0; worker < workers; ++worker) {
    const std::vector<Piece>& pieces = dealt.pieces[static_cast<std::size_t>(worker)];
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
      if (piece.tile < 0 || piece.tile >= tiles || piece.first < 0 || piece.first >= piece.end || piece.end > stages)
        return "a piece outside the product";
      for (int k = piece.first; k < piece.end; ++k)
        ++times[static_cast<std::size_t>(piece.tile)][static_cast<std::size_t>(k)];
      if (piece.end == stages) continue;
      if (i > 0) return "a worker leaves something after its first piece: others wait for it";
      left[piece.tile].emplace_back(piece.first, worker);
    }
  }
  for (const auto& of_tile : times)
    for (const int n : of_tile)
      if (n != 1) return "a stage is multiplied " + std::to_string(n) + " times";
  for (int worker = 0; worker < workers; ++worker) {
    WorkList list(tiles, stages, workers, worker);
    for (Piece piece{}; list.next(piece);) {
      if (list.finishes(piece) != (piece.end == stages)) return "who finishes a tile";
      if (!list.finishes(piece)) continue;
      std::vector<int> expected, found;
      std::sort(left[piece.tile].begin(), left[piece.tile].end());
      for (const auto& one : left[piece.tile]) expected.push_back(one.second);
      list.for_each_left(piece, [&](int from) { found.push_back(from); });
      if (found != expected) return "not all that was left of a tile is added, in order of k";
      if (std::any_of(found.begin(), found.end(), [&](int from) { return from >= worker; }))
        return "waits for a later one";
    }
  }
  return "";
}

}  // namespace

TEST_CASE("work list: every stage of every tile once, and what is left is found, in order of k", "[kernels]") {
  for (STREAM = 0; STREAM < 3; ++STREAM)
    for (const int workers : {1, 2, 3, 7, 66, 132})
      for (const int tiles : {1, 2, 5, 7, 65, 66, 67, 131, 132, 133, 288, 300})
        for (const int stages : {1, 2, 3, 4, 5, 7, 8, 17, 64, 129}) {
          INFO("STREAM " << STREAM << ", " << tiles << " tiles of " << stages << " stages, " << workers << " workers");
          CHECK(faults(tiles, stages, workers) == "");
        }
}

TEST_CASE("work list: the last wave is shared out evenly, whole tiles are not touched", "[kernels]") {
  STREAM = 0;
  CHECK(deal(288, 64, 132).most == 3 * 64);
  STREAM = 1;
  CHECK(deal(288, 64, 132).most <=
        2 * 64 + 24 * 64 / 132 + 1 + 3);  // a piece of fewer than 4 stages goes to a neighbour
  CHECK(deal(264, 64, 132).most == 2 * 64);
  CHECK(deal(264, 64, 132).pieces[5].size() == 2);
  STREAM = 2;
  CHECK(deal(288, 64, 132).most <= 64 + 156 * 64 / 132 + 1 + 3);
  CHECK(deal(288, 64, 132).least >= 64 + 156 * 64 / 132 - 3 - 1);
}
