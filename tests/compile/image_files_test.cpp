#include "compile/image_files.h"

#include "base/error.h"
#include "catch.h"
#include "compile/temporary_folder.h"

using namespace kerlab;
using kerlab::testing::TemporaryFolder;

namespace {

CompileRequest request_for(const SourceBundle& source, const std::string& image) {
  return {source, {"--gpu-architecture=sm_90a", "--std=c++20", "--image=" + image}, {}};
}

}  // namespace

TEST_CASE("the images of a variant are all files that fit its name, whatever else lies there", "[compile]") {
  const TemporaryFolder folder;
  folder.write("k_64_2.ptx", "a");
  folder.write("k_128_3.ptx", "b");
  folder.write("k_64.ptx", "c");
  folder.write("other_64_2.ptx", "d");
  const SourceBundle bundle = read_source(folder.path() / "k_*_*.ptx", {});
  REQUIRE(bundle.headers.size() == 2);
  CHECK(bundle.headers[0].name == "k_128_3.ptx");
  CHECK(bundle.headers[1].text == "a");
  CHECK(bundle.text.empty());
  folder.write("k_64.ptx", "other");
  CHECK(read_source(folder.path() / "k_*_*.ptx", {}).hash == bundle.hash);
  folder.write("k_64_2.ptx", "other");
  CHECK(read_source(folder.path() / "k_*_*.ptx", {}).hash != bundle.hash);
  CHECK_THROWS_WITH(read_source(folder.path() / "none_*.ptx", {}), Catch::Contains("none_*.ptx: no such file"));
}

TEST_CASE("a request with an image is for that file alone, so that its neighbours do not change what is cached",
          "[compile]") {
  const TemporaryFolder folder;
  folder.write("k_1.ptx", "one");
  folder.write("k_2.ptx", "two");
  const SourceBundle bundle = read_source(folder.path() / "k_*.ptx", {});
  const CompileRequest alone = with_image_alone(request_for(bundle, "k_2.ptx"));
  CHECK(is_image(alone));
  CHECK(alone.source.text == "two");
  CHECK(alone.source.path == (folder.path() / "k_2.ptx").string());
  CHECK(alone.source.headers.empty());
  CHECK(alone.options == std::vector<std::string>{"--gpu-architecture=sm_90a", "--image=k_2.ptx"});
  folder.write("k_1.ptx", "changed");
  const SourceBundle later = read_source(folder.path() / "k_*.ptx", {});
  CHECK(with_image_alone(request_for(later, "k_2.ptx")).source.hash == alone.source.hash);
  CHECK(with_image_alone(request_for(later, "k_3.ptx")).source.text.empty());

  const CompileRequest compiled{bundle, {"-DBM=64"}, {}};
  CHECK_FALSE(is_image(compiled));
  CHECK(with_image_alone(compiled).source.headers.size() == 2);
}
