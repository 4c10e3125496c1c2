#include "session/adopt/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "session/adopt/cuda_types.h"
#include "session/adopt/guessed_launch.h"
#include "session/adopt/kernel_body.h"
#include "session/adopt/knobs.h"
#include "session/adopt/passed_number.h"
#include "spec/toml/spec_table.h"

namespace kerlab::session {
namespace {

/// With names that a spec may use.
CudaKernel renamed(CudaKernel kernel) {
  for (CudaArgument& argument : kernel.arguments) argument.name = name_in_spec(argument.name);
  return kernel;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " * "));
}

class DraftMaker {
 public:
  DraftMaker(const CudaFile& file, const CudaKernel& kernel)
      : file_(file), kernel_(renamed(kernel)), host_(host_values(file, kernel.plain())) {}

  Draft make(const CudaKernel* reference) {
    site_ = launch_site(file_, host_, kernel_.plain());
    const Knobs knobs = knobs_of(file_, kernel_, host_, site_);
    draft_.parameters = knobs.parameters;
    draft_.dtype = knobs.dtype;
    type_ = knobs.type;
    instance_ = knobs.instance;
    add_arguments();
    fold_dimensions();
    add_grid_dimensions();
    add_sizes();
    for (const DraftParameter& parameter : draft_.parameters)
      defaults_[parameter.name] = std::to_string(parameter.value);
    for (const DraftParameter& one : draft_.parameters)  // names that only a tuner defines
      if (one.define && std::ranges::none_of(file_.numbers, [&](const auto& n) { return n.name == one.name; }))
        draft_.reference_defines.emplace_back(one.name, std::to_string(one.value));
    draft_.launch = launch_of(kernel_, site_, false);
    draft_.own_reference = reference == nullptr;
    draft_.reference = reference == nullptr ? launch_of(kernel_, site_, true) : reference_launch(renamed(*reference));
    return std::move(draft_);
  }

 private:
  [[noreturn]] static void fail(const SourceLocation& where, const std::string& what) { throw SpecError(where, what); }

  void add_arguments() {
    const DraftTensor* first_float = nullptr;
    for (const CudaArgument& argument : kernel_.arguments) {
      if (argument.pointers == 0) {
        add_value(argument);
      } else {
        add_tensor(argument);
      }
    }
    for (const DraftTensor& tensor : draft_.tensors)
      if (first_float == nullptr && tensor.own && info(*tensor.own).is_float) first_float = &tensor;
    if (type_.empty() && first_float != nullptr) draft_.dtype = *first_float->own;
    for (DraftTensor& tensor : draft_.tensors)
      if (tensor.own == draft_.dtype) tensor.own.reset();
    const auto is_output = [](const DraftTensor& t) { return t.role.text != "input"; };
    if (std::ranges::none_of(draft_.tensors, is_output))  // its text does not say: by a function, by macros
      for (DraftTensor& tensor : draft_.tensors)
        if (!is_constant(tensor.name)) tensor.role = {"inout", "not const: nobody knows what is done with it"};
    if (std::ranges::none_of(draft_.tensors, is_output))
      fail(kernel_.where, fmt::format("'{}' writes nothing that kerlab can see: none of its parameters is a pointer to "
                                      "what is not const",
                                      kernel_.name));
    if (!draft_.dimensions.empty()) return;
    for (const char* name : {"N", "SIZE", "ELEMENTS"})
      if (std::ranges::none_of(draft_.parameters, [&](const DraftParameter& p) { return p.name == name; })) {
        draft_.dimensions.push_back({name, {"1048576", "the kernel takes no size: what it stands for is a guess"}});
        return;
      }
  }

  void add_value(const CudaArgument& argument) {
    const ValueKind kind = argument.type == type_ ? ValueKind::none : value_kind(argument.type);
    if (kind == ValueKind::none)
      fail(argument.where, fmt::format("parameter '{}' of type '{}': kerlab passes int, long long, float, double and "
                                       "pointers; give the kernel one of these",
                                       argument.name, argument.type));
    if (kind == ValueKind::fp32 || kind == ValueKind::fp64) {
      const CudaTokens* given = passed_for(argument.name);
      draft_.scalars.push_back(
          {argument.name, kind == ValueKind::fp64, given == nullptr ? std::nullopt : passed_number(*given, host_)});
      return;
    }
    if (auto knob = passed_knob(kernel_, host_, site_, argument.name))
      draft_.parameters.push_back(std::move(*knob));
    else
      draft_.dimensions.push_back({argument.name, {"", ""}});
  }

  /// What the host makes of other sizes before it passes it, `(n + tile - 1) / tile`, is no dimension.
  void fold_dimensions() {
    for (std::size_t i = 0; i < draft_.dimensions.size();) {
      const std::string name = draft_.dimensions[i].name;
      const CudaTokens* given = passed_for(name);
      folded_.insert(name);
      const auto text =
          given == nullptr ? std::nullopt : SpecWords(host_, known_names(kernel_, site_)).expression(*given);
      const auto uses = [&](const auto& one) {
        return one.name != name && spec::Expression::parse(*text, {}).uses(one.name);
      };
      const bool is_name = text && text->find_first_of(" (") == std::string::npos;
      if (text && !is_name && std::ranges::any_of(draft_.dimensions, uses)) {
        draft_.dimensions.erase(draft_.dimensions.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        folded_.erase(name);
        ++i;
      }
    }
  }

  void add_tensor(const CudaArgument& argument) {
    const std::string named = file_.named_type(argument.type);
    const std::string type = without_lanes(named);
    const auto dtype = type == type_ ? std::optional<DType>() : element_of(type);
    if (argument.pointers > 1)
      fail(argument.where,
           fmt::format("parameter '{}' is a pointer to pointers: kerlab passes tensors", argument.name));
    if (type != type_ && !dtype)
      fail(argument.where, fmt::format("parameter '{}' points to '{}', which is no element type that kerlab knows: "
                                       "{}",
                                       argument.name, argument.type, known_elements()));
    DraftTensor tensor{argument.name, {"input", ""}, dtype, type, {"", ""}, lanes_of(named)};
    const TensorUse use = argument.constant ? TensorUse{true, false} : tensor_use(file_, kernel_, argument.name);
    if (use.written && use.read)
      tensor.role = {"inout", "not const, and may be read: output, if all of it is written first"};
    else if (use.written)
      tensor.role = {"output", "not const: inout, if what it held before is read"};
    else if (!use.read)
      tensor.role.note = "the kernel does nothing with it";
    draft_.tensors.push_back(std::move(tensor));
  }

  [[nodiscard]] bool is_constant(const std::string& tensor) const {
    return std::ranges::find(kernel_.arguments, tensor, &CudaArgument::name)->constant;
  }

  /// What the host asks its tensors for and gives the grid alone: `const int heads = q.size(1); dim3 grid(heads)`.
  void add_grid_dimensions() {
    if (!site_) return;
    const SpecWords words(host_, known_names(kernel_, site_));
    for (const CudaTokens& extent : site_->grid) {
      if (extent.size() != 1 || extent[0].kind != CudaToken::Kind::word || words.expression(extent)) continue;
      const auto value = host_.values.find(extent[0].text);
      const auto asks = [](const CudaToken& token) { return token.is("size") || token.is("shape"); };
      const std::string name = name_in_spec(extent[0].text);
      const auto same = [&](const DraftDimension& one) { return one.name == name; };
      if (value == host_.values.end() || std::ranges::none_of(value->second, asks) ||
          std::ranges::any_of(draft_.dimensions, same))
        continue;
      draft_.dimensions.push_back({name, {"4", "a guess: the grid has it, and the kernel is not told"}});
    }
  }

  /// The names that a spec has, also as the host calls them where it passes them.
  [[nodiscard]] std::map<std::string, std::string> known_names(const CudaKernel& kernel,
                                                               const std::optional<LaunchSite>& site) const {
    std::map<std::string, std::string> known;
    for (const DraftParameter& parameter : draft_.parameters) known[parameter.name] = parameter.name;
    for (const DraftDimension& dimension : draft_.dimensions)
      if (!folded_.contains(dimension.name)) known[dimension.name] = dimension.name;
    for (const DraftTensor& tensor : draft_.tensors) known.erase(tensor.name);
    if (!site || site->arguments.size() != kernel.arguments.size()) return known;
    for (std::size_t i = 0; i < site->arguments.size(); ++i) {
      const std::string own = counterpart(kernel, i);
      if (known.contains(own) && site->arguments[i].size() == 1) known[site->arguments[i][0].text] = own;
    }
    return known;
  }

  /// What the adopted kernel calls argument `at` of a kernel: the same name, or else the same place.
  [[nodiscard]] std::string counterpart(const CudaKernel& kernel, std::size_t at) const {
    const CudaArgument& argument = kernel.arguments[at];
    const auto same = [&](const CudaArgument& one) { return one.name == argument.name; };
    if (std::ranges::any_of(kernel_.arguments, same)) return argument.name;
    const bool fits = at < kernel_.arguments.size() && kernel_.arguments[at].pointers == argument.pointers;
    return fits && kernel_.arguments.size() == kernel.arguments.size() ? kernel_.arguments[at].name : "";
  }

  [[nodiscard]] const CudaTokens* passed_for(const std::string& name) const {
    return passed_argument(kernel_, site_, name);
  }

  void add_sizes() {
    const SpecWords constant(host_, {});
    for (DraftDimension& dimension : draft_.dimensions) {
      if (!dimension.value.text.empty()) continue;
      const std::size_t many = draft_.dimensions.size();
      dimension.value = {many == 1 ? "1048576" : many == 2 ? "1024" : "256", "a guess"};
      const CudaTokens* given = passed_for(dimension.name);
      const auto number = given == nullptr ? std::nullopt : number_of(constant, *given);
      if (number && *number > 0) dimension.value = {std::to_string(*number), ""};
    }
    std::map<std::string, std::string> known = known_names(kernel_, site_);
    for (const std::string& name : folded_)
      known[name] = *SpecWords(host_, known_names(kernel_, site_)).expression(*passed_for(name));
    for (DraftTensor& tensor : draft_.tensors) tensor.elements = elements_of(tensor, known);
    fix_sizes(known);
  }

  /// A parameter that decides how large a tensor is would make each value another problem: it has one.
  void fix_sizes(std::map<std::string, std::string> known) {
    bool fixed = false;
    for (DraftParameter& parameter : draft_.parameters)
      for (const DraftTensor& tensor : draft_.tensors) {
        const CudaTokens words = cuda_tokens(file_.path, tensor.elements.text);
        if (std::ranges::none_of(words, [&](const CudaToken& t) { return t.is(parameter.name); })) continue;
        parameter.values = {parameter.value};
        parameter.note = "buffers are sized by it, so that it is no knob";
        known[parameter.name] = std::to_string(parameter.value);
        fixed = true;
      }
    for (DraftTensor& tensor : draft_.tensors)
      if (fixed) tensor.elements = elements_of(tensor, known);
  }

  [[nodiscard]] Guess elements_of(const DraftTensor& tensor, const std::map<std::string, std::string>& known) const {
    const SpecWords words(host_, known);
    for (const auto& [name, size] : kernel_.pragma.buffers)
      if (name == tensor.name)
        if (const auto text = words.expression(size)) return {*text, ""};
    if (const CudaTokens* given = passed_for(tensor.name); given != nullptr && !given->empty())
      if (const auto bytes = host_.bytes.find(given->back().text); bytes != host_.bytes.end())
        if (const auto text = words.elements(bytes->second)) return {*text, ""};
    const std::string each = tensor.lanes == 1 ? "" : std::to_string(tensor.lanes) + " * ";
    std::set<std::string> parameters;
    for (const DraftParameter& parameter : draft_.parameters) parameters.insert(parameter.name);
    if (const auto reached = IndexBounds(file_, kernel_, known, parameters, index_counts()).elements(tensor.name))
      return {each + *reached, ""};
    std::vector<std::string> names;
    for (const DraftDimension& dimension : draft_.dimensions) names.push_back(dimension.name);
    if (names.size() == 3 && draft_.tensors.size() == 3) {  // as products of matrices are written: M, N, K
      const auto at = static_cast<std::size_t>(&tensor - draft_.tensors.data());
      const std::vector<std::string> pairs[] = {{names[0], names[2]}, {names[2], names[1]}, {names[0], names[1]}};
      return {each + joined(pairs[at]), "a guess: how many elements it has"};
    }
    if (names.size() > 2) names.resize(2);
    return {each + joined(names), names.size() == 1 ? "" : "a guess: how many elements it has"};
  }

  /// How many blocks and threads there are, where that is one dimension or parameter: "blockIdx.x": "heads".
  [[nodiscard]] std::map<std::string, std::string> index_counts() const {
    std::map<std::string, std::string> counts;
    if (!site_) return counts;
    const auto known = known_names(kernel_, site_);
    const SpecWords words(host_, known);
    const auto add = [&](const std::string& index, const std::vector<CudaTokens>& extents) {
      for (std::size_t axis = 0; axis < std::min<std::size_t>(extents.size(), 3); ++axis)
        if (const auto text = words.expression(extents[axis]); text && spec::is_identifier(*text))
          counts[index + "xyz"[axis]] = *text;
    };
    add("blockIdx.", site_->grid);
    add("threadIdx.", site_->block);
    return counts;
  }

  /// What a launch passes for a number: its own name, what the host makes of others, a reference's default.
  [[nodiscard]] std::string passed_number_of(const std::string& own, const SpecWords& words, bool reference) const {
    if (folded_.contains(own)) return words.expression(*passed_for(own)).value_or(own);
    const auto value = defaults_.find(own);
    return reference && value != defaults_.end() ? value->second : own;
  }

  [[nodiscard]] std::vector<std::string> passed(const CudaKernel& kernel, const SpecWords& words,
                                                bool reference) const {
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      const CudaArgument& argument = kernel.arguments[i];
      const std::string own = counterpart(kernel, i);
      if (own.empty())
        fail(argument.where, fmt::format("'{}' has no parameter '{}': a reference takes what the kernel takes",
                                         kernel_.name, argument.name));
      const auto tensor = std::ranges::find(draft_.tensors, own, &DraftTensor::name);
      if (tensor != draft_.tensors.end() && reference && tensor->role.text != "input")
        arguments.push_back("given_" + own);
      else
        arguments.push_back((argument.pointers == 0 && value_kind(argument.type) == ValueKind::int64 ? "i64: " : "") +
                            passed_number_of(own, words, reference));
    }
    return arguments;
  }

  [[nodiscard]] static std::string kernel_text(const CudaKernel& kernel, const std::vector<std::string>& instance) {
    return instance.empty() ? kernel.name : fmt::format("{}<{}>", kernel.name, fmt::join(instance, ", "));
  }

  [[nodiscard]] DraftLaunch launch_of(const CudaKernel& kernel, const std::optional<LaunchSite>& site,
                                      bool reference) const {
    std::map<std::string, std::string> known = known_names(kernel, site);
    std::vector<std::string> instance = &kernel == &kernel_ ? instance_ : std::vector<std::string>();
    if (reference) {
      for (const auto& [name, value] : defaults_) known[name] = value;
      for (std::string& one : instance)
        if (one != "{DTYPE}") one = defaults_.at(one.substr(1, one.size() - 2));
    }
    DraftLaunch launch;
    launch.kernel = kernel_text(kernel, instance);
    const SpecWords words(host_, known);
    launch.arguments = passed(kernel, words, reference);
    const auto all = [&](const std::vector<CudaTokens>& from) {
      std::vector<std::string> texts;
      for (const CudaTokens& one : from) {
        const auto text = words.expression(one);
        if (!text) return std::vector<std::string>();
        texts.push_back(*text);
      }
      return texts;
    };
    if (!kernel.pragma.block.empty()) {
      launch.block = all(kernel.pragma.block);
      const std::vector<std::string> sizes = all(kernel.pragma.problem);
      for (std::size_t i = 0; i < sizes.size() && i < launch.block.size(); ++i)
        launch.grid.push_back(fmt::format("ceil_div({}, {})", sizes[i], launch.block[i]));
    } else if (site) {
      launch.grid = all(site->grid);
      launch.block = all(site->block);
      if (!reference) tie_block(launch);
      if (const auto shared = words.expression(site->shared); shared && *shared != "0") launch.shared = *shared;
    }
    if (launch.grid.empty() || launch.block.empty()) {
      const std::vector<std::string> grid = launch.grid, block = launch.block;
      guess_extents(launch, kernel, words);
      if (!grid.empty()) std::tie(launch.grid, launch.note) = std::pair(grid, std::string());
      if (!block.empty()) std::tie(launch.block, launch.block_note) = std::pair(block, std::string());
    }
    return launch;
  }

  /// softmax<float, 256><<<rows, 256>>>: the block is what the template is told.
  void tie_block(DraftLaunch& launch) const {
    for (std::string& extent : launch.block) {
      std::vector<std::string> same;
      for (const DraftParameter& parameter : draft_.parameters)
        if (!parameter.define && extent == std::to_string(parameter.value)) same.push_back(parameter.name);
      if (same.size() != 1) continue;
      launch.block_note =
          fmt::format("the host says {}, as for this parameter: a guess that they belong together", extent);
      extent = same.front();
    }
  }

  void guess_extents(DraftLaunch& launch, const CudaKernel& kernel, const SpecWords& words) const {
    const auto output =
        std::ranges::find_if(draft_.tensors, [](const DraftTensor& t) { return t.role.text != "input"; });
    LaunchHints hints{{}, {}, output->elements.text, words.expression(kernel.bounds).value_or("")};
    if (launch.block.size() == 1) hints.threads = launch.block.front();
    for (const DraftDimension& dimension : draft_.dimensions) hints.dimensions.push_back(dimension.name);
    for (const DraftParameter& one : draft_.parameters)
      hints.parameters[one.name] = words.expression(cuda_tokens(file_.path, one.name)).value_or(one.name);
    guess_launch(launch, file_, kernel, hints);
  }

  [[nodiscard]] DraftLaunch reference_launch(const CudaKernel& reference) const {
    if (!reference.templates.empty())
      fail(reference.where, fmt::format("'{}' is a template: give a reference that is none", reference.name));
    return launch_of(reference, launch_site(file_, host_, reference.plain()), true);
  }

  const CudaFile& file_;
  CudaKernel kernel_;
  HostValues host_;
  std::optional<LaunchSite> site_;
  std::string type_;                   ///< the template's type
  std::vector<std::string> instance_;  ///< of the kernel's template
  std::map<std::string, std::string> defaults_;
  std::set<std::string> folded_;  ///< numbers that the host makes of dimensions
  Draft draft_;
};

}  // namespace

Draft make_draft(const CudaFile& file, const CudaKernel& kernel, const CudaKernel* reference) {
  return DraftMaker(file, kernel).make(reference);
}

}  // namespace kerlab::session
