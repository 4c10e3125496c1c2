#include "session/find/problem_words.h"

#include <algorithm>

namespace kerlab::session {

void take_problem_words(SubjectName& name, std::vector<ProblemArgument>& arguments, const Family& family) {
  const auto is_known = [&](const std::string& word) {
    const auto called = [&](const auto& one) { return one.name == word; };
    return std::ranges::any_of(family.dimensions, called) || std::ranges::any_of(family.flags, called) ||
           std::ranges::any_of(family.scalars, called);
  };
  std::string left;
  for (std::size_t at = 0; at < name.configuration.size();) {
    const std::size_t end = std::min(name.configuration.find(',', at), name.configuration.size());
    const std::string word = name.configuration.substr(at, end - at);
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos && is_known(word.substr(0, equals)))
      arguments.push_back({word.substr(0, equals), word.substr(equals + 1)});
    else
      left += (left.empty() ? "" : ",") + word;
    at = end + 1;
  }
  name.configuration = left;
}

}  // namespace kerlab::session
