// `kerlab adopt FILE.json`: expressions in Python's syntax, what a T1 file says, and what is refused where.
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "session/adopt/adopt.h"
#include "session/adopt/python_expression.h"
#include "spec/spec.h"

using namespace kerlab;

namespace {

namespace fs = std::filesystem;

std::string values(const std::string& text) {
  try {
    return fmt::format("{}", fmt::join(python_values(parse_python(text), {{"N", {7}}, {"L", {3, 9, 4}}}), " "));
  } catch (const Error& error) {
    return error.what();
  }
}

std::string translated(const std::string& text) {
  SpecNaming naming;
  naming.name = [](const std::string& name) { return name; };
  naming.element = [](const std::string& name, std::int64_t at) { return name + std::to_string(at); };
  naming.number = [](std::int64_t number) { return std::to_string(number); };
  naming.values = {{"L", {3, 9, 4}}};
  try {
    return spec_expression(parse_python(text), naming);
  } catch (const Error& error) {
    return error.what();
  }
}

const std::string kSource =
    "__global__ void scale(const float* x, float* y, int n, float a) { y[0] = a * x[0] * BLOCK; }\n";
const std::string kParameters = R"("TuningParameters": [{"Name": "BLOCK", "Values": "[32, 64]", "Default": 128}])";
const std::string kKernel =
    R"("Language": "CUDA", "KernelName": "scale", "KernelFile": "scale.cu", "LocalSize": {"X": "BLOCK"},
       "GlobalSize": {"X": "1000 // BLOCK + 1"})";
const std::string kArguments = R"(
  {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 1000, "FillType": "Constant", "FillValue": 2},
  {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 1000, "Output": 1},
  {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000},
  {"Name": "a", "Type": "float", "MemoryType": "Scalar", "FillValue": 0.5})";

std::string t1(const std::string& space, const std::string& kernel, const std::string& arguments) {
  return R"({"ConfigurationSpace": {)" + space + R"(}, "KernelSpecification": {)" + kernel + R"(, "Arguments": [)" +
         arguments + "]}}";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

struct T1Desk {
  TemporaryFolder folder;
  T1Desk() { write_atomic(folder.path() / "scale.cu", kSource); }
  [[nodiscard]] Adopted take(const std::string& json) const {
    write_atomic(folder.path() / "scale.json", json);
    AdoptOptions options;
    options.file = folder.path() / "scale.json";
    options.parent = folder.path();
    options.overwrite = true;
    return adopt(options);
  }
  [[nodiscard]] std::string refusal(const std::string& json) const {
    try {
      static_cast<void>(take(json));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

}  // namespace

TEST_CASE("t1: values in Python's syntax", "[adopt]") {
  CHECK(values("[16, 32]") == "16 32");
  CHECK(values("list(range(32, 128+1, 32))") == "32 64 96 128");
  CHECK(values("[1] + [2*i for i in range(1,4)]") == "1 2 4 6");
  CHECK(values("[2**i for i in range(0, 6) if i % 2 == 0]") == "1 4 16");
  CHECK(values("(1, 2, 3,)") == "1 2 3");
  CHECK(values("[True, not True, 7 // -2, -7 % 3, abs(-3), max(L), N]") == "1 0 -4 2 3 9 7");
  CHECK(values("range(5, 0, -2)") == "5 3 1");
  CHECK(values("1.5") == "column 1: '1.5' is no whole number");
  CHECK(values("['a']") == "column 2: ''' is not understood");
  CHECK(values("[1, ") == "column 5: it ends too early");
  CHECK(values("open(1)") ==
        "column 1: 'open' is no function that kerlab knows: range, list, max, min, int, abs, len, sum");
  CHECK(values("M") == "'M' is not known here");
  CHECK(values("range(10**9)") == "a range of more than 65,536 values");
  CHECK(values("10**30") == "a number of more than 64 bits");
  CHECK(values("1 // 0") == "a division by zero");
  CHECK_THAT(values(std::string(5000, '(')), Catch::Contains("nested too deeply"));
  CHECK_THAT(values(std::string(5000, '-') + "1"), Catch::Contains("nested too deeply"));
}

TEST_CASE("t1: conditions become expressions of a spec", "[adopt]") {
  CHECK(translated("a == 0 or b % 32 != 0") == "a == 0 || b % 32 != 0");
  CHECK(translated("not (a == 8 and b == 8)") == "!(a == 8 && b == 8)");
  CHECK(translated("32 <= a * b <= 1024") == "32 <= a * b && a * b <= 1024");
  CHECK(translated("k % ((m * n) // a) == 0") == "k % (m * n / a) == 0");
  CHECK(translated("a - (b - c) - d") == "a - (b - c) - d");
  CHECK(translated("(a == b) == c") == "(a == b) == c");
  CHECK(translated("a not in [1, 2]") == "!(a == 1 || a == 2)");
  CHECK(translated("2 ** a * P[1]") == "pow(2, a) * P1");
  CHECK(translated("max(L) + max(a, 2)") == "9 + max(a, 2)");
  CHECK(translated("-a * b") == "-a * b");
  CHECK(translated("[1, 2]") == "a list stands where a number is expected");
  CHECK(translated("a b") == "column 3: 'b' is not expected here");
}

TEST_CASE("t1: a kernel with its space becomes a family", "[adopt]") {
  const T1Desk desk;
  const KernelFolder folder =
      load_folder(desk.take(t1(kParameters + R"(, "Conditions": [{"Expression": "BLOCK > 32 or BLOCK // 2 == 3"}])",
                               kKernel, kArguments))
                      .folder);
  REQUIRE(folder.variants.size() == 1);
  const Variant& variant = folder.variants.front();
  CHECK(variant.parameters.front().values == std::vector<std::int64_t>{32, 64});
  CHECK(variant.parameters.front().default_value == 64);  // 128 is none of its values, and 32 is not valid
  CHECK(folder.family.dimensions.front().name == "n");
  CHECK(folder.family.dimensions.front().default_value.evaluate({}) == 1000);
  const std::string text = read_text(desk.folder.path() / "scale/scale.toml");
  CHECK_THAT(text, Catch::Contains("condition = \"BLOCK > 32 || BLOCK / 2 == 3\""));
  CHECK_THAT(text, Catch::Contains("grid = [\"n / BLOCK + 1\"]"));  // 1000 is n: another n is another grid
  CHECK_THAT(read_text(desk.folder.path() / "scale/family.toml"), Catch::Contains("tensor = \"x\"\nvalue = 2.0"));
}

TEST_CASE("t1: each mistake is one located error", "[adopt]") {
  const T1Desk desk;
  const std::string whole = t1(kParameters, kKernel, kArguments);
  CHECK(desk.refusal(whole) == "no error");
  const auto says = [&](const std::string& what, const std::string& by, const std::string& message) {
    INFO(what << " -> " << by);
    CHECK_THAT(desk.refusal(replaced(whole, what, by)), Catch::Contains("scale.json") && Catch::Contains(message));
  };
  says(R"("CUDA")", R"("OpenCL")", "at /KernelSpecification/Language: 'OpenCL'");
  for (const char* outside : {"../scale.cu", "/etc/passwd", "a/../../scale.cu"})
    says("scale.cu", outside, "at /KernelSpecification/KernelFile: '" + std::string(outside) + "' is outside");
  says("scale.cu", "gone.cu", "there is no file 'gone.cu'");
  says("[32, 64]", "[32, os]", "at /ConfigurationSpace/TuningParameters/0/Values: 'os' is not known");
  says("[32, 64]", "[]", "no value");
  says("\"BLOCK\", \"Values\"", "\"a-b\", \"Values\"",
       "at /ConfigurationSpace/TuningParameters/0/Name: 'a-b' is no name");
  says("1000 // BLOCK", "1000 // BLOK",
       "at /KernelSpecification/GlobalSize/X: 'BLOK' is neither a parameter nor a size");
  says("1000 // BLOCK", "1000 @ BLOCK", "column 6: '@' is not understood");
  says("\"Type\": \"float\", \"MemoryType\": \"Vector\"", "\"Type\": \"quat\", \"MemoryType\": \"Vector\"",
       "at /KernelSpecification/Arguments/0/Type: 'quat' is no element type");
  says("\"LocalSize\"", "\"Local\"", "at /KernelSpecification: has no \"LocalSize\"");
  says("{\"ConfigurationSpace\"", "{\"Space\"", "has no \"ConfigurationSpace\"");
  CHECK_THAT(desk.refusal(whole.substr(0, whole.size() / 2)), Catch::Contains("no JSON"));
  CHECK_THAT(desk.refusal(t1(kParameters + R"(, "Conditions": [{"Expression": "BLOCK < 0"}])", kKernel, kArguments)),
             Catch::Contains("at /ConfigurationSpace: the conditions reject"));
  CHECK_THAT(desk.refusal(t1(kParameters, kKernel, kArguments.substr(0, kArguments.rfind(",\n")))),
             Catch::Contains("scale.cu:1") && Catch::Contains("takes 4 arguments"));
  fs::create_symlink("/etc/passwd", desk.folder.path() / "link.cu");
  says("scale.cu", "link.cu", "there is no file 'link.cu' in this file's folder");
}
