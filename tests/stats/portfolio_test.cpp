// Portfolios against every subset, and what they say when nothing fits.

#include "stats/portfolio.h"

#include <limits>
#include <random>

#include "catch.h"

using namespace kerlab;

namespace {

double worst_of(const LossMatrix& losses, unsigned subset) {
  double worst = 0;
  for (const auto& row : losses) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t kernel = 0; kernel < row.size(); ++kernel)
      if ((subset >> kernel & 1U) != 0 && row[kernel]) least = std::min(least, *row[kernel]);
    worst = std::max(worst, least);
  }
  return worst;
}

double least_worst(const LossMatrix& losses, std::size_t size) {
  double least = std::numeric_limits<double>::infinity();
  for (unsigned subset = 1; subset < 1U << losses.front().size(); ++subset)
    if (static_cast<std::size_t>(__builtin_popcount(subset)) <= size) least = std::min(least, worst_of(losses, subset));
  return least;
}

LossMatrix random_losses(std::mt19937& random, std::size_t shapes, std::size_t kernels) {
  LossMatrix losses(shapes, std::vector<std::optional<double>>(kernels));
  for (auto& row : losses)
    for (auto& loss : row)
      if (random() % 3 != 0) loss = static_cast<double>(random() % 40) / 100;
  for (auto& row : losses) row[random() % kernels] = 0;  // every shape has its own best
  return losses;
}

}  // namespace

TEST_CASE("portfolio: the least worst loss of every subset", "[stats]") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const LossMatrix losses = random_losses(random, 1 + random() % 9, 1 + random() % 9);
    for (std::size_t size = 1; size <= losses.front().size(); ++size) {
      const auto portfolio = best_portfolio(losses, size);
      const double least = least_worst(losses, size);
      REQUIRE(portfolio.has_value() == (least < std::numeric_limits<double>::infinity()));
      if (!portfolio) continue;
      CHECK(portfolio->worst_loss == least);
      CHECK(portfolio->exact);
      CHECK(portfolio->kernels.size() <= size);
    }
  }
}

TEST_CASE("portfolio: grows until every shape is within the limit", "[stats]") {
  const std::optional<double> none;
  const LossMatrix losses = {{0.0, 0.01, 0.30}, {0.05, 0.0, 0.30}, {none, 0.20, 0.0}};
  const auto grown = portfolios(losses, 0.02);
  REQUIRE(grown.size() == 2);
  CHECK(grown[0].kernels == std::vector<std::size_t>{1});
  CHECK(grown[0].worst_loss == 0.20);
  CHECK(grown[1].kernels == std::vector<std::size_t>{1, 2});
  CHECK(grown[1].of_shape == std::vector<std::size_t>{1, 1, 2});
  CHECK(grown[1].worst_loss == 0.01);
  CHECK(portfolios(losses, 0).back().worst_loss == 0);
  CHECK(portfolios(losses, 0, 1).back().worst_loss == 0.20);  // the limit of kernels stops it
}

TEST_CASE("portfolio: no kernel for a shape, no shapes, a search cut short", "[stats]") {
  const std::optional<double> none;
  CHECK(portfolios({{0.0, 0.1}, {none, none}}, 0.5).empty());
  CHECK(portfolios({}, 0.5).empty());
  std::mt19937 random(3);
  const LossMatrix losses = random_losses(random, 40, 40);
  const auto cut = best_portfolio(losses, 5, 10);
  REQUIRE(cut);
  CHECK_FALSE(cut->exact);
  const auto whole = best_portfolio(losses, 5);
  REQUIRE(whole);
  CHECK(whole->worst_loss <= cut->worst_loss);
}
