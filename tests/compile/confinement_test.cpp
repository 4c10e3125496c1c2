#include "compile/confinement.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "catch.h"
#include "compile/compiler.h"
#include "compile/temporary_folder.h"
#include "locations.h"

using namespace kerlab;
using kerlab::testing::TemporaryFolder;

namespace {

bool kernel_has_landlock() {
  return ::syscall(444, nullptr, 0, 1) > 0;
}

}  // namespace

TEST_CASE("confinement: a source that the scanner does not see through reads no file of the user's",
          "[compile][nvrtc]") {
  if (!kernel_has_landlock()) {
    WARN("this kernel has no Landlock");
    return;
  }
  const TemporaryFolder folder;
  const auto secret = folder.write("secret.h", "#error the secret is 42\n");
  CompilerPool::Options options;
  options.executable = kerlab_program().string();
  options.processes = 1;
  options.cache_folder = folder.path() / "cache";
  CompilerPool pool(options);
  const auto compile = [&](const std::string& text) {
    return pool.compile({{"k.cu", text, {}, text}, base_options("sm_90a")});  // as if read_source had let it through
  };
  const std::string name = "\"" + secret.string() + "\"";
  for (const std::string& text :
       {"#define F " + name + "\n#include F\n", "#include " + name + "\n", "%:include " + name + "\n"}) {
    const CompileResult result = compile(text);
    CAPTURE(text, result.log);
    CHECK(result.status == CompileStatus::error);
    CHECK_THAT(result.message, Catch::Contains("k.cu(") && Catch::Contains("cannot open source file"));
    CHECK(result.log.find("42") == std::string::npos);
  }
  // The toolkit's own are still there, and what kerlab adds.
  CHECK(compile(
            "#include <cuda_fp16.h>\n#include <vector>\n#include <span>\n#include <atomic>\n#include <new>\n"
            "#include <iostream>\n__global__ void k(__half* x) { new (x) __half(std::numeric_limits<int>::max()); }\n")
            .status == CompileStatus::ok);
}
