// Records what a real GPU computes for the fixture forms: ./record FIXTURE_FOLDER OUTPUT_FOLDER
// Writes OUTPUT_FOLDER/<file>.bin: the outputs of the forms of <file>.ptx, in order. Needs the driver alone (dlopen);
// compile with g++ -O2 -std=c++17 record.cc -ldl. Every file runs in a child, since a fault ends a context.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "driver.h"
#include "inputs.h"

namespace {

using namespace driver;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<unsigned char> run(Handle module, const conformance::Form& form) {
  Handle function = nullptr;
  check(form.name.c_str(), call("cuModuleGetFunction", &function, module, form.name.c_str()));
  const std::vector<std::uint64_t> words = conformance::input_words(form);
  const std::size_t in_bytes = words.size() * 8 + 8,
                    out_bytes = static_cast<std::size_t>(form.out) * static_cast<std::size_t>(form.records);
  Pointer in = 0, out = 0;
  check("allocate", call("cuMemAlloc_v2", &in, in_bytes));
  check("allocate", call("cuMemAlloc_v2", &out, out_bytes));
  check("copy in", call("cuMemcpyHtoD_v2", in, static_cast<const void*>(words.data()), words.size() * 8));
  check("clear", call("cuMemsetD8_v2", out, static_cast<unsigned char>(0), out_bytes));
  void* arguments[] = {&in, &out};
  check(form.name.c_str(),
        call("cuLaunchKernel", function, static_cast<unsigned>(form.grid[0]), static_cast<unsigned>(form.grid[1]), 1u,
             static_cast<unsigned>(form.block[0]), static_cast<unsigned>(form.block[1]), 1u, 0u, Handle{nullptr},
             static_cast<void**>(arguments), static_cast<void**>(nullptr)));
  check(form.name.c_str(), call("cuCtxSynchronize"));
  std::vector<unsigned char> result(out_bytes);
  check("copy out", call("cuMemcpyDtoH_v2", static_cast<void*>(result.data()), out, out_bytes));
  check("free", call("cuMemFree_v2", in));
  check("free", call("cuMemFree_v2", out));
  return result;
}

int record(const std::filesystem::path& ptx, const std::filesystem::path& output) {
  start();
  const std::string text = read(ptx);
  const Handle module = load(ptx, text);
  std::ofstream file(output / ptx.stem().concat(".bin"), std::ios::binary);
  int forms = 0;
  for (const auto& form : conformance::read_forms(text)) {
    const auto bytes = run(module, form);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    ++forms;
  }
  file.flush();
  std::printf("%s: %d forms\n", ptx.filename().c_str(), forms);
  std::fflush(stdout);
  return file ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: %s FIXTURE_FOLDER OUTPUT_FOLDER\n", argv[0]), 64;
  std::filesystem::create_directories(argv[2]);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  int failed = 0;
  for (const auto& path : files) {
    const pid_t child = fork();
    if (child == 0) _exit(record(path, argv[2]));
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::fprintf(stderr, "record: %s failed\n", path.c_str()), ++failed;
  }
  std::printf("%zu files, %d failed\n", files.size(), failed);
  return failed == 0 ? 0 : 1;
}
