#pragma once
// What the problems of a check may differ in, and how: a factor is a dimension, a flag, a scalar or the gaps behind
// rows, its levels are the values that are valid for one configuration of one variant.

#include <optional>
#include <string>
#include <vector>

#include "session/shapes/shaped_kernel.h"
#include "spec/spec.h"

namespace kerlab::session {

struct ShapeLevel {
  std::string text;                ///< "K=1030", "layout=nt", "beta=-1"
  std::int64_t extent = 0;         ///< of a dimension
  std::string value = {};          ///< of a flag
  double number = 0;               ///< of a scalar
  std::vector<std::string> alone;  ///< goals that it reaches: "K % 64 = 1", "layout=nt"
  bool whole = false;              ///< of a dimension: so many tiles and vectors without a rest
  bool above = false;              ///< of a dimension: one element more than whole tiles, and no less than any tile
  std::string kind = {};           ///< what of it is paired with other factors: "K % 4", "layout=nt"; empty: nothing
  RowPadding padding = {};
  bool limit = false;  ///< of a quiet dimension: beside the base's others no more is valid
};

struct ShapeFactor {
  enum class What : std::uint8_t { dimension, flag, scalar, padding };
  What what = What::dimension;
  std::string name;
  std::vector<ShapeLevel> levels;  ///< the first is the base's
};

/// Of so few every value is tried.
bool has_very_few(const Dimension& dimension);

/// Sets the factor's level in the request.
void set_level(ProblemRequest& request, const ShapeFactor& factor, const ShapeLevel& level);

/// Extents where something begins or ends along a dimension.
struct KernelSteps {
  /// The tile of the grid, found by where one block more is launched; for dimensions along which no block is,
  /// parameters and derived values that may be steps.
  std::vector<std::int64_t> own;
  /// The tile where all other dimensions are at their least, if it is another one: of what is taken as one row; or 0.
  std::int64_t alone = 0;
  /// Up to such an extent the shares of blocks are as short as they ever are: most blocks have one.
  std::vector<std::int64_t> shares;
  /// Of a dimension along which no block is launched: what all parameters make together, a multiple of what a loop
  /// takes in a round; or 0.
  std::int64_t round = 0;
};
/// Of each dimension.
std::vector<KernelSteps> steps_of(const ShapedKernel& kernel, const Problem& base);
/// What whole tiles compute, also of a problem that fills a small part of them. `steps`: of each dimension.
double flops_in_tiles(const Family& family, const std::vector<KernelSteps>& steps, Problem problem);

/// Elements of the widest access, 16 bytes, and no fewer than 8: rows of so many are what tensor maps ask for.
std::int64_t widest_access(const Problem& base);

struct ShapeLevels {
  std::vector<ShapeFactor> factors;
  std::vector<std::string> lost;  ///< goals that no level reaches: no such problem is valid
  /// Of each factor: extents around KernelSteps::alone, one below, one and 16 bytes above; around its shares;
  /// below whole rounds.
  std::vector<std::vector<std::int64_t>> alone;
};
/// All levels that are valid beside the base's others, beside those of the problem asked for, beside whole accesses or
/// beside quiet dimensions at their least.
ShapeLevels levels_of(const ShapedKernel& kernel, const ProblemRequest& base, const Problem& asked);

}  // namespace kerlab::session
