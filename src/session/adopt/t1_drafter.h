#pragma once
// A T1 file and the source that it names become a draft.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "session/adopt/draft.h"
#include "session/adopt/t1_space.h"

namespace kerlab::session {

class T1Drafter {
 public:
  T1Drafter(const JsonNode& root, const CudaFile& source, const CudaKernel& kernel);
  Draft make();

 private:
  /// ProblemSize: whole numbers, one or a list.
  void read_sizes();
  [[nodiscard]] std::int64_t evaluated(const JsonNode& node) const;
  void add_arguments();
  [[nodiscard]] static bool is_scalar(const JsonNode& argument);
  [[nodiscard]] std::string name_of(const JsonNode& argument) const;
  void add_scalar(const JsonNode& argument);
  /// Each size of the problem is a dimension: of an argument that says it, or else one that cannot be another, as the
  /// kernel is not told.
  void name_sizes();
  void add_tensor(const JsonNode& argument);
  /// What T1 fills it with, as the format can say it.
  void fill(DraftTensor& tensor, const JsonNode& argument);
  [[nodiscard]] Guess elements_of(const JsonNode& node) const;
  [[nodiscard]] std::int64_t value_of(std::size_t dimension) const;
  void take_outputs_of_source();
  /// `grid`: large numbers that are a dimension's size are its name. `defaults`: parameters are their defaults.
  [[nodiscard]] std::string spec_text(const PythonNode& tree, const JsonNode& where, bool grid, bool defaults) const;
  /// -D of the compiler's options, and the benchmark's own numbers that the source names.
  void add_defines();
  /// Parameters that the kernel's text knows nothing of: theirs in capitals, its in small letters.
  void note_idle_parameters();
  [[nodiscard]] std::vector<std::string> extents(const char* key, bool defaults) const;
  /// The sizes of the problem over the products of GridDivX, GridDivY, GridDivZ: Kernel Tuner's way.
  [[nodiscard]] std::vector<std::string> divided(bool defaults) const;
  [[nodiscard]] DraftLaunch launch(bool reference) const;
  [[nodiscard]] std::string passed(const std::string& name, const CudaArgument& argument, bool reference) const;
  JsonNode root_, spec_;
  const CudaFile& source_;
  const CudaKernel& kernel_;
  T1Space space_;
  std::optional<JsonNode> problem_;
  std::vector<std::int64_t> sizes_;               ///< ProblemSize
  std::vector<std::string> size_names_;           ///< their dimensions
  std::map<std::string, std::string> constants_;  ///< integers that are no size
  std::vector<std::string> order_;                ///< of the arguments
  Draft draft_;
};

}  // namespace kerlab::session
