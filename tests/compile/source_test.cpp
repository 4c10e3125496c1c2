#include "base/error.h"
#include "catch.h"
#include "compile/compiler.h"
#include "compile/include_scan.h"
#include "compile/temporary_folder.h"

using namespace kerlab;
using kerlab::testing::TemporaryFolder;

namespace {

std::vector<std::string> names(const SourceBundle& bundle) {
  std::vector<std::string> result;
  for (const Header& header : bundle.headers) result.push_back(header.name);
  return result;
}

}  // namespace

TEST_CASE("the include scanner sees what a preprocessor would", "[compile]") {
  const std::vector<IncludeLine> found = scan_includes(R"text(#include "a.h"
  #  include   "b/c.h" // why
#include <cuda_bf16.h>
// #include "comment.h"
/* #include "block.h"
#include "block2.h" */ #include "after_block.h"
const char* s = "/*"; int n = 1'000; char q = '"';
#include "d.h"
const char* raw = R"x(
#include "raw.h"
)x";
#if 0
#include "maybe.h"
#endif
#include MACRO(x)
int x; #include "not_first.h"
# /* y */ inclu\
de "spliced.h"
%:include \
"digraph.h"
#include_next <next.h>
#include "cut\
.h"
#include "last.h")text");
  using Form = IncludeLine::Form;
  const std::vector<IncludeLine> expected = {{"a.h", 1, false},
                                             {"b/c.h", 2, false},
                                             {"cuda_bf16.h", 3, false, Form::angled},
                                             {"after_block.h", 6, false},
                                             {"d.h", 8, false},
                                             {"maybe.h", 13, true},
                                             {"MACRO", 15, false, Form::computed},
                                             {"spliced.h", 17, false},
                                             {"digraph.h", 19, false},
                                             {"next.h", 21, false, Form::angled},
                                             {"", 22, false, Form::computed},
                                             {"last.h", 24, false}};
  CHECK(found == expected);
}

TEST_CASE("an include that leads out of the kernel's project is refused, and nothing of it is read", "[compile]") {
  const TemporaryFolder outside, folder;
  const auto secret = outside.write("secret.h", "int secret;\n");
  folder.write("lib/shared.h", "int shared;\n");
  const auto refusal = [&](const std::string& text) {
    const auto file = folder.write("kernels/mine/k.cu", text);
    try {
      return names(read_source(file, {file.parent_path().parent_path()}));
    } catch (const Error& error) {
      return std::vector<std::string>{error.what()};
    }
  };
  std::filesystem::create_directory(folder.path() / ".git");
  CHECK(refusal("#include \"../../lib/shared.h\"\n") == std::vector<std::string>{"../../lib/shared.h"});
  std::filesystem::create_symlink(secret, folder.path() / "kernels/mine/link.h");
  for (const std::string& include : {"\"" + secret.string() + "\"", "<" + secret.string() + ">",
                                     std::string("<../../../etc/passwd>"), std::string("\"link.h\"")}) {
    const std::vector<std::string> said = refusal("// one\n#include " + include + "\n");
    INFO(include);
    REQUIRE(said.size() == 1);
    CHECK_THAT(said.front(),
               Catch::Contains("k.cu:2: #include of") && Catch::Contains("leads out of this kernel's project"));
  }
  for (const char* macro : {"#define F \"/etc/passwd\"\n#include F\n", "#define F </etc/passwd>\n%:include F\n",
                            "#define F(x) x\n#inclu\\\nde F(\"/etc/passwd\")\n"})
    CHECK_THAT(refusal(macro).front(), Catch::Contains("k.cu:2: #include F: a macro names the file; write its name"));
  std::filesystem::create_symlink(secret, folder.path() / "kernels/mine/source.cu");
  CHECK_THROWS_WITH(read_source(folder.path() / "kernels/mine/source.cu", {}),
                    Catch::Contains("source.cu: is a link that leads out of this kernel's project"));
  std::filesystem::create_symlink(secret, folder.path() / "kernels/mine/k_1.ptx");
  CHECK_THROWS_WITH(read_source(folder.path() / "kernels/mine/k_*.ptx", {}), Catch::Contains("k_1.ptx: is a link"));
  std::filesystem::create_symlink("../../lib/shared.h", folder.path() / "kernels/mine/inside.cu");
  CHECK(read_source(folder.path() / "kernels/mine/inside.cu", {}).text == "int shared;\n");
  std::filesystem::remove(folder.path() / ".git");
  CHECK_THAT(refusal("#include \"../../lib/shared.h\"\n").front(), Catch::Contains("leads out"));
}

TEST_CASE("the include scanner survives text that ends anywhere", "[compile]") {
  const std::string text = "#include \"a.h\"\n/* x */ R\"y(z)y\" 'c' \"s\\\"\"\n#if 1\n#include \"b.h\"\n#endif // end";
  for (std::size_t length = 0; length <= text.size(); ++length)
    CHECK(scan_includes(text.substr(0, length)).size() <= 2);
  CHECK(scan_includes(text).size() == 2);
}

TEST_CASE("a source comes with its transitive headers, once each, cycles included", "[compile]") {
  const TemporaryFolder folder;
  folder.write("left.h", "#include \"base.h\"\n");
  folder.write("right.h", "#include \"base.h\"\n#include \"left.h\"\n");
  folder.write("base.h", "#pragma once\n#include \"right.h\"\n");
  const auto file = folder.write("k.cu", "#include \"left.h\"\n#include \"right.h\"\n");
  const SourceBundle bundle = read_source(file, {});
  CHECK(bundle.path == file.string());
  CHECK(names(bundle) == std::vector<std::string>{"base.h", "left.h", "right.h"});
  const std::string before = bundle.hash;
  folder.write("base.h", "#pragma once\n#include \"right.h\"\n// edited\n");
  CHECK(read_source(file, {}).hash != before);
}

TEST_CASE("include folders are searched after the including file's own", "[compile]") {
  const TemporaryFolder folder;
  folder.write("near/a.h", "near");
  folder.write("first/a.h", "first");
  folder.write("first/b.h", "first");
  folder.write("second/b.h", "second");
  const auto file = folder.write("near/k.cu", "#include \"a.h\"\n#include \"b.h\"\n");
  const SourceBundle bundle = read_source(file, {folder.path() / "first", folder.path() / "second"});
  REQUIRE(bundle.headers.size() == 2);
  CHECK(bundle.headers[0].text == "near");
  CHECK(bundle.headers[1].text == "first");
}

TEST_CASE("folders of headers that the user names serve quotes and brackets, and their own macros", "[compile]") {
  const TemporaryFolder library, folder;
  library.write("lib/all.hpp",
                "#pragma once\n#include <lib/config.hpp>\n#include LIB_STD(utility)\n"
                "#include \"a/part.hpp\"\n#include \"b/part.hpp\"\n");
  library.write("lib/config.hpp", "#pragma once\n#define LIB_STD(x) <cuda/std/x>\n");
  library.write("lib/a/part.hpp", "#include \"detail.hpp\"\n");
  library.write("lib/a/detail.hpp", "int a;\n");
  library.write("lib/b/part.hpp", "#include <vector>\n#include \"detail.hpp\"\n");
  library.write("lib/b/detail.hpp", "int b;\n");
  const auto file = folder.write("k.cu", "#include <lib/all.hpp>\n");
  CHECK(names(read_source(file, {})).empty());  // as a header of the toolkit, which it may be
  const SourceBundle bundle = read_source(file, {}, {library.path()});
  CHECK(names(bundle) == std::vector<std::string>{"../b/detail.hpp", "a/part.hpp", "b/part.hpp", "detail.hpp",
                                                  "lib/all.hpp", "lib/config.hpp"});
  // NVRTC has one list of names: where two files have one, the second is called by another.
  for (const Header& header : bundle.headers)
    if (header.name == "b/part.hpp") CHECK(header.text == "#include <vector>\n#include \"../b/detail.hpp\"\n");
  library.write("lib/config.hpp", "#pragma once\n#define LIB_STD(x) <cuda/std/x>  // other text\n");
  CHECK(read_source(file, {}, {library.path()}).hash != bundle.hash);
  folder.write("hidden.h", "#define F \"/etc/passwd\"\n#include F\n");  // a project's header may not
  const auto own = folder.write("own.cu", "#include \"hidden.h\"\n");
  CHECK_THROWS_WITH(read_source(own, {}, {library.path()}), Catch::Contains("hidden.h:2: #include F: a macro"));
}

TEST_CASE("a missing header is an error with its line, unless the line may never be reached", "[compile]") {
  const TemporaryFolder folder;
  folder.write("a.h", "#pragma once\n\n#include \"nowhere.h\"\n");
  const auto file = folder.write("k.cu", "#include \"a.h\"\n");
  CHECK_THROWS_WITH(read_source(file, {"/some/includes"}),
                    Catch::Contains("a.h:3: cannot find #include \"nowhere.h\"") && Catch::Contains("/some/includes"));
  folder.write("a.h", "#ifndef __CUDACC_RTC__\n#include \"nowhere.h\"\n#endif\n");
  CHECK(names(read_source(file, {})) == std::vector<std::string>{"a.h"});
  CHECK_THROWS_WITH(read_source(folder.path() / "no.cu", {}), Catch::Contains("no.cu"));
}

TEST_CASE("one name for two files is refused, two names for one file forward", "[compile]") {
  const TemporaryFolder folder;
  folder.write("x/a.h", "#include \"t.h\"\n#include \"../shared.h\"\n");
  folder.write("x/t.h", "x");
  folder.write("shared.h", "#pragma once\n");
  const auto file = folder.write("k.cu", "#include \"shared.h\"\n#include \"x/a.h\"\n");
  const SourceBundle bundle = read_source(file, {});
  REQUIRE(names(bundle) == std::vector<std::string>{"../shared.h", "shared.h", "t.h", "x/a.h"});
  CHECK(bundle.headers[0].text == "#include \"shared.h\"\n");
  folder.write("y/b.h", "#include \"t.h\"\n");
  folder.write("y/t.h", "y");
  const auto clash = folder.write("clash.cu", "#include \"x/a.h\"\n#include \"y/b.h\"\n");
  CHECK_THROWS_WITH(read_source(clash, {}), Catch::Contains("b.h:1: #include \"t.h\" means"));
}
