#pragma once
// `kerlab explain softmax M=16`: a word that means the problem, typed where a configuration stands.

#include <vector>

#include "session/find/subject_name.h"
#include "session/run/arguments.h"

namespace kerlab::session {

/// Takes what of a subject's NAME=VALUE are dimensions, flags and scalars of the family to the problem's arguments.
void take_problem_words(SubjectName& name, std::vector<ProblemArgument>& arguments, const Family& family);

}  // namespace kerlab::session
