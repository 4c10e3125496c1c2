#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "base/error.h"
#include "base/file.h"
#include "catch.h"
#include "compile/compiler.h"
#include "compile/messages.h"
#include "compile/temporary_folder.h"

using namespace kerlab;
using kerlab::testing::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kRoomy = std::int64_t{1} << 30;

CompileRequest request(const std::string& option = "-DBM=64") {
  return {{"k.cu", "text", {{"a.h", "header"}}, "hash"}, {"--gpu-architecture=sm_90a", option}};
}

CompileResult result(std::size_t bytes = 1000) {
  CompileResult made;
  made.status = CompileStatus::ok;
  made.cubin = Bytes(bytes, std::byte{7});
  made.ptx = ".version 8.0";
  made.log = "not UTF-8: \xff";
  made.message = "message";
  made.kernels = {{"k", 32, 8, 16, 256, 0, 0}};
  made.wgmma_wait_injected = true;
  made.milliseconds = 12.5;
  return made;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

}  // namespace

TEST_CASE("compiler messages keep every field", "[compile]") {
  CompileResult made = result();
  made.log += "\xff\xfe no UTF-8";
  const CompileResult read = decode_compile_result(encode(made));
  CHECK(read.status == made.status);
  CHECK(read.cubin == made.cubin);
  CHECK(read.ptx == made.ptx);
  CHECK(read.log == made.log);
  CHECK(read.message == made.message);
  CHECK(read.kernels == made.kernels);
  CHECK(read.wgmma_wait_injected);
  CHECK_FALSE(read.wgmma_serialised);
  CHECK_FALSE(read.setmaxnreg_ignored);
  CHECK(read.milliseconds == 12.5);
  const CompileRequest asked = decode_compile_request(encode(request()));
  CHECK(asked.source.path == "k.cu");
  CHECK(asked.source.text == "text");
  REQUIRE(asked.source.headers.size() == 1);
  CHECK(asked.source.headers[0].name == "a.h");
  CHECK(asked.source.headers[0].text == "header");
  CHECK(asked.options == request().options);
  const CompilerHello hello{{"NVRTC 13.0", "/x/libnvrtc.so", 5, 6, {"/inc"}}, "why"};
  CHECK(decode_compiler_hello(encode(hello)).toolchain == hello.toolchain);
  CHECK(decode_compiler_hello(encode(hello)).error == "why");
}

TEST_CASE("a damaged compiler message is an error wherever it is cut", "[compile]") {
  const Bytes whole = encode(result(20));
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_THROWS_AS(decode_compile_result(std::span(whole).first(length)), Error);
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  CHECK_THROWS_AS(decode_compile_result(longer), Error);
  CHECK_THROWS_AS(decode_compile_request(whole), Error);
}

TEST_CASE("the cache gives back what was stored, and nothing for another key", "[compile]") {
  const TemporaryFolder folder;
  CompileCache cache(folder.path(), kRoomy);
  const std::string key = cache.key(request(), "NVRTC 13.0");
  CHECK_FALSE(cache.find(key).has_value());
  cache.store(key, result());
  const std::optional<CompileResult> found = cache.find(key);
  REQUIRE(found.has_value());
  CHECK(found->from_cache);
  CHECK(found->cubin == result().cubin);
  CHECK(cache.warning().empty());
  CompileRequest other_source = request();
  other_source.source.hash = "other";
  CompileRequest other_path = request();
  other_path.source.path = "copy/k.cu";
  CHECK(cache.key(request(), "NVRTC 13.1") != key);
  CHECK(cache.key(request("-DBM=96"), "NVRTC 13.0") != key);
  CHECK(cache.key(other_source, "NVRTC 13.0") != key);
  CHECK(cache.key(other_path, "NVRTC 13.0") != key);
  CHECK_FALSE(CompileCache(folder.path(), kRoomy, false).find(key).has_value());
}

TEST_CASE("failures of the source are cached, time-outs and crashes are not", "[compile]") {
  const TemporaryFolder folder;
  CompileCache cache(folder.path(), kRoomy);
  for (const CompileStatus status :
       {CompileStatus::ok, CompileStatus::error, CompileStatus::timeout, CompileStatus::crashed}) {
    CompileResult made = result();
    made.status = status;
    const std::string key = cache.key(request(std::to_string(static_cast<int>(status))), "");
    cache.store(key, made);
    const bool kept = status == CompileStatus::ok || status == CompileStatus::error;
    CHECK(cache.find(key).has_value() == kept);
  }
}

TEST_CASE("a damaged cache entry is deleted, wherever the damage is", "[compile]") {
  const TemporaryFolder folder;
  CompileCache cache(folder.path(), kRoomy);
  const std::string key = cache.key(request(), "");
  cache.store(key, result(30));
  const fs::path file = entries(folder.path()).at(0);
  const Bytes whole = read_bytes(file);
  for (std::size_t at = 0; at < whole.size(); at += 13) {
    Bytes damaged = whole;
    damaged[at] ^= std::byte{0x40};
    write_atomic(file, damaged);
    CHECK_FALSE(cache.find(key).has_value());
    CHECK_FALSE(fs::exists(file));
    write_atomic(file, std::span(whole).first(at));  // torn
    CHECK_FALSE(cache.find(key).has_value());
    CHECK_FALSE(fs::exists(file));
  }
  cache.store(key, result(30));
  CHECK(cache.find(key).has_value());
  CHECK(cache.warning().empty());
}

TEST_CASE("a folder that cannot be written is one warning, and reading goes on", "[compile]") {
  const TemporaryFolder folder;
  const std::string key = CompileCache(folder.path(), kRoomy).key(request(), "");
  folder.write("compile", "a file where the folder should be");
  CompileCache cache(folder.path(), kRoomy);
  cache.store(key, result());
  CHECK(cache.warning().find("compile cache") != std::string::npos);
  CHECK(cache.warning().find("Not a directory") != std::string::npos);
  const std::string first = cache.warning();
  cache.store(key, result());
  CHECK(cache.warning() == first);
  CHECK_FALSE(cache.find(key).has_value());
}

TEST_CASE("a full disk is one warning and leaves no torn entry", "[compile]") {
  const TemporaryFolder folder;
  CompileCache cache(folder.path(), kRoomy);
  const std::string small = cache.key(request("small"), ""), large = cache.key(request("large"), "");
  cache.store(small, result(100));
  // The nearest thing to a full disk that needs no privileges: a limit on the size of files.
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{4096, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
  cache.store(large, result(100000));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(cache.warning().find("File too large") != std::string::npos);
  CHECK_FALSE(cache.find(large).has_value());
  CHECK(cache.find(small).has_value());
  CHECK(entries(folder.path()).size() == 1);
}

TEST_CASE("above its limit the cache drops what was unused for longest", "[compile]") {
  const TemporaryFolder folder;
  CompileCache cache(folder.path(), 100000);
  std::vector<std::string> keys;
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 8; ++i) {
    keys.push_back(cache.key(request(std::to_string(i)), ""));
    cache.store(keys.back(), result(10000));
    const fs::path file = folder.path() / "compile" / keys[i].substr(0, 2) / keys[i].substr(2);
    fs::last_write_time(file, now - std::chrono::hours(100 - i));
  }
  REQUIRE(cache.find(keys[0]).has_value());  // a hit makes it young
  for (int i = 8; i < 12; ++i) cache.store(cache.key(request(std::to_string(i)), ""), result(10000));
  CHECK(cache.find(keys[0]).has_value());
  CHECK_FALSE(cache.find(keys[1]).has_value());
  std::uintmax_t total = 0;
  for (const fs::path& file : entries(folder.path())) total += fs::file_size(file);
  CHECK(total <= 100000);
  CHECK(total > 50000);
}
