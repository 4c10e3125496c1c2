#pragma once
// A kernel as commands take it: FAMILY/VARIANT NAME=VALUE ...

#include <string>
#include <vector>

#include "session/find/subject.h"

namespace kerlab::cli {

/// The first word is the subject, the others NAME=VALUE; `configuration`: of --config. Throws UsageError.
SubjectName subject_of_words(const std::vector<std::string>& words, const std::string& configuration);

/// A configuration of --config with NAME=VALUE words behind it. Throws UsageError for another word.
std::string with_values(const std::string& configuration, const std::vector<std::string>& values);

}  // namespace kerlab::cli
