#include "session/run/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <sstream>

#include "base/error.h"
#include "base/format.h"
#include "base/split.h"

namespace kerlab::session {

namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 62;
constexpr std::size_t kMostProblems = 10000;

[[noreturn]] void bad_size(const std::string& option, const std::string& text, const char* why) {
  throw UsageError(fmt::format("--{} {}: {}; a size is a number such as 4096, 4K (4096) or 1M", option, text, why));
}

std::int64_t suffix_factor(const std::string& option, const std::string& text, std::string_view suffix) {
  if (suffix.empty()) return 1;
  if (suffix == "K" || suffix == "k") return std::int64_t{1} << 10;
  if (suffix == "M" || suffix == "m") return std::int64_t{1} << 20;
  if (suffix == "G" || suffix == "g") return std::int64_t{1} << 30;
  bad_size(option, text, "not a size");
}

/// "1K..16K:x2" or "1K..16K:+1K"; without a step, x2.
std::vector<std::int64_t> parse_range(const std::string& option, const std::string& text, std::size_t dots) {
  const std::size_t colon = text.find(':', dots);
  const std::int64_t first = parse_size(option, text.substr(0, dots));
  const std::int64_t last =
      parse_size(option, text.substr(dots + 2, colon == std::string::npos ? colon : colon - dots - 2));
  const std::string step = colon == std::string::npos ? "x2" : text.substr(colon + 1);
  if (step.size() < 2 || (step[0] != 'x' && step[0] != '+')) bad_size(option, text, "the step is xN or +N");
  const std::int64_t by = parse_size(option, step.substr(1));
  const bool multiply = step[0] == 'x';
  if (last < first || by < (multiply ? 2 : 1) || (multiply && first == 0))
    bad_size(option, text, "an empty or endless range");
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value = multiply ? value * by : value + by) {
    values.push_back(value);
    if (values.size() > kMostProblems) bad_size(option, text, "more than 10000 values");
    if (multiply && value > kLargestSize / by) break;
  }
  return values;
}

double parse_number(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    throw UsageError(fmt::format("--{} {}: not a number", option, text));
  }
  return value;
}

/// Of every family: which inputs are hot.
constexpr const char* kInputsHot = "inputs-hot";

enum class Kind { dimension, flag, scalar, inputs_hot };

Kind kind_of(const Family& family, const ProblemArgument& argument) {
  const std::string& name = argument.name;
  if (name == kInputsHot) return Kind::inputs_hot;
  std::vector<std::string> known = {kInputsHot};
  if (!argument.near_option.empty()) known.push_back(argument.near_option.substr(2));
  for (const Dimension& dimension : family.dimensions) {
    if (dimension.name == name) return Kind::dimension;
    known.push_back(dimension.name);
  }
  for (const Flag& flag : family.flags) {
    if (flag.name == name) return Kind::flag;
    known.push_back(flag.name);
  }
  for (const ScalarDecl& scalar : family.scalars) {
    if (scalar.name == name) return Kind::scalar;
    known.push_back(scalar.name);
  }
  const std::string near = nearest(name, known);
  throw UsageError(fmt::format("--{}: no such option, and {} has no dimension, flag or scalar of that name{}", name,
                               family.name, near.empty() ? "" : fmt::format("; did you mean --{}?", near)));
}

/// "X,Z"; "none" is none.
std::vector<std::string> names_of_inputs(const std::string& text) {
  return text == "none" ? std::vector<std::string>() : split(text, ',');
}

/// Sets one value of one argument.
using Setter = std::function<void(ProblemRequest&)>;

std::vector<Setter> setters(const Family& family, const ProblemArgument& argument) {
  std::vector<Setter> result;
  const std::string& name = argument.name;
  switch (kind_of(family, argument)) {
    case Kind::dimension:
      for (const std::int64_t value : parse_sizes(name, argument.value)) {
        result.push_back([name, value](ProblemRequest& request) { request.dimensions[name] = value; });
      }
      break;
    case Kind::flag:
      for (const std::string& value : split(argument.value, ',')) {
        result.push_back([name, value](ProblemRequest& request) { request.flags[name] = value; });
      }
      break;
    case Kind::scalar:
      for (const std::string& text : split(argument.value, ',')) {
        const double value = parse_number(name, text);
        result.push_back([name, value](ProblemRequest& request) { request.scalars[name] = value; });
      }
      break;
    case Kind::inputs_hot:
      result.push_back(
          [names = names_of_inputs(argument.value)](ProblemRequest& request) { request.inputs_hot = names; });
      break;
  }
  return result;
}

}  // namespace

std::int64_t parse_size(const std::string& option, const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) bad_size(option, text, "too large");
  if (error != std::errc{}) bad_size(option, text, "not a size");
  if (value < 0) bad_size(option, text, "negative");
  const std::int64_t factor = suffix_factor(option, text, {rest, static_cast<std::size_t>(end - rest)});
  if (value > kLargestSize / factor) bad_size(option, text, "too large");
  return value * factor;
}

std::vector<std::int64_t> parse_sizes(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> values;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dots = part.find("..");
    if (dots == std::string::npos) {
      values.push_back(parse_size(option, part));
    } else {
      const auto range = parse_range(option, part, dots);
      values.insert(values.end(), range.begin(), range.end());
    }
  }
  return values;
}

ProblemRequest make_request(const Family& family, const std::vector<ProblemArgument>& arguments,
                            const std::string& dtype) {
  auto requests = make_requests(family, arguments, dtype);
  if (requests.size() > 1) {
    throw UsageError("one problem at a time here; lists and ranges are for `kerlab bench`");
  }
  return std::move(requests.front());
}

std::vector<ProblemRequest> make_requests(const Family& family, const std::vector<ProblemArgument>& arguments,
                                          const std::string& dtypes) {
  std::vector<ProblemRequest> requests(1);
  const auto multiply = [&requests](const std::vector<Setter>& choices) {
    std::vector<ProblemRequest> product;
    for (const ProblemRequest& request : requests) {
      for (const Setter& set : choices) {
        product.push_back(request);
        set(product.back());
      }
    }
    requests = std::move(product);
    if (requests.size() > kMostProblems) throw UsageError("more than 10000 problems; shorten a range");
  };
  for (const ProblemArgument& argument : arguments) multiply(setters(family, argument));
  if (!dtypes.empty()) {
    std::vector<Setter> choices;
    for (const std::string& dtype : split(dtypes, ',')) {
      choices.push_back([dtype](ProblemRequest& request) { request.dtype = dtype; });
    }
    multiply(choices);
  }
  return requests;
}

std::string problem_options(const std::string& key) {
  std::istringstream words(key);
  std::string word, text;
  words >> word;  // the family
  while (words >> word) {
    const std::size_t equals = word.find('=');
    text += equals == std::string::npos ? " --dtype " + word
                                        : fmt::format(" --{} {}", word.substr(0, equals), word.substr(equals + 1));
  }
  return text;
}

ProblemRequest request_of_key(const Family& family, const std::string& key) {
  std::istringstream words(key);
  std::string word, dtype;
  words >> word;  // the family
  std::vector<ProblemArgument> arguments = {
      {kInputsHot, "none"}};  // where a key says nothing, whatever the family does
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      dtype = word;
    else
      arguments.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return make_request(family, arguments, dtype);
}

}  // namespace kerlab::session
