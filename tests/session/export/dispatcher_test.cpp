// An exported dispatcher on a driver that only writes down what it is asked for: no GPU is needed to see that it
// allocates, loads and launches what it should, and what it refuses.

#include "catch.h"
#include "report/dispatch/dispatch_header.h"
#include "session/export_fixture.h"
#include "spec/compiled_program.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

/// Functions of a driver, by name; a GPU of `sms` multiprocessors that is otherwise an H200.
constexpr std::string_view kDriver = R"cpp(
#include <cstdio>
#include <cstring>

  namespace kd = kerlab_dispatch_2;
  static int sms = 132;
  static kd::DevicePointer next_address = 1 << 20;

  static int current_device(int* device) {
    return *device = 0, 0;
  }
  static int device_attribute(int* value, int which, int) {
    *value = which == 75                  ? 9
             : which == 76                ? 0
             : which == 16                ? sms
             : which == 97                ? 232448
             : which == 81                ? 233472
             : which == 111               ? 1024
             : which == 12 || which == 82 ? 65536
             : which == 1                 ? 1024
             : which == 39                ? 2048
             : which == 106               ? 32
             : which == 10                ? 32
                                          : 0;
    return 0;
  }
  static int device_memory(std::size_t* bytes, int) {
    return *bytes = std::size_t{140} << 30, 0;
  }
  static int error_string(int, const char** text) {
    return *text = "some error", 0;
  }
  static int module_load(void** module, const void* image) {
    std::printf("load %s\n", std::memcmp(image, "\177ELF", 4) == 0 ? "ELF" : "?");
    return *module = &sms, 0;
  }
  static int module_unload(void*) {
    return 0;
  }
  static int module_function(void** function, void*, const char* name) {
    std::printf("function %s\n", name);
    return *function = &sms, 0;
  }
  static int set_attribute(void*, int which, int value) {
    return std::printf("attribute %d %d\n", which, value), 0;
  }
  static int launch(const kd::LaunchConfig* c, void*, void** arguments, void**) {
    std::uint64_t first = 0;
    std::memcpy(&first, arguments[0], 8);
    std::printf("launch %ux%ux%u of %u, %u bytes, attributes %u: %d %ux%u\n", c->grid[0], c->grid[1], c->grid[2],
                c->block[0], c->shared, c->attribute_count, c->attributes->id, c->attributes->value.cluster[0],
                c->attributes->value.cluster[1]);
    return 0;
  }
  static int encode_tiled(kd::EncodedMap*, int type, std::uint32_t rank, void* address, const std::uint64_t* dims,
                          const std::uint64_t*, const std::uint32_t* box, const std::uint32_t*, int, int swizzle, int,
                          int) {
    std::printf("map type %d rank %u at %llu: %llu, box %u, swizzle %d\n", type, rank,
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address)),
                static_cast<unsigned long long>(dims[0]), box[0], swizzle);
    return 0;
  }
  static int allocate(kd::DevicePointer* address, std::size_t bytes) {
    std::printf("allocate %zu\n", bytes);
    *address = next_address += 1 << 20;
    return 0;
  }
  static int release(kd::DevicePointer) {
    return std::printf("release\n"), 0;
  }
  static int fill(kd::DevicePointer, unsigned char value, std::size_t bytes, void*) {
    return std::printf("fill %d %zu\n", value, bytes), 0;
  }
  static int module_global(kd::DevicePointer* address, std::size_t* bytes, void*, const char* name) {
    std::printf("variable %s\n", name);
    return *address = 512, *bytes = 68, 0;
  }
  static int copy(kd::DevicePointer to, kd::DevicePointer from, std::size_t bytes, void*) {
    return std::printf("copy %zu bytes from %llu to %llu\n", bytes, static_cast<unsigned long long>(from),
                       static_cast<unsigned long long>(to)),
           0;
  }
  static int synchronize() {
    return 0;
  }

  template <typename Function>
  static void* address_of(Function* function) {
    return reinterpret_cast<void*>(function);
  }

  static void* look_up(const char* name) {
    const std::pair<const char*, void*> all[] = {{"cuCtxGetDevice", address_of(current_device)},
                                                 {"cuDeviceGetAttribute", address_of(device_attribute)},
                                                 {"cuDeviceTotalMem_v2", address_of(device_memory)},
                                                 {"cuGetErrorString", address_of(error_string)},
                                                 {"cuModuleLoadData", address_of(module_load)},
                                                 {"cuModuleUnload", address_of(module_unload)},
                                                 {"cuModuleGetFunction", address_of(module_function)},
                                                 {"cuModuleGetGlobal_v2", address_of(module_global)},
                                                 {"cuFuncSetAttribute", address_of(set_attribute)},
                                                 {"cuLaunchKernelEx", address_of(launch)},
                                                 {"cuTensorMapEncodeTiled", address_of(encode_tiled)},
                                                 {"cuMemAlloc_v2", address_of(allocate)},
                                                 {"cuMemFree_v2", address_of(release)},
                                                 {"cuMemsetD8Async", address_of(fill)},
                                                 {"cuMemcpyDtoDAsync_v2", address_of(copy)},
                                                 {"cuCtxSynchronize", address_of(synchronize)}};
    for (const auto& [known, address] : all)
      if (std::strcmp(known, name) == 0) return address;
    return nullptr;
  }
  static void print(const char* what, const kd::Result& result) {
    std::printf("%s: %s%s%s\n", what, kd::name(result.status), result.message.empty() ? "" : ": ",
                result.message.c_str());
  }
)cpp";

constexpr std::string_view kMain = R"cpp(
  int main() {
    const kd::Driver driver = kd::Driver::from(look_up);
    kerlab_gemm::Problem problem;
    problem.M = 1024, problem.N = 2048, problem.K = 1024, problem.dtype = "bf16", problem.layout = "nt";
    kerlab_gemm::Tensors tensors;
    tensors.A = 4096, tensors.B = 8192, tensors.D = 16384;
    {
      kerlab_gemm::Dispatcher dispatcher(driver);
      print("first", dispatcher.launch(problem, tensors));
      print("second", dispatcher.launch(problem, tensors));
      problem.M = 512;
      print("smaller", dispatcher.launch(problem, tensors));
      tensors.A = 4098;
      print("crooked", dispatcher.launch(problem, tensors));
      tensors.A = 0;
      print("missing", dispatcher.launch(problem, tensors));
      problem.K = 1001;
      print("ragged", dispatcher.prepare(problem));
      problem.dtype = "fp16";
      print("other dtype", dispatcher.prepare(problem));
    }
    problem.K = 1024, problem.dtype = "bf16";
    sms = 108;
    kerlab_gemm::Dispatcher elsewhere(driver);
    print("elsewhere", elsewhere.prepare(problem));
    sms = 132;
    kerlab_gemm::Dispatcher nowhere(kd::Driver::from([](const char*) -> void* { return nullptr; }));
    print("nowhere", nowhere.prepare(problem));
  }
)cpp";

std::string output_with(const ExportedLibrary& library, const CubinPlace& place) {
  return output_of_program(dispatch_header(library, place) + std::string(kDriver) + std::string(kMain), {});
}

constexpr std::string_view kPreparingMain = R"cpp(
  int main() {
    NAMESPACE::Problem problem;
    NAMESPACE::Tensors tensors;
    SETUP
    NAMESPACE::Dispatcher dispatcher(kd::Driver::from(look_up));
    const auto launch = [&](const char* what) {
      std::printf("%s:\n", what);
      print("launched", dispatcher.launch(problem, tensors));
    };
    launch("first");
    launch("again");
    OTHER
    launch("other address");
    dispatcher.inputs_changed();
    launch("other values");
  }
)cpp";

/// What a dispatcher of one kernel asks of the driver, in the launches of kPreparingMain.
std::string preparing_output(const Winner& winner, const std::string& family, const std::string& setup,
                             const std::string& other) {
  Decided decided(family);
  decided.add(winner, 10);
  std::string main(kPreparingMain);
  for (const auto& [word, text] :
       {std::pair<std::string, std::string>{"NAMESPACE", "kerlab_" + family}, {"SETUP", setup}, {"OTHER", other}})
    for (std::size_t at = main.find(word); at != std::string::npos; at = main.find(word, at + text.size()))
      main.replace(at, word.size(), text);
  return output_of_program(dispatch_header(decided.library(), {}) + std::string(kDriver) + main, {});
}

/// The part behind "what:\n", up to "launched".
std::string part_of(const std::string& output, const std::string& what) {
  const std::size_t begin = output.find(what + ":\n") + what.size() + 2;
  return output.substr(begin, output.find("launched: ok\n", begin) - begin);
}

}  // namespace

TEST_CASE("export: a variable that holds a tensor is filled once, and again where the tensor is another", "[session]") {
  const std::string output = preparing_output({"convolution_1d batch=3 N=5003 fp32", "constant", ""}, "convolution_1d",
                                              "problem.batch = 3, problem.N = 5003, problem.dtype = \"fp32\";"
                                              "tensors.X = 4096, tensors.F = 8192, tensors.Y = 16384;",
                                              "tensors.F = 12288;");
  if (output.empty()) return;
  INFO(output);
  const std::string launched = part_of(output, "again");
  CHECK_THAT(launched, Catch::StartsWith("launch ") && !Catch::Contains("copy"));
  CHECK_THAT(part_of(output, "first"), Catch::EndsWith("variable filter\ncopy 68 bytes from 8192 to 512\n" + launched));
  CHECK(part_of(output, "other address") == "variable filter\ncopy 68 bytes from 12288 to 512\n" + launched);
  CHECK(part_of(output, "other values") == part_of(output, "other address"));
}

TEST_CASE("export: what prepares a workspace is launched once, and again where an input is another", "[session]") {
  const std::string output = preparing_output({"mesh_edges W=40 H=30 fp32 what=scatter", "vertices", ""}, "mesh_edges",
                                              "problem.W = 40, problem.H = 30, problem.dtype = \"fp32\", problem.what "
                                              "= \"scatter\"; tensors.X = 4096, tensors.Y = 16384;",
                                              "tensors.X = 12288;");
  if (output.empty()) return;
  INFO(output);
  const std::string launched = part_of(output, "again");
  CHECK_THAT(launched, Catch::StartsWith("launch 19x1x1 of 256, ") && !Catch::Contains("15x1x1"));
  const std::string prepared = "launch 15x1x1 of 256, 0 bytes, attributes 0: 4 1x1\n";
  CHECK_THAT(part_of(output, "first"), Catch::EndsWith(prepared + launched));
  CHECK(part_of(output, "other address") == prepared + launched);
  CHECK(part_of(output, "other values") == prepared + launched);
}

TEST_CASE("export: a dispatcher loads once, clears once, and says what it refuses", "[session]") {
  Decided decided("gemm");
  decided.add({"gemm M=1024 N=2048 K=1024 bf16 layout=nt alpha=1 beta=0", "gemm_sm90", "STREAM_K=1 CLUSTER_M=2"}, 10);
  const ExportedLibrary library = decided.library();
  const std::string output = output_with(library, {});
  if (output.empty()) return;
  INFO(output);
  const Problem problem = make_problem(decided.rig->folder().family,
                                       request_of_key(decided.rig->folder().family, library.shapes[0].problem));
  const Variant& variant = find_variant(decided.rig->folder(), "gemm_sm90");
  const LaunchPlan plan =
      instantiate(decided.rig->folder().family, variant, problem,
                  parse_configuration(variant, library.kernels[0].configuration), decided.rig->device())
          .plan;
  const Launch& launch = plan.launches.at(0);
  const std::string launched = fmt::format("launch {}x1x1 of {}, {} bytes, attributes 1: 4 2x1\n", launch.grid.x,
                                           launch.block.x, launch.dynamic_shared);
  const std::string maps = output.substr(output.find("map type"), output.find("launch ") - output.find("map type"));
  CHECK_THAT(maps,
             Catch::StartsWith("map type 9 rank 3 at 4096: 1024, box 64, swizzle 3\nmap type 9 rank 3 at 8192: "));
  CHECK(output.substr(0, output.find("second: ok")) ==
        fmt::format("load ELF\nfunction gemm\nattribute 8 {}\nallocate {}\nallocate {}\nfill 0 {}\n{}{}first: ok\n{}{}",
                    launch.dynamic_shared, plan.workspaces[0].bytes, plan.workspaces[1].bytes, plan.workspaces[1].bytes,
                    maps, launched, maps, launched));
  CHECK_THAT(output, Catch::Contains("smaller: ok\n"));
  CHECK_THAT(output, Catch::Contains("crooked: bad_argument: a tensor does not begin at a multiple of 16 bytes\n"));
  CHECK_THAT(output, Catch::Contains("missing: bad_argument: a tensor that is copied through a tensor map has no"));
  CHECK_THAT(output, Catch::Contains("ragged: no_kernel: gemm M=512 N=2048 K=1001 batch=1 bf16 layout=nt") &&
                         Catch::Contains("constraint 'aligned_a'"));
  CHECK_THAT(output,
             Catch::Contains("other dtype: no_kernel: ") && Catch::Contains("nothing was tuned for this dtype"));
  CHECK_THAT(output, Catch::Contains("elsewhere: other_device: exported for Emulated H200") &&
                         Catch::Contains("device.sms is 108 here, not 132\n"));
  CHECK_THAT(output, Catch::Contains("nowhere: no_driver: no CUDA driver: cuCtxGetDevice\n"));
}

TEST_CASE("export: a cubin beside the header that is not there is a status, not a crash", "[session]") {
  Decided decided("gemm");
  decided.add({"gemm M=1024 N=2048 K=1024 bf16 layout=nt alpha=1 beta=0", "gemm_sm90", ""}, 10);
  const std::string output = output_with(decided.library(), {false, "no/such/folder"});
  if (output.empty()) return;
  CHECK_THAT(output, Catch::StartsWith("first: bad_image: no/such/folder/") && Catch::Contains("cannot be read"));
}

TEST_CASE("export: a dispatcher lets a launch overlap the one before, and asks for shared memory", "[session]") {
  Decided decided((share_folder() / "examples" / "dependent_launch").string());
  decided.add({"dependent_launch M=1024 N=4096 fp32", "two_launches", "PDL=true CARVEOUT=50"}, 10);
  const std::string main = R"cpp(
    int main() {
      kerlab_dependent_launch::Problem problem;
      problem.M = 1024, problem.N = 4096, problem.dtype = "fp32";
      kerlab_dependent_launch::Tensors tensors;
      tensors.X = 4096, tensors.w = 8192, tensors.s = 16384;
      kerlab_dependent_launch::Dispatcher dispatcher(kd::Driver::from(look_up));
      print("first", dispatcher.launch(problem, tensors));
      print("second", dispatcher.launch(problem, tensors));
    }
  )cpp";
  const std::string output =
      output_of_program(dispatch_header(decided.library(), {}) + std::string(kDriver) + main, {});
  if (output.empty()) return;
  INFO(output);
  const std::string launched =
      "launch 32x16x1 of 128, 0 bytes, attributes 0: 4 1x1\nlaunch 32x1x1 of 128, 0 bytes, attributes 1: 6 1x1\n";
  CHECK_THAT(output, Catch::Contains("attribute 9 50\n" + launched + "first: ok\n" + launched + "second: ok\n"));
}
