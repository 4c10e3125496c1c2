#pragma once
// What a person typed wrongly, and what was meant.

#include <map>
#include <string>

#include "cli/frame/command_model.h"

namespace CLI {
class ParseError;
}

namespace kerlab::cli {

/// Options that may be typed, as "--device" or "-h", and whether a value follows each.
using KnownOptions = std::map<std::string, bool>;

/// "tnue: no such command; did you mean tune?" Without a near one the message lists what there is.
std::string unknown_command(const CommandModel& parent, const std::string& word);

/// "zhs: no such shell; did you mean zsh?" `what` is the kind of thing. Without a near one the message lists all.
std::string unknown_word(const std::string& what, const std::string& word, const std::vector<std::string>& all);

/// The option that was meant instead of `name` ("--stategy"); empty: none is near.
std::string near_option(const KnownOptions& known, const std::string& name);

/// "--famly: a value is missing", or which option was meant.
std::string missing_value(const KnownOptions& known, const std::string& option);

/// The parser's complaint in kerlab's words. `command`: null when none was named.
std::string mistake(const CLI::ParseError& error, const CLI::App& root, const CLI::App* command,
                    const KnownOptions& known);

}  // namespace kerlab::cli
