#pragma once
// What a kernel's own code says of its parameters: which tensors it reads and writes, and how far their indices go.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "session/adopt/cuda_file.h"

namespace kerlab::session {

/// What a kernel does with what a pointer points to.
struct TensorUse {
  bool read = false, written = false;
};

/// Aliases (`const float* row = x + n;`) count as what they are of. What nobody can tell (its address is taken, it is
/// handed on) counts as both.
TensorUse tensor_use(const CudaFile& file, const CudaKernel& kernel, const std::string& name);

/// Extents of indices, from the conditions that guard them: `if (i < n)`, `if (row >= M || col >= N) return;`,
/// `for (int k = 0; k < K; ...)`; and from what is made of guarded ones by / and %.
class IndexBounds {
 public:
  /// `known`: dimensions and parameters, as the kernel calls them, and as a spec does. `steps`: the parameters of
  /// these. `counts`: how many there are of "blockIdx.x", "threadIdx.y".
  IndexBounds(const CudaFile& file, const CudaKernel& kernel, std::map<std::string, std::string> known,
              std::set<std::string> steps, std::map<std::string, std::string> counts);

  /// How many elements its indices reach, as a product: "M * K" of a[row * K + k]. None where no index is bounded, or
  /// where two say different things.
  [[nodiscard]] std::optional<std::string> elements(const std::string& tensor) const;

 private:
  using Factors = std::vector<std::string>;
  void read_conditions();
  void read_condition(const CudaTokens& tokens);
  void read_local(std::size_t at);
  [[nodiscard]] std::optional<Factors> product(const CudaTokens& tokens, int depth = 0) const;
  [[nodiscard]] std::optional<Factors> bound(const std::string& variable, int depth = 0) const;
  [[nodiscard]] bool has_dimension(const CudaTokens& tokens, int depth = 0) const;
  [[nodiscard]] std::string counted(const std::string& variable) const;
  [[nodiscard]] bool is_fixed(const std::string& variable) const;
  void add_terms(const CudaTokens& sum, std::vector<CudaTokens>& terms, int depth = 0) const;
  [[nodiscard]] std::optional<Factors> reach(const CudaTokens& index) const;
  [[nodiscard]] std::optional<Factors> reach_of_term(const CudaTokens& term, std::size_t& strides) const;

  const CudaTokens& tokens_;
  CudaSpan body_;
  std::map<std::string, std::string> known_;
  std::set<std::string> steps_;
  std::map<std::string, std::string> counts_;
  std::map<std::string, CudaTokens> locals_;              ///< what each variable of the kernel is first given
  std::map<std::string, std::optional<Factors>> guards_;  ///< of a variable or an expression; none: two differ
};

}  // namespace kerlab::session
