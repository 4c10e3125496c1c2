#include "cli/frame/problem_options.h"

#include "base/error.h"
#include "cli/frame/mistake.h"

namespace kerlab::cli {

std::vector<ProblemArgument> take_problem_options(const std::map<std::string, bool>& known,
                                                  std::vector<std::string>& words) {
  std::vector<ProblemArgument> taken;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      rest.insert(rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    const std::size_t equals = word.find('=');
    const std::string option = word.substr(0, equals);
    const auto at = known.find(option);
    if (word.rfind("--", 0) != 0 || at != known.end()) {
      rest.push_back(word);
      if (at != known.end() && at->second && equals == std::string::npos && i + 1 < words.size())
        rest.push_back(words[++i]);
      continue;
    }
    if (equals != std::string::npos) {
      taken.push_back({option.substr(2), word.substr(equals + 1)});
    } else if (i + 1 < words.size() && words[i + 1].rfind("--", 0) != 0) {
      taken.push_back({option.substr(2), words[++i]});
    } else {
      throw UsageError(missing_value(known, option));
    }
  }
  for (ProblemArgument& argument : taken) argument.near_option = near_option(known, argument.name);
  words = std::move(rest);
  return taken;
}

}  // namespace kerlab::cli
