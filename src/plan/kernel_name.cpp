#include "plan/kernel_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace kerlab::plan {
namespace {

std::string without_blanks(std::string_view text) {
  std::string result(text);
  std::erase(result, ' ');
  return result;
}

std::string_view without_template_arguments(std::string_view name) {
  return name.substr(0, name.find('<'));
}

/// Where the parameters begin: the first parenthesis outside of template arguments. "(anonymous namespace)" and casts
/// within arguments are none.
std::size_t parameters_at(std::string_view text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] != '(' || depth > 0) continue;
    if (!text.substr(i).starts_with(kAnonymous)) return i;
    i += kAnonymous.size() - 1;
  }
  return text.size();
}

template <typename Same>
std::optional<std::size_t> only(const std::vector<std::string>& names, Same same) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!same(names[i])) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

}  // namespace

std::string spoken_name(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  if (status != 0 || text == nullptr) return name;
  std::string_view spoken = text.get();
  spoken = spoken.substr(0, parameters_at(spoken));
  if (spoken.starts_with("void ")) spoken.remove_prefix(5);  // the result of an instance of a template is part of it
  return without_blanks(spoken);
}

std::optional<std::size_t> find_kernel(std::string_view wanted, const std::vector<std::string>& names) {
  if (const auto exact = std::ranges::find(names, wanted); exact != names.end())
    return static_cast<std::size_t>(exact - names.begin());
  const std::string spoken = without_blanks(wanted);
  if (const auto same = only(names, [&](const std::string& name) { return spoken_name(name) == spoken; })) return same;
  const std::string_view base = without_template_arguments(spoken);
  return only(names, [&](const std::string& name) { return without_template_arguments(spoken_name(name)) == base; });
}

const KernelResources* find_resources(const std::vector<KernelResources>& resources, std::string_view wanted) {
  for (const KernelResources& one : resources)  // what nearly all of them are, and nothing is copied
    if (one.kernel == wanted) return &one;
  std::vector<std::string> names;
  for (const KernelResources& one : resources) names.push_back(one.kernel);
  const auto found = find_kernel(wanted, names);
  return found ? &resources[*found] : nullptr;
}

}  // namespace kerlab::plan
