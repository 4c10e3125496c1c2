// Which derived values an exported kernel was compiled with.
#include "catch.h"
#include "session/export/export.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

TEST_CASE("export: a derived value with define = false is never compiled in, whatever the source calls its own",
          "[spec]") {
  const auto mentioned = [](const std::string& keys) {
    std::string text = kVariant;
    text.insert(text.find("[[launch]]"), "[[derived]]\nname = \"TILES\"\nvalue = \"ceil_div(M, BM)\"\n" + keys);
    const KernelFolder folder = load_specs(testing::kFamily, text);
    SourceBundle source;
    source.text = "void f(int TILES, int THREADS);";
    return mentioned_in(source, folder.family, folder.variants.front());
  };
  CHECK(mentioned("") == std::set<std::string>{"THREADS", "TILES"});
  CHECK(mentioned("define = false\n") == std::set<std::string>{"THREADS"});
}
