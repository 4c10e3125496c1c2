#pragma once
// What a spec says of a launch: which kernel, how many blocks, its arguments; and of the variables of the program.

#include <cstdint>
#include <string>
#include <vector>

#include "plan/problem_plan.h"
#include "spec/expression/expression.h"

namespace kerlab::spec {

/// An argument of a launch as a spec writes it.
///   "A"  tensor   "ws"  workspace   "M"  integer expression passed as i32   "i64:M"  as i64   "alpha"  scalar
///   "A + expression"  tensor or workspace at a byte offset   "@map"  tensor map
///   reference only: "index" "count" "value" "scale"; checker only: "index" "count" "error" "code"
///   "ping|pong"  alternates by repetition   "if BIAS: bias_row"  passed only where the condition holds
struct ArgumentChoice {
  enum class Kind : std::uint8_t { int32, int64, scalar, tensor, workspace, tensor_map, reference_slot };
  Kind kind = Kind::int32;
  std::string name;       ///< of the scalar, tensor, workspace, tensor map
  Expression expression;  ///< an integer's value; a byte offset (empty: 0)
  ReferenceSlot slot = ReferenceSlot::index;
};
struct ArgumentDecl {
  std::string text;
  Expression when;  ///< empty: always
  std::vector<ArgumentChoice> choices;
  SourceLocation where;
};

/// A piece of "gemm<{DTYPE}, {BM}>": text, then what stands for a brace after it.
struct KernelNamePiece {
  std::string text;
  Expression value;                     ///< empty: nothing
  bool dtype = false;                   ///< {DTYPE}: CUDA's type for the problem's dtype, as __half
  std::vector<std::string> words = {};  ///< of a parameter of names, by its value
};

struct LaunchDecl {
  std::string kernel;                            ///< as written
  std::vector<KernelNamePiece> kernel_name;      ///< of one that depends on the configuration; empty: it is `kernel`
  std::vector<Expression> grid, block, cluster;  ///< x, y, z; what is missing is 1
  Expression shared;                             ///< dynamic bytes; empty: 0
  Expression repeat;                             ///< empty: 1; `i` is the repetition in every other expression
  std::string group;                             ///< consecutive launches of one group repeat together
  Expression when;                               ///< empty: always
  std::vector<ArgumentDecl> arguments;
  bool cooperative = false, in_order = false;  ///< see plan::Launch
  Expression programmatic;                     ///< empty: 0
  Expression carveout;                         ///< percent; -1, or empty: as the driver likes
  SourceLocation where;
};

/// [[symbol]]: a variable of the program that holds a tensor.
struct SymbolDecl {
  std::string name, tensor;
  SourceLocation where;
};

}  // namespace kerlab::spec
