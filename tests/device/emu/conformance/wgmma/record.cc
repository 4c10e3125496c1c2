// Records what a GPU computes for the cases of cases.h: ./record_wgmma OUTPUT_FILE
// D of all cases as the kernels wrote them, one after the other; zeros for a case that failed. Needs the driver alone;
// g++ -O2 -std=c++20 record.cc -ldl -o record_wgmma. A case that faults ends its context: the rest runs in another
// child.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "../driver.h"
#include "cases.h"

namespace {

using namespace driver;
using namespace conformance::wgmma;

/// Cases are launched one by one in suites of maps, whose descriptors may fault.
bool is_risky(const Suite& suite) {
  return suite.name.substr(0, 3) == "map";
}

struct Run {
  Handle function = nullptr;
  const Form& form;

  /// `loaded`: kernels by their text.
  Run(const Form& f, std::map<std::string, Handle>& loaded) : form(f) {
    Handle& known = loaded[ptx(f)];
    if (known == nullptr) {
      const Handle module = load(f.describe(), ptx(f));
      check("function", call("cuModuleGetFunction", &known, module, "wgmma"));
    }
    function = known;
  }
  int operator()(const Case* cases, std::size_t count, std::vector<std::uint8_t>& result) const {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = input(form, cases[i]);
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
    result.assign(form.output_bytes() * count, 0);
    Pointer in = 0, out = 0;
    check("allocate", call("cuMemAlloc_v2", &in, bytes.size()));
    check("allocate", call("cuMemAlloc_v2", &out, result.size()));
    check("copy", call("cuMemcpyHtoD_v2", in, static_cast<const void*>(bytes.data()), bytes.size()));
    check("clear", call("cuMemsetD8_v2", out, static_cast<unsigned char>(0), result.size()));
    void* arguments[] = {&in, &out};
    check("launch", call("cuLaunchKernel", function, static_cast<unsigned>(count), 1u, 1u, 128u, 1u, 1u, 0u,
                         Handle{nullptr}, static_cast<void**>(arguments), static_cast<void**>(nullptr)));
    const int status = call("cuCtxSynchronize");
    if (status != 0) return status;
    check("copy", call("cuMemcpyDtoH_v2", static_cast<void*>(result.data()), out, result.size()));
    check("free", call("cuMemFree_v2", in));
    check("free", call("cuMemFree_v2", out));
    return 0;
  }
};

/// Runs suites from `first` on; returns (as exit status) 0, or 1 after a fault, with the next suite in `next`.
int run_from(const std::vector<Suite>& all, const std::vector<std::size_t>& offset, std::size_t first, int file,
             std::size_t* next) {
  start();
  std::map<std::string, Handle> loaded;
  for (std::size_t i = first; i < all.size(); ++i) {
    const Suite& suite = all[i];
    next[0] = i + 1;
    const Run run(suite.form, loaded);
    std::vector<std::uint8_t> result;
    const int status = run(suite.cases.data(), suite.cases.size(), result);
    if (status != 0) {
      const Layout& l = suite.form.a_in_registers ? suite.cases[0].layout_b : suite.cases[0].layout_a;
      std::printf("FAULT %d: suite %zu %s %s descriptor %016llx\n", status, i, suite.name.c_str(),
                  suite.form.describe().c_str(), static_cast<unsigned long long>(l.descriptor()));
      std::fflush(stdout);
      return 1;
    }
    if (pwrite(file, result.data(), result.size(), static_cast<off_t>(offset[i])) < 0) return 2;
    if (!is_risky(suite)) {
      std::uint64_t h = 0;
      for (const std::uint8_t byte : result) h = (h ^ byte) * 0x100000001b3;
      std::printf("%3zu %-9s %-40s %2zu cases %016llx\n", i, suite.name.c_str(), suite.form.describe().c_str(),
                  suite.cases.size(), static_cast<unsigned long long>(h));
    }
  }
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s OUTPUT_FILE\n", argv[0]), 64;
  const std::vector<Suite> all = suites();
  std::vector<std::size_t> offset;
  std::size_t bytes = 0;
  for (const Suite& suite : all) {
    offset.push_back(bytes);
    bytes += suite.form.output_bytes() * suite.cases.size();
  }
  const int file = open(argv[1], O_CREAT | O_TRUNC | O_RDWR, 0644);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return std::perror(argv[1]), 1;
  auto* next = static_cast<std::size_t*>(
      mmap(nullptr, sizeof(std::size_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int faults = 0;
  for (std::size_t first = 0; first < all.size(); first = next[0]) {
    next[0] = all.size();
    const pid_t child = fork();
    if (child == 0) _exit(run_from(all, offset, first, file, next));
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) break;
    if (++faults > 80) break;
  }
  std::printf("%zu suites, %zu bytes, %d faults\n", all.size(), bytes, faults);
  return 0;
}
