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
#include "common/sm90/tile_scheduler.cuh"

namespace {

struct Dealt {
  std::vector<std::vector<WorkTile>> pieces;  // of each worker, in order
  std::size_t most = 0, least = 0;            // stages of a worker
};

template <int WAVES>
Dealt deal(int tiles, int stages, int workers) {
  Dealt dealt;
  dealt.least = static_cast<std::size_t>(tiles) * static_cast<std::size_t>(stages);
  for (int worker = 0; worker < workers; ++worker) {
    StreamKScheduler<WAVES> list(tiles, stages, workers, worker);
    std::size_t count = 0;
    dealt.pieces.emplace_back();
    for (WorkTile piece{}; list.next(piece);) {
      dealt.pieces.back().push_back(piece);
      count += static_cast<std::size_t>(piece.end - piece.first);
    }
    dealt.most = std::max(dealt.most, count);
    dealt.least = std::min(dealt.least, count);
  }
  return dealt;
}

/// What is wrong with how so many tiles are dealt out; empty: nothing.
template <int WAVES>
std::string faults(int tiles, int stages, int workers) {
  const Dealt dealt = deal<WAVES>(tiles, stages, workers);
  std::map<int, std::vector<std::pair<int, int>>> left;  // of a tile: first k, worker
  std::vector<std::vector<int>> times(static_cast<std::size_t>(tiles),
                                      std::vector<int>(static_cast<std::size_t>(stages)));
  for (int worker = 0; worker < workers; ++worker) {
    const std::vector<WorkTile>& pieces = dealt.pieces[static_cast<std::size_t>(worker)];
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const WorkTile& piece = pieces[i];
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
    StreamKScheduler<WAVES> list(tiles, stages, workers, worker);
    for (WorkTile piece{}; list.next(piece);) {
      if (list.is_final(piece) != (piece.end == stages)) return "who finishes a tile";
      if (!list.is_final(piece)) continue;
      std::vector<int> expected, found;
      std::sort(left[piece.tile].begin(), left[piece.tile].end());
      for (const auto& one : left[piece.tile]) expected.push_back(one.second);
      list.for_each_partial(piece, [&](int from) { found.push_back(from); });
      if (found != expected) return "not all that was left of a tile is added, in order of k";
      if (std::any_of(found.begin(), found.end(), [&](int from) { return from >= worker; }))
        return "waits for a later one";
    }
  }
  return "";
}

template <int WAVES>
void check_faults() {
  for (const int workers : {1, 2, 3, 7, 66, 132})
    for (const int tiles : {1, 2, 5, 7, 65, 66, 67, 131, 132, 133, 288, 300})
      for (const int stages : {1, 2, 3, 4, 5, 7, 8, 17, 64, 129}) {
        INFO("WAVES " << WAVES << ", " << tiles << " tiles of " << stages << " stages, " << workers << " workers");
        CHECK(faults<WAVES>(tiles, stages, workers) == "");
      }
}

}  // namespace

TEST_CASE("stream-K: every stage of every tile once, and partial sums are found, in order of k", "[kernels]") {
  check_faults<0>();
  check_faults<1>();
  check_faults<2>();
}

TEST_CASE("stream-K: the last wave is shared out evenly, whole tiles are not touched", "[kernels]") {
  CHECK(deal<0>(288, 64, 132).most == 3 * 64);
  CHECK(deal<1>(288, 64, 132).most <=
        2 * 64 + 24 * 64 / 132 + 1 + 3);  // a part of fewer than 4 stages goes to a neighbour
  CHECK(deal<1>(264, 64, 132).most == 2 * 64);
  CHECK(deal<1>(264, 64, 132).pieces[5].size() == 2);
  CHECK(deal<2>(288, 64, 132).most <= 64 + 156 * 64 / 132 + 1 + 3);
  CHECK(deal<2>(288, 64, 132).least >= 64 + 156 * 64 / 132 - 3 - 1);
}

TEST_CASE("a persistent schedule is stream-K's of no wave, a static one its first work tile", "[kernels]") {
  for (int worker = 0; worker < 5; ++worker) {
    PersistentScheduler persistent(13, 4, 5, worker);
    StreamKScheduler<0> whole(13, 4, 5, worker);
    StaticScheduler once(3, 4, worker);
    WorkTile one{}, other{}, only{};
    CHECK(once.next(only) == (worker < 3));
    if (worker < 3) CHECK(only.tile == worker);
    CHECK_FALSE(once.next(only));
    while (persistent.next(one)) {
      REQUIRE(whole.next(other));
      CHECK(std::pair(one.tile, one.end) == std::pair(other.tile, other.end));
    }
    CHECK_FALSE(whole.next(other));
  }
}
