#include "spec/plan_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/cpp_string.h"
#include "spec/plan_names.h"

namespace kerlab::spec {

namespace {

constexpr const char* kRuntime = "kerlab_dispatch_2::";

/// CUtensorMapDataType of cuda.h.
int driver_type(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return 8;
    case DType::fp32:
      return 7;
    case DType::tf32:
      return 11;
    case DType::bf16:
      return 9;
    case DType::fp16:
      return 6;
    case DType::int64:
      return 5;
    case DType::int32:
      return 3;
    case DType::uint32:
      return 2;
    case DType::uint64:
      return 4;
    case DType::int16:
    case DType::uint16:
      return 1;
    default:
      return 0;  // bytes
  }
}

template <typename Named>
std::size_t index_of(const std::vector<Named>& list, const std::string& name) {
  return static_cast<std::size_t>(
      std::find_if(list.begin(), list.end(), [&](const Named& item) { return item.name == name; }) - list.begin());
}

class PlanWriter {
 public:
  PlanWriter(const Family& family, const Variant& variant, const Problem& problem, const Configuration& configuration,
             const DeviceInfo& device)
      : family_(family),
        variant_(variant),
        problem_(problem),
        compiled_(configured_environment(variant, problem, configuration, device)),
        names_(family, compiled_) {}

  PlanCode write(const std::set<std::string>& compiled) {
    dimensions();
    derived(family_.derived, compiled);
    constraints(family_.constraints);
    derived(variant_.derived, compiled);
    constraints(variant_.constraints);
    pitches();
    line("if (!e.ok()) return;");
    for (const WorkspaceDecl& workspace : variant_.workspaces)
      line("e.workspace({}, {}, {}Initial::{});", cpp_string(workspace.name), text(workspace.bytes), kRuntime,
           std::array{"none", "zero", "poison", "zero_once"}[static_cast<std::size_t>(workspace.init)]);
    for (const SymbolDecl& symbol : variant_.symbols) {
      const std::size_t tensor = index_of(family_.tensors, symbol.tensor);
      line("e.symbol({}, {}, {});", cpp_string(symbol.name), tensor, bytes_of(family_.tensors[tensor]));
    }
    launches(variant_.prepare, true);
    launches(variant_.launches, false);
    return {names_.scalar_declarations(family_) + body_, names_.facts()};
  }

 private:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    body_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') +
             fmt::format(format, std::forward<Values>(values)...) + "\n";
  }

  std::string text(const Expression& expression) { return names_.text(expression); }
  std::optional<std::int64_t> constant(const Expression& expression) { return names_.constant(expression); }

  void dimensions() {
    for (std::size_t i = 0; i < family_.dimensions.size(); ++i) {
      const Dimension& dimension = family_.dimensions[i];
      line("const std::int64_t v_{} = request.dimensions[{}];", dimension.name, i);
      line("e.within(v_{0}, {1}, {2}, \"{0} is outside {1}..{2}\");", dimension.name, dimension.minimum,
           dimension.maximum);
    }
  }

  /// A value that the problem may change is computed; one that went into the cubin must be what it was.
  void derived(const std::vector<Derived>& values, const std::set<std::string>& compiled) {
    for (const Derived& value : values) {
      if (const auto fixed = constant(value.value)) {
        names_.fix(value.name, *fixed);
        continue;
      }
      const std::string variable = "v_" + value.name;
      line("[[maybe_unused]] const std::int64_t {} = {};", variable, text(value.value));
      names_.vary(value.name, variable);
      if (!compiled.contains(value.name)) continue;
      const std::int64_t was = compiled_.at(value.name);
      line("e.hold({} == {}, {});", variable, cpp_literal(was),
           cpp_string(fmt::format("{} = {} was compiled in, and is something else here", value.name, was)));
    }
  }

  void constraints(const std::vector<Constraint>& constraints) {
    for (const Constraint& constraint : constraints) {
      const auto fixed = constant(constraint.condition);
      if (fixed && *fixed != 0) continue;
      line("e.hold({} != 0, {});", text(constraint.condition),
           cpp_string(fmt::format("constraint '{}': {}", constraint.name, constraint.condition.text())));
    }
  }

  /// Rows follow without gaps: whoever calls has no way to say otherwise.
  void pitches() {
    for (const std::string& name : variant_.pitch) {
      const Expression& width = family_.tensors[index_of(family_.tensors, name)].shape.back();
      if (const auto fixed = constant(width)) {
        names_.fix("pitch." + name, *fixed);
        continue;
      }
      line("[[maybe_unused]] const std::int64_t pitch_{} = {};", name, text(width));
      names_.vary("pitch." + name, "pitch_" + name);
    }
  }

  void launches(const std::vector<LaunchDecl>& all, bool prepares) {
    for (std::size_t first = 0; first < all.size();) {
      std::size_t last = first + 1;
      while (!all[first].group.empty() && last < all.size() && all[last].group == all[first].group) ++last;
      const bool repeats = !all[first].repeat.empty();
      if (repeats) {
        line(
            "for (std::int64_t i = 0, n = e.within({}, 0, 65536, \"repeat is outside 0..65536\"); e.ok() && i < n; "
            "++i) {{",
            text(all[first].repeat));
        ++depth_;
        names_.vary("i", "i");
      }
      for (std::size_t index = first; index < last; ++index) launch(all[index], prepares);
      if (repeats) {
        names_.fix("i", 0);
        --depth_;
        line("}}");
      }
      first = last;
    }
  }

  std::string extents(const std::vector<Expression>& list) {
    std::string joined;
    for (std::size_t axis = 0; axis < 3; ++axis)
      joined += fmt::format("{}{}", axis > 0 ? ", " : "", axis < list.size() ? text(list[axis]) : "1");
    return joined;
  }

  void launch(const LaunchDecl& declared, bool prepares) {
    const std::string when = declared.when.empty() ? "" : fmt::format("{} != 0 && ", text(declared.when));
    line("if ({}e.launch({}, {})) {{", when, cpp_string(declared.kernel), extents(declared.grid));
    ++depth_;
    line("e.block({});", extents(declared.block));
    if (!declared.cluster.empty()) line("e.cluster({});", extents(declared.cluster));
    if (prepares) line("e.prepares();");
    if (declared.cooperative) line("e.cooperative();");
    if (!declared.programmatic.empty()) overlap(declared.programmatic);
    if (!declared.carveout.empty()) line("e.carveout({});", text(declared.carveout));
    if (!declared.shared.empty()) line("e.shared({});", text(declared.shared));
    for (const ArgumentDecl& written : declared.arguments) argument(written);
    --depth_;
    line("}}");
  }

  void overlap(const Expression& condition) {
    const auto fixed = constant(condition);
    if (fixed && *fixed == 0) return;
    if (fixed) return line("e.programmatic();");
    line("if ({} != 0) e.programmatic();", text(condition));
  }

  void argument(const ArgumentDecl& written) {
    const auto when = written.when.empty() ? std::optional<std::int64_t>(1) : constant(written.when);
    if (when && *when == 0) return;
    if (!when) {
      line("if ({} != 0) {{", text(written.when));
      ++depth_;
    }
    const bool alternates = written.choices.size() > 1 && names_.varies("i");
    for (std::size_t which = 0; which < (alternates ? written.choices.size() : 1); ++which) {
      if (alternates) {
        line("if (i % {} == {}) {{", written.choices.size(), which);
        ++depth_;
      }
      choice(written.choices[which]);
      if (alternates) {
        --depth_;
        line("}}");
      }
    }
    if (when) return;
    --depth_;
    line("}}");
  }

  void choice(const ArgumentChoice& choice) {
    switch (choice.kind) {
      case ArgumentChoice::Kind::int32:
        return line("e.int32({});", text(choice.expression));
      case ArgumentChoice::Kind::int64:
        return line("e.int64({});", text(choice.expression));
      case ArgumentChoice::Kind::scalar: {
        const std::size_t index = index_of(family_.scalars, choice.name);
        return line("e.{}(request.scalars[{}]);", family_.scalars[index].dtype == DType::fp64 ? "fp64" : "fp32", index);
      }
      case ArgumentChoice::Kind::tensor:
        return pointer("tensor", index_of(family_.tensors, choice.name), choice);
      case ArgumentChoice::Kind::workspace:
        return pointer("buffer", index_of(variant_.workspaces, choice.name), choice);
      case ArgumentChoice::Kind::tensor_map:
        return tensor_map(variant_.tensor_maps[index_of(variant_.tensor_maps, choice.name)]);
      case ArgumentChoice::Kind::reference_slot:
        break;  // of references only
    }
  }

  std::string bytes_of(const TensorDecl& tensor) {
    const DTypeInfo& type = info(tensor.dtype.of(problem_));
    std::string bytes = cpp_literal(type.bytes);
    for (const Expression& extent : tensor.shape) bytes = fmt::format("e.multiply({}, {})", bytes, text(extent));
    return type.per_byte > 1 ? fmt::format("{} / {}", bytes, type.per_byte) : bytes;
  }

  void pointer(const char* what, std::size_t index, const ArgumentChoice& choice) {
    if (choice.expression.empty()) return line("e.{}({});", what, index);
    std::string bytes = fmt::format("e.plan.workspaces[{}].bytes", index);
    if (choice.kind == ArgumentChoice::Kind::tensor) bytes = bytes_of(family_.tensors[index]);
    line("e.{}({}, {}, {});", what, index, text(choice.expression), bytes);
  }

  std::string listed(const char* member, const std::vector<Expression>& expressions) {
    std::string joined;
    for (const Expression& expression : expressions)
      joined += fmt::format("{}e.{}({})", joined.empty() ? "" : ", ", member, text(expression));
    return "{" + joined + "}";
  }

  void tensor_map(const TensorMapDecl& map) {
    const std::size_t tensor = index_of(family_.tensors, map.tensor);
    const bool of_workspace = tensor == family_.tensors.size();
    const DType dtype = map.dtype.of(problem_);
    line("{{");
    ++depth_;
    line("{}TensorMap map;", kRuntime);
    line("map.of_workspace = {};", of_workspace);
    line("map.buffer = {};", of_workspace ? index_of(variant_.workspaces, map.tensor) : tensor);
    line("map.type = {};", driver_type(dtype));
    line("map.element_bytes = {};", info(dtype).bytes);
    line("map.dims = {};", listed("map_extent", map.dims));
    line("map.strides = {};", listed("map_stride", map.strides));
    line("map.box = {};", listed("map_box", map.box));
    if (!map.swizzle.empty())
      line("map.swizzle = e.enumerator({}, 32, \"a swizzle is none of 0, 32, 64, 128\");", text(map.swizzle));
    if (!map.promotion.empty())
      line("map.promotion = e.enumerator({}, 64, \"a promotion is none of 0, 64, 128, 256\");", text(map.promotion));
    line("map.nan_fill = {};", map.nan_fill);
    line("e.map(map);");
    --depth_;
    line("}}");
  }

  const Family& family_;
  const Variant& variant_;
  const Problem& problem_;
  Environment compiled_;  ///< every value as it went into the cubin
  PlanNames names_;
  std::string body_;
  int depth_ = 1;
};

}  // namespace

PlanCode plan_code(const Family& family, const Variant& variant, const Problem& problem,
                   const Configuration& configuration, const DeviceInfo& device,
                   const std::set<std::string>& compiled) {
  return PlanWriter(family, variant, problem, configuration, device).write(compiled);
}

}  // namespace kerlab::spec
