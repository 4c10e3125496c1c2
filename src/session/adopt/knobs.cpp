#include "session/adopt/knobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "session/adopt/cuda_types.h"

namespace kerlab::session {
namespace {

constexpr int kDeepestValue = 8;  // variables of variables
constexpr std::int64_t kGuessedTemplateValue = 16, kGuessedThreads = 256;

/// A knob that is a power of two is often free to be another.
std::vector<std::int64_t> values_around(std::int64_t value) {
  const bool power = value >= 2 && value <= 1024 && (value & (value - 1)) == 0;
  if (!power) return {value};
  std::vector<std::int64_t> values;
  for (const std::int64_t one : {value / 2, value, value * 2})
    if (one <= 1024) values.push_back(one);
  return values;
}

/// Whether a value of the host is made of a variable.
bool is_made_of(const HostValues& host, const CudaTokens& tokens, const std::string& name, int depth = 0) {
  return std::ranges::any_of(tokens, [&](const CudaToken& token) {
    if (token.is(name)) return true;
    const auto value = host.values.find(token.text);
    return value != host.values.end() && depth < kDeepestValue && is_made_of(host, value->second, name, depth + 1);
  });
}

class KnobFinder {
 public:
  KnobFinder(const CudaFile& file, const CudaKernel& kernel, const HostValues& host,
             const std::optional<LaunchSite>& site)
      : file_(file), kernel_(kernel), host_(host), site_(site) {}

  Knobs find() {
    add_parameters();
    return std::move(knobs_);
  }

 private:
  /// Template parameters, then named numbers that the source uses, then what a pragma adds.
  void add_parameters() {
    for (std::size_t i = 0; i < kernel_.templates.size(); ++i) add_template_parameter(i);
    for (const CudaNumber& number : file_.numbers) {
      const auto uses = [&](const CudaToken& token) {
        return token.is(number.name) && (token.begin < number.begin || token.begin >= number.end);
      };
      const bool taken = std::ranges::any_of(knobs_.parameters, [&](const auto& p) { return p.name == number.name; });
      if (taken || std::ranges::none_of(file_.tokens, uses)) continue;
      knobs_.parameters.push_back({number.name, values_around(number.value), number.value, true,
                                   "the source knows one value: write those that are worth a try"});
    }
    add_tuner_names();
    for (const auto& [name, values] : kernel_.pragma.tune) {
      const auto known = std::ranges::find(knobs_.parameters, name, &DraftParameter::name);
      DraftParameter& parameter = known != knobs_.parameters.end() ? *known : knobs_.parameters.emplace_back();
      parameter.name = name;
      parameter.values = values;
      if (std::ranges::find(values, parameter.value) == values.end()) parameter.value = values.front();
      parameter.note.clear();
    }
  }

  /// Names that Kernel Tuner defines when it compiles: nobody else does.
  void add_tuner_names() {
    const auto used = [&](std::string_view name) {
      return std::any_of(file_.tokens.begin() + static_cast<std::ptrdiff_t>(kernel_.body.begin), file_.tokens.end(),
                         [&](const CudaToken& token) { return token.kind == CudaToken::Kind::word && token.is(name); });
    };
    const auto defined = [&](const std::string& name) {
      return std::ranges::any_of(file_.tokens, [&](const CudaToken& token) {
        return token.kind == CudaToken::Kind::directive && token.text.find("define " + name) != std::string::npos;
      });
    };
    const bool plane = used("block_size_y");
    for (const std::string name : {"block_size_x", "block_size_y", "block_size_z", "tile_size_x", "tile_size_y"}) {
      const bool taken = std::ranges::any_of(knobs_.parameters, [&](const auto& p) { return p.name == name; });
      const bool argument = std::ranges::any_of(kernel_.arguments, [&](const auto& a) { return a.name == name; });
      if (taken || argument || !used(name) || defined(name)) continue;
      const std::int64_t value = name == "block_size_x" ? (plane ? 32 : 256) : name == "block_size_y" ? 4 : 1;
      const bool tile = name.starts_with("tile");
      knobs_.parameters.push_back({name, tile ? std::vector<std::int64_t>{1, 2, 4} : values_around(value), value, true,
                                   "a name that Kernel Tuner gives: its values are a guess"});
    }
  }

  void add_template_parameter(std::size_t at) {
    const CudaTemplateParameter& one = kernel_.templates[at];
    const bool given = site_ && at < site_->instance.size();
    const CudaTokens& value = given ? site_->instance[at] : one.value;
    if (one.type == "typename") {
      if (!knobs_.type.empty())
        throw SpecError(kernel_.where, "a second type in the template of this kernel: kerlab has one {DTYPE}");
      knobs_.type = one.name;
      if (value.size() == 1)
        if (const auto dtype = element_of(value[0].text)) knobs_.dtype = *dtype;
      knobs_.instance.emplace_back("{DTYPE}");
      return;
    }
    if (value_kind(one.type) == ValueKind::none && one.type != "bool")
      throw SpecError(
          kernel_.where,
          fmt::format("template parameter '{}' of type '{}': kerlab gives types and integers", one.name, one.type));
    knobs_.instance.push_back("{" + one.name + "}");
    std::map<std::string, std::string> numbers;
    for (const CudaNumber& number : file_.numbers) numbers[number.name] = std::to_string(number.value);
    const SpecWords words(host_, numbers);
    DraftParameter parameter{one.name, {}, kGuessedTemplateValue, false, ""};
    if (value.size() == 1 && (value[0].is("true") || value[0].is("false")))
      parameter.value = value[0].is("true") ? 1 : 0;
    else if (const auto number = number_of(words, value))
      parameter.value = *number;
    else {
      parameter.note = "a guess: nobody says a value of this template parameter";
      if (kernel_.bounds.size() == 1 && kernel_.bounds[0].is(one.name)) parameter.value = kGuessedThreads;
    }
    parameter.values = one.type == "bool" ? std::vector<std::int64_t>{0, 1} : values_around(parameter.value);
    if (parameter.note.empty() && one.type != "bool")
      parameter.note = "the source knows one value: write those that are worth a try";
    knobs_.parameters.push_back(std::move(parameter));
  }

  const CudaFile& file_;
  const CudaKernel& kernel_;
  const HostValues& host_;
  const std::optional<LaunchSite>& site_;
  Knobs knobs_;
};

}  // namespace

Knobs knobs_of(const CudaFile& file, const CudaKernel& kernel, const HostValues& host,
               const std::optional<LaunchSite>& site) {
  return KnobFinder(file, kernel, host, site).find();
}

std::optional<DraftParameter> passed_knob(const CudaKernel& kernel, const HostValues& host,
                                          const std::optional<LaunchSite>& site, const std::string& argument) {
  const CudaTokens* given = passed_argument(kernel, site, argument);
  if (given == nullptr || given->size() != 1 || !host.values.contains(given->front().text)) return std::nullopt;
  const SpecWords words(host, {});
  const auto value = number_of(words, *given);
  const auto made_of_it = [&](const CudaTokens& one) { return is_made_of(host, one, given->front().text); };
  const bool decides = made_of_it(site->shared) || std::ranges::any_of(site->block, made_of_it);
  const auto sizes = [&](const auto& buffer) { return made_of_it(buffer.second); };
  const auto is_size = [&](const CudaArgument& one) {
    const CudaTokens* other = passed_argument(kernel, site, one.name);
    const ValueKind kind = one.pointers > 0 ? ValueKind::none : value_kind(one.type);
    return (kind == ValueKind::int32 || kind == ValueKind::int64) && other != nullptr && !number_of(words, *other);
  };
  if (!value || !decides || std::ranges::any_of(host.bytes, sizes) || std::ranges::none_of(kernel.arguments, is_size))
    return std::nullopt;
  return DraftParameter{argument, values_around(*value), *value, false,
                        "the host passes one value: write those that the kernel takes"};
}

std::optional<std::int64_t> number_of(const SpecWords& words, const CudaTokens& tokens) {
  const auto text = words.expression(tokens);
  if (!text) return std::nullopt;
  try {
    return spec::Expression::parse(*text, {}).evaluate({});
  } catch (const Error&) {  // divided by 0, too large
    return std::nullopt;
  }
}

}  // namespace kerlab::session
