#include "session/export/export.h"

#include <algorithm>

#include "base/hash.h"
#include "base/utc_time.h"
#include "spec/plan_code.h"

namespace kerlab::session {

namespace {

std::vector<std::string> texts(const std::vector<Expression>& expressions) {
  std::vector<std::string> all;
  for (const Expression& expression : expressions) all.push_back(expression.text());
  return all;
}

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool mentions(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

ExportedLaunch described(const LaunchDecl& launch) {
  std::vector<std::string> arguments;
  for (const ArgumentDecl& argument : launch.arguments) arguments.push_back(argument.text);
  return {launch.kernel,        launch.when.text(),         launch.repeat.text(),  launch.group,
          launch.shared.text(), texts(launch.grid),         texts(launch.block),   texts(launch.cluster),
          std::move(arguments), launch.programmatic.text(), launch.carveout.text()};
}

/// Launches, maps, workspaces and constraints as the spec has them.
void describe(const Family& family, const Variant& variant, const Problem& problem, ExportedKernel& kernel) {
  for (const auto* list : {&family.derived, &variant.derived})
    for (const Derived& derived : *list) kernel.derived.emplace_back(derived.name, derived.value.text());
  for (const auto* list : {&family.constraints, &variant.constraints})
    for (const Constraint& constraint : *list)
      kernel.constraints.emplace_back(constraint.name, constraint.condition.text());
  constexpr const char* kInitial[] = {"none", "zero", "poison", "zero_once"};
  for (const WorkspaceDecl& workspace : variant.workspaces)
    kernel.workspaces.push_back(
        {workspace.name, workspace.bytes.text(), kInitial[static_cast<std::size_t>(workspace.init)]});
  for (const TensorMapDecl& map : variant.tensor_maps)
    kernel.maps.push_back({map.name, map.tensor, std::string(name(map.dtype.of(problem))), map.swizzle.text(),
                           map.promotion.text(), texts(map.dims), texts(map.strides), texts(map.box), map.nan_fill});
  for (const SymbolDecl& symbol : variant.symbols) kernel.symbols.push_back({symbol.name, symbol.tensor});
  for (const LaunchDecl& launch : variant.prepare) kernel.prepare.push_back(described(launch));
  for (const LaunchDecl& launch : variant.launches) kernel.launches.push_back(described(launch));
}

/// The dispatcher asks the driver for kernels by what the launches call them. A program need not have those that its
/// configuration never launches.
void require_plain_name(const LaunchDecl& launch, const LaunchPlan& plan, const CompileResult& compiled) {
  const auto is_it = [&](const KernelResources& kernel) { return kernel.kernel == launch.kernel; };
  const auto is_mangled = [&](const KernelResources& kernel) {
    return kernel.kernel.find(launch.kernel) != std::string::npos;
  };
  if (std::ranges::any_of(compiled.kernels, is_it)) return;
  const bool launched = std::ranges::find(plan.launches, launch.kernel, &Launch::kernel) != plan.launches.end() ||
                        std::ranges::find(plan.prepare, launch.kernel, &Launch::kernel) != plan.prepare.end();
  if (!launched && std::ranges::none_of(compiled.kernels, is_mangled)) return;
  throw Error(
      fmt::format("{}: '{}' cannot be exported, since its image calls it by a mangled name: write extern \"C\" "
                  "before the kernel, or a kernel of that kind that calls it",
                  launch.where.text(), launch.kernel));
}

void require_plain_names(const Variant& variant, const LaunchPlan& plan, const CompileResult& compiled) {
  for (const SymbolDecl& symbol : variant.symbols)
    if (symbol.name.find("::") != std::string::npos)
      throw Error(
          fmt::format("{}: '{}' cannot be exported, since its image calls it by a mangled name: take it out of "
                      "its namespace",
                      symbol.where.text(), symbol.name));
  for (const auto* list : {&variant.prepare, &variant.launches})
    for (const LaunchDecl& launch : *list) require_plain_name(launch, plan, compiled);
}

class Exporter {
 public:
  Exporter(PortfolioSession& session, const PortfolioOptions& options)
      : session_(session), rig_(session.rig()), folder_(rig_.folder()) {
    library_.target = options.rig.target;
    library_.within = options.within;
    library_.largest = options.largest;
    library_.unchecked_values = options.unchecked_values;
    library_.kerlab = options.version;
  }

  ExportedLibrary run() {
    describe_library();
    const PortfolioResult& result = session_.result();
    for (std::size_t s = 0; s < result.shapes.size(); ++s) add(s, result.portfolio()->of_shape[s]);
    for (const std::string& fact : facts_) library_.facts.emplace_back(fact, device_environment_.at(fact));
    return std::move(library_);
  }

 private:
  void describe_library() {
    const Family& family = folder_.family;
    const DeviceInfo& device = rig_.device();
    library_.family = family.name;
    library_.device_class = device.device_class();
    library_.device_name = device.name;
    library_.arch = device.arch();
    library_.toolchain = rig_.toolchain();
    library_.driver = device.driver;
    library_.created = utc_now();
    library_.clock = name(session_.result().clock);
    library_.check_version = kCheckVersion;
    library_.default_dtype = name(session_.result().shapes.front().problem.dtype);
    for (const Dimension& dimension : family.dimensions) {
      library_.dimension_names.push_back(dimension.name);
      const bool fixed = dimension.quiet && dimension.default_value.names().empty();
      library_.dimension_defaults.push_back(fixed ? dimension.default_value.evaluate({}) : 0);
    }
    for (const Flag& flag : family.flags) library_.flag_names.emplace_back(flag.name, flag.default_value);
    for (const ScalarDecl& scalar : family.scalars) {
      library_.scalar_names.push_back(scalar.name);
      library_.scalar_defaults.push_back(scalar.default_value);
    }
    for (const TensorDecl& tensor : family.tensors)
      library_.tensors.push_back({tensor.name, std::string(name(tensor.role)), tensor.doc});
    add_device(device_environment_, device);
    facts_.insert("device.cc");  // a cubin runs on this one alone
  }

  void add(std::size_t s, std::size_t k) {
    const PortfolioResult& result = session_.result();
    const TunedShape& tuned = result.shapes[s];
    const PortfolioCell& cell = result.cells[s][k];
    const PortfolioKernel& chosen = result.kernels[k];
    TrialCandidate candidate = session_.candidate(chosen, tuned.problem);
    ExportedShape shape;
    shape.problem = tuned.problem.key();
    shape.title = tuned.problem.title();
    for (const auto& [name, value] : tuned.problem.dimensions) shape.dimensions.push_back(value);
    for (const auto& [name, value] : tuned.problem.scalars) shape.scalars.push_back(value);
    shape.us = cell.us;
    shape.low_us = cell.low_us;
    shape.high_us = cell.high_us;
    shape.loss = std::max(0.0, cell.ratio - 1);
    shape.best_variant = tuned.winner.variant->name;
    shape.best_configuration = configuration_text(*tuned.winner.variant, tuned.winner.configuration);
    shape.best_us = tuned.measurement.median_us;
    shape.options = candidate.trial.options;
    shape.decided = tuned.decided;
    shape.kernel = kernel(chosen, tuned.problem, candidate);
    library_.shapes.push_back(std::move(shape));
  }

  /// The exported kernel that serves this problem, made where there is none yet.
  std::size_t kernel(const PortfolioKernel& chosen, const Problem& problem, TrialCandidate& candidate) {
    ExportedKernel made;
    made.variant = chosen.variant->name;
    made.configuration = candidate.trial.configuration;
    made.accuracy = candidate.trial.accuracy;
    made.dtype = name(problem.dtype);
    for (const auto& [flag, value] : problem.flags) made.flags.push_back(value);
    const std::set<std::string> mentioned =
        mentioned_in(session_.source(*chosen.variant).source, folder_.family, *chosen.variant);
    const Environment environment =
        configured_environment(*chosen.variant, problem, chosen.configuration, rig_.device());
    for (const std::string& name : mentioned) made.compiled.emplace_back(name, environment.at(name));
    PlanCode code = plan_code(folder_.family, *chosen.variant, problem, chosen.configuration, rig_.device(), mentioned);
    facts_.insert(code.facts.begin(), code.facts.end());
    made.plan_code = std::move(code.body);
    for (std::size_t i = 0; i < library_.kernels.size(); ++i) {
      const ExportedKernel& other = library_.kernels[i];
      if (other.variant == made.variant && other.configuration == made.configuration && other.dtype == made.dtype &&
          other.flags == made.flags && other.compiled == made.compiled)
        return i;
    }
    complete(made, chosen, problem, environment, candidate);
    library_.kernels.push_back(std::move(made));
    return library_.kernels.size() - 1;
  }

  void complete(ExportedKernel& made, const PortfolioKernel& chosen, const Problem& problem,
                const Environment& environment, TrialCandidate& candidate) {
    made.source_hash = candidate.trial.source_hash;
    for (const auto& [name, value] : environment) {
      const bool varies = std::any_of(problem.dimensions.begin(), problem.dimensions.end(),
                                      [&, &name = name](const auto& dimension) { return dimension.first == name; }) ||
                          std::any_of(problem.scalars.begin(), problem.scalars.end(),
                                      [&, &name = name](const auto& s) { return name.starts_with(s.first + "."); });
      const auto is_derived = [&, &name = name](const Derived& derived) { return derived.name == name; };
      if (!varies && std::none_of(folder_.family.derived.begin(), folder_.family.derived.end(), is_derived) &&
          std::none_of(chosen.variant->derived.begin(), chosen.variant->derived.end(), is_derived))
        made.constants.emplace_back(name, value);
    }
    describe(folder_.family, *chosen.variant, problem, made);
    CompileResult compiled = rig_.compilers().compile({session_.source(*chosen.variant).source, candidate.options});
    if (compiled.status != CompileStatus::ok || compiled.cubin.empty())
      throw Error(fmt::format("{} does not compile for {}: {}", candidate.label, problem.title(),
                              compiled.message.empty() ? "no cubin" : compiled.message));
    require_plain_names(*chosen.variant, candidate.plan, compiled);
    made.image = image(std::move(compiled.cubin));
  }

  std::size_t image(Bytes cubin) {
    const std::string hash = digest(std::span<const std::byte>(cubin));
    for (std::size_t i = 0; i < library_.images.size(); ++i)
      if (library_.images[i].hash == hash) return i;
    library_.images.push_back({hash, {cubin.begin(), cubin.end()}});
    return library_.images.size() - 1;
  }

  PortfolioSession& session_;
  Rig& rig_;
  const KernelFolder& folder_;
  std::set<std::string> facts_;
  Environment device_environment_;
  ExportedLibrary library_;
};

}  // namespace

std::set<std::string> mentioned_in(const SourceBundle& source, const Family& family, const Variant& variant) {
  std::set<std::string> mentioned;
  for (const auto* list : {&family.derived, &variant.derived})
    for (const Derived& derived : *list) {
      if (!is_macro(derived)) continue;  // a name of the source's own
      const bool in_header = std::any_of(source.headers.begin(), source.headers.end(),
                                         [&](const Header& header) { return mentions(header.text, derived.name); });
      if (in_header || mentions(source.text, derived.name)) mentioned.insert(derived.name);
    }
  return mentioned;
}

ExportedLibrary export_portfolio(PortfolioSession& session, const PortfolioOptions& options) {
  return Exporter(session, options).run();
}

}  // namespace kerlab::session
