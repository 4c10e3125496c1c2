// `kerlab explain softmax M=16`: words that mean the problem, among those of a configuration.
#include "session/find/problem_words.h"

#include "catch.h"

using namespace kerlab;

TEST_CASE("a dimension, a flag or a scalar among the words of a configuration is the problem's", "[find]") {
  Family family;
  family.dimensions.resize(1);
  family.dimensions[0].name = "M";
  family.flags.resize(1);
  family.flags[0].name = "layout";
  family.scalars.resize(1);
  family.scalars[0].name = "alpha";
  SubjectName name = parse_subject("gemm/reg2d:BM=64,M=16,layout=nt,BN=32,alpha=2");
  std::vector<ProblemArgument> arguments{{"N", "8"}};
  take_problem_words(name, arguments, family);
  CHECK(name.configuration == "BM=64,BN=32");
  std::vector<std::string> taken;
  for (const ProblemArgument& one : arguments) taken.push_back(one.name + "=" + one.value);
  CHECK(taken == std::vector<std::string>{"N=8", "M=16", "layout=nt", "alpha=2"});
  SubjectName nothing = parse_subject("gemm");
  take_problem_words(nothing, arguments, family);
  CHECK(nothing.configuration.empty());
  CHECK(arguments.size() == 4);
}
