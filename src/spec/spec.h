#pragma once
// Families, variants, problems, configurations: what the TOML files say, checked, with locations.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plan/device_info.h"
#include "plan/problem_plan.h"
#include "plan/row_padding.h"
#include "spec/expression/expression.h"
#include "spec/launch_decl.h"
#include "spec/reference_decl.h"

namespace kerlab::spec {

struct Dimension {
  std::string name, doc;
  Expression default_value;  ///< over dimensions above it
  std::int64_t minimum = 1, maximum = 2147483647;
  bool quiet = false;  ///< at its default it is no part of a problem's key and title
  SourceLocation where;
};
/// A choice that changes the problem: layout = nn | nt | tn | tt. In expressions `layout.nt` is 1 or 0.
struct Flag {
  std::string name, doc;
  std::vector<std::string> values;
  std::string default_value;
  bool quiet = false;  ///< as a dimension's
  SourceLocation where;
};
/// A run-time scalar of the operation (alpha, beta), passed to kernels as fp32 unless `dtype` says otherwise.
struct ScalarDecl {
  std::string name, doc;
  double default_value = 0;
  std::vector<double> also = {};  ///< that a thorough check tries besides those that it chooses
  DType dtype = DType::fp32;
  bool quiet = false;  ///< as a dimension's
  SourceLocation where;
};
/// A named integer every expression may use.
struct Derived {
  std::string name;
  Expression value;
  SourceLocation where;
  bool define = true;  ///< a macro of that name too; else only the spec knows it
};
/// What a parameter's words are known as: LAYOUT.row.
inline bool is_word_of_parameter(const Derived& derived) {
  return derived.name.find('.') != std::string::npos;
}
inline bool is_macro(const Derived& derived) {
  return derived.define && !is_word_of_parameter(derived);
}
struct Problem;

/// The dtype of a tensor or of a tensor map's elements, as a problem decides it: by a flag, else by the problem's
/// dtype.
struct DTypeRule {
  std::map<std::string, DType> for_flag;  ///< "out.fp32": values of one flag
  std::map<DType, DType> for_problem;     ///< for these dtypes of the problem
  std::optional<DType> otherwise;         ///< else; none: the problem's
  [[nodiscard]] DType of(const Problem& problem) const;
  /// It is this dtype, whatever the problem.
  [[nodiscard]] bool is(DType dtype) const { return for_flag.empty() && for_problem.empty() && otherwise == dtype; }
};

struct TensorDecl {
  std::string name, doc;
  Role role = Role::input;
  DTypeRule dtype;
  std::vector<Expression> shape;
  Expression partition;           ///< of how many things it holds the offsets of parts; empty: it holds numbers
  Expression unread;              ///< where not 0, no kernel may read it; empty: 0
  std::vector<Expression> range;  ///< the least of the integers that it holds, and one past the largest; empty: numbers
  std::vector<Expression> ignored;          ///< what some elements hold instead, by turns; empty: none do
  IntegerOrder order = IntegerOrder::none;  ///< what integers of a range keep to within a row
  std::string rows;             ///< the tensor of offsets whose parts are its rows; empty: its last dimension's
  bool hot = false;             ///< an input that L2 holds when a timed run begins
  std::vector<std::string> of;  ///< inputs above out of which it was made; empty: it stands for itself
  SourceLocation where;
};

struct WorkspaceDecl {
  std::string name;
  Expression bytes;
  WorkspaceInit init = WorkspaceInit::none;
  SourceLocation where;
};
struct TensorMapDecl {
  std::string name, tensor;                    ///< `tensor` may be a workspace
  std::vector<Expression> dims, strides, box;  ///< innermost first: elements, bytes, elements
  DTypeRule dtype;
  Expression swizzle, promotion;  ///< 0, 32, 64, 128 / 0, 64, 128, 256; empty: 0
  bool nan_fill = false;
  SourceLocation where;
};

/// A feature of a recipe, for one input or (`plant.tensor` empty) for all that hold numbers.
struct PlantDecl {
  Plant plant;
  Expression when;  ///< empty: always
  SourceLocation where;
};

/// Input data as a family asks for it.
struct RecipeDecl {
  std::string name;
  std::string base;
  std::uint64_t seed = 1;
  std::vector<double> parameters;
  Expression exact;  ///< empty: 0
  Expression when;   ///< empty: always
  std::vector<PlantDecl> plants;
  std::string integers;  ///< of kIntegerPatterns; empty: what goes with the base
  std::string parts;     ///< of kPartsPatterns; empty: what goes with the base
  SourceLocation where;
};

/// [library.gemm]: the whole problem as a GEMM that a vendor's library can be asked for.
struct LibraryGemmDecl {
  Expression m, n, k, transpose_a, transpose_b;
  Expression when;          ///< empty: always
  Expression batch;         ///< empty: 1
  Expression fast;          ///< empty: 0
  std::string alpha, beta;  ///< scalars, or empty: 1, 0
  std::string a, b, c, d;   ///< tensors
};

struct Constraint {
  std::string name, doc;
  Expression condition;
  SourceLocation where;
};

/// Under which `kerlab list` shows families, in this order; the last is what a family belongs to that names no other.
inline constexpr std::array<std::string_view, 5> kFamilyGroups = {"dense linear algebra", "rows", "elementwise",
                                                                  "primitives", "other"};

/// What launches of [cost] call the double[2] that they write.
inline constexpr std::string_view kCostWorkspace = "cost";

struct Family {
  std::string name, doc;
  Accuracy accuracy;  ///< of variants that do not say their own
  std::string group;  ///< one of kFamilyGroups
  std::filesystem::path folder;
  std::vector<DType> dtypes;  ///< the first is the default
  std::vector<Dimension> dimensions;
  std::vector<Flag> flags;
  std::vector<ScalarDecl> scalars;
  std::vector<Derived> derived;         ///< each after those it uses
  std::vector<Constraint> constraints;  ///< which problems there are
  std::vector<TensorDecl> tensors;
  std::vector<ReferenceDecl> references;  ///< one per output
  std::vector<LaunchDecl> before_reference;
  std::vector<ReferenceWorkspaceDecl> reference_workspaces;
  std::vector<RecipeDecl> recipes;       ///< the first is the timing recipe; empty: normal, uniform, small_integer
  Expression flops, bytes;               ///< of one run; with a kernel that counts them: at most
  std::optional<LaunchDecl> count_cost;  ///< of the reference: counts both from the inputs
  std::optional<LibraryGemmDecl> library_gemm;
  std::filesystem::path reference_source;  ///< empty: all outputs are recorded, and there is none
  std::filesystem::path recorded;          ///< folder of the recordings; empty: there are none
  std::vector<Recording> recordings;
  std::vector<std::filesystem::path> headers = {};  ///< of the catalogue that found it
};

struct Parameter {
  std::string name, doc;
  std::vector<std::int64_t> values;
  std::vector<std::string> words = {};  ///< what a value is called, by value; empty: they are numbers
  std::int64_t default_value = 0;
  bool define = true;  ///< a macro of that name for the kernel; else only the launches know it
  SourceLocation where;
};

/// As typed, stored and shown: "64", "true", "row".
std::string value_text(const Parameter& parameter, std::int64_t value);
/// "64, 128, 256"
std::string listed_values(const Parameter& parameter);
/// None: a word that the parameter does not have, or no integer. An integer need not be listed.
std::optional<std::int64_t> parse_value(const Parameter& parameter, std::string_view text);

/// What a variant says that one run does, of whole tiles: `counter` as in plan/counters.h.
struct Prediction {
  std::string counter;
  Expression value;
  SourceLocation where;
};

struct Variant {
  std::string name, doc;
  std::filesystem::path file, source;    ///< .toml, .cu; of one with images all of them, as "gemm_*_*.ptx"
  std::vector<KernelNamePiece> image;    ///< the PTX file of a configuration; empty: the source is compiled
  std::vector<DType> dtypes;             ///< empty: all of the family's
  int minimum_cc = 0, maximum_cc = 999;  ///< 80 = sm_80
  bool tune = true;
  std::int64_t alignment = kLeastAlignment;  ///< bytes that it assumes of every tensor's first address
  std::vector<std::string> pitch;            ///< tensors whose rows may have a leading dimension, told as pitch.NAME
  Start start = Start::held;
  int rung = 0;                       ///< place in the ladder
  std::vector<Parameter> parameters;  ///< in file order
  std::vector<Derived> derived;       ///< over parameters as well; each after those it uses
  std::vector<Constraint> constraints;
  std::vector<WorkspaceDecl> workspaces;
  std::vector<TensorMapDecl> tensor_maps;
  std::vector<LaunchDecl> launches;
  std::vector<LaunchDecl> prepare;  ///< [[prepare]]: run before each run, not timed
  std::vector<SymbolDecl> symbols;
  std::vector<std::string> options;                              ///< extra NVRTC options; those with a brace are below
  std::vector<std::vector<KernelNamePiece>> configured_options;  ///< "--maxrregcount={REGS}"
  std::vector<std::string> required_flags;                       ///< "layout=nt": supports only these; empty: all
  Sampling sampling = Sampling::automatic;  ///< `sample`: what an emulated device executes to verify it
  std::vector<Expression> quick;            ///< the part of the space that an emulated tune sweeps; empty: all of it
  std::vector<Prediction> predicted;        ///< [predicted], in the counters' order
  std::string nondeterministic;             ///< why runs may differ bit by bit; empty: they may not
  Accuracy accuracy;                        ///< what results are held to
  std::vector<std::filesystem::path> headers = {};  ///< of the catalogue that found it
};

/// "not timed: pack (prepare), filter (holds F)"; empty: all of a run is timed.
std::string untimed_text(const Variant& variant);

struct KernelFolder {
  Family family;
  std::vector<Variant> variants;
};

/// Reads family.toml and every <variant>.toml of a folder. Throws SpecError. With `named` a variant that cannot be read
/// is left out, as long as it is none of these ("all": every one).
KernelFolder load_folder(const std::filesystem::path& folder, const std::vector<std::string>& named = {});
/// Its <variant>.toml, by name.
std::vector<std::filesystem::path> variant_files(const std::filesystem::path& folder);

/// Folders that only the user names, never a spec.
struct KernelPlaces {
  std::vector<std::filesystem::path> families;  ///< --kernels, KERLAB_KERNELS, kerlab.toml
  std::vector<std::filesystem::path>
      headers;  ///< --include, KERLAB_INCLUDE: what sources may include besides their own
};

/// Where families are looked for: --kernels DIR..., KERLAB_KERNELS, the shipped kernels.
class Catalogue {
 public:
  /// What it finds may include what lies in `headers`.
  explicit Catalogue(std::vector<std::filesystem::path> roots, std::vector<std::filesystem::path> headers = {});
  /// A family's name, or a path to a folder. Throws UsageError that suggests the nearest name.
  [[nodiscard]] KernelFolder find(const std::string& name_or_path, const std::vector<std::string>& named = {}) const;
  /// The folder that `find` reads.
  [[nodiscard]] std::filesystem::path locate(const std::string& name_or_path) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::vector<std::filesystem::path>& roots() const { return roots_; }

 private:
  std::vector<std::filesystem::path> roots_, headers_;
};

/// What was typed: everything optional.
struct ProblemRequest {
  std::map<std::string, std::int64_t> dimensions;
  std::string dtype;
  std::map<std::string, std::string> flags;
  std::map<std::string, double> scalars;
  RowPadding row_padding = {};                              ///< as a Problem's
  std::optional<std::vector<std::string>> inputs_hot = {};  ///< in place of those that the family says; empty: none
};

/// family + dimensions + dtype + flags, resolved and checked.
struct Problem {
  std::string family;
  DType dtype = DType::fp32;
  std::vector<std::pair<std::string, std::int64_t>> dimensions;
  std::vector<std::pair<std::string, std::string>> flags;
  std::vector<std::pair<std::string, double>> scalars;
  std::set<std::string> quiet;               ///< dimensions, flags and scalars that may stay unsaid
  std::set<std::string> unsaid;              ///< of these, those at their defaults
  RowPadding row_padding = {};               ///< of the tensors that a variant takes with a leading dimension
  std::vector<std::string> inputs_hot = {};  ///< in the tensors' order
  Environment environment;                   ///< dimensions, dtype.*, flag.value, derived
  [[nodiscard]] std::string key() const;     ///< canonical: "gemm M=4096 N=4096 K=4096 bf16 layout=nn alpha=1 beta=0"
  [[nodiscard]] std::string title() const;   ///< "gemm 4096x4096x4096 bf16 nn", "... nn batch=3 activation=relu"
};

/// Throws UsageError: unknown dimension, flag, dtype or scalar (nearest named), outside minimum..maximum, a constraint
/// of the family, a tensor beyond 2^62 bytes, a row padding that is none.
Problem make_problem(const Family& family, const ProblemRequest& request);
std::vector<Tensor> tensors_of(const Family& family, const Problem& problem);
double flops_of(const Family& family, const Problem& problem);
double bytes_of(const Family& family, const Problem& problem);

/// One value for every parameter, in the variant's order.
struct Configuration {
  std::vector<std::int64_t> values;
  bool operator==(const Configuration&) const = default;
  auto operator<=>(const Configuration&) const = default;
};
std::string configuration_text(const Variant& variant, const Configuration& configuration);  ///< "BM=128 BN=64"
/// Parses "BM=128,BN=64" or "BM=128 BN=64"; parameters not named take their defaults. Throws UsageError.
Configuration parse_configuration(const Variant& variant, const std::string& text);
/// The same for a problem: where a constraint rejects the defaults of the parameters that are not named, these take the
/// values of the valid configuration that differs in the fewest. Where there is none, as above.
Configuration parse_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                  const std::string& text);
Configuration default_configuration(const Variant& variant);
/// The default configuration, or, where a constraint rejects it, the valid one that differs from it in the fewest
/// parameters (the first of them). Where none is valid, the default.
Configuration default_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device);

/// Adds device.* (sms, shared_per_block, registers_per_block, threads_per_block, cc, ...) to an environment.
void add_device(Environment& environment, const DeviceInfo& device);

/// Valid configurations of a variant for a problem on a device.
struct Space {
  std::uint64_t raw = 0;             ///< product of the value counts, at most 2^64 - 1
  std::uint64_t count = 0;           ///< of valid ones
  std::vector<Configuration> valid;  ///< in the order of the files: all, or where these are too many, some
  bool sampled = false;              ///< some: each as likely as any other, none twice
  std::uint64_t steps = 0;           ///< taken, of those that the limits allow
  struct Cut {
    std::string constraint;
    std::uint64_t remaining;
  };
};
struct SpaceLimits {
  std::size_t enumerated = 2'000'000;  ///< more valid configurations are sampled:
  std::size_t sampled = 200'000;       ///< so many
  std::uint64_t seed = 1;
  std::uint64_t steps = 1'000'000'000;  ///< values looked at, operands and operators evaluated: some seconds
};
/// Throws SpecError when a constraint rejects everything that reached it, naming it. The variant must support the
/// problem (unsupported_reason).
Space enumerate(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                const SpaceLimits& limits = {});
/// Product of the value counts, at most 2^64 - 1.
std::uint64_t raw_size(const Variant& variant);
/// How many configurations satisfy the first constraint, the first two, ... in the order of the file.
std::vector<Space::Cut> constraint_cuts(const Variant& variant, const Problem& problem, const DeviceInfo& device);
/// The first constraint that a configuration violates (also: value not listed), or empty.
std::string violated_constraint(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                const Configuration& configuration);

/// The valid configurations that satisfy the variant's `quick` expressions; all of `space` where it has none or where
/// none does. Of a sampled space these are looked for beyond the sample; where they are more than it, as many are
/// drawn.
std::vector<Configuration> quick_part(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                      const Space& space);

/// Why a variant cannot run a problem on a device (dtype, arch, flags, a constraint without any parameter in it), or
/// empty. To be asked before enumerate().
std::string unsupported_reason(const Variant& variant, const Problem& problem, const DeviceInfo& device);

/// A configuration made concrete: pure.
struct Instance {
  std::vector<std::string> defines;  ///< "-DBM=128", "-DDTYPE=bf16_t", "-DDTYPE_BF16=1", "-DTRANS_A=0", ...
  LaunchPlan plan;
};
Instance instantiate(const Family& family, const Variant& variant, const Problem& problem,
                     const Configuration& configuration, const DeviceInfo& device);

/// What every expression of a variant may use: the problem's names, device.*, parameters and derived values.
Environment configured_environment(const Variant& variant, const Problem& problem, const Configuration& configuration,
                                   const DeviceInfo& device);

/// The variant's [predicted] for a configuration: counter and value.
std::vector<std::pair<std::string, std::int64_t>> predicted_counts(const Variant& variant, const Problem& problem,
                                                                   const Configuration& configuration,
                                                                   const DeviceInfo& device);

/// The reference and everything else of a ProblemPlan. `defines` as above, plus -DACC=double or float.
struct ReferenceInstance {
  std::vector<std::string> defines;
  ProblemPlan plan;
  /// None, or the launch that writes FLOPs and least bytes of these inputs (double[2]) into a workspace `cost`.
  std::optional<Launch> count_cost = {};
};
ReferenceInstance instantiate_reference(const Family& family, const Problem& problem, const DeviceInfo& device);

}  // namespace kerlab::spec
