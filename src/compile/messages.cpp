#include "compile/messages.h"

#include <fmt/format.h>

#include "base/archive.h"
#include "base/error.h"

// clang-format off
namespace kerlab::compile {

struct Protocol {
  static constexpr const char* kName = "compiler protocol";
};

/// Kind and version lead each message, so that a file of another version is told apart.
template <typename Body>
struct Message {
  std::string kind;
  int version = 0;
  Body body;
};
template <typename Archive, typename Body> void fields(Archive& a, Message<Body>& v) {
  a("kerlab", v.kind); a("version", v.version); a("body", v.body);
}

template <typename Archive> void fields(Archive& a, Toolchain& v) {
  a("name", v.name); a("library", v.library); a("size", v.size); a("modified_ns", v.modified_ns);
  a("includes", v.includes);
}
template <typename Archive> void fields(Archive& a, CompilerHello& v) {
  a("toolchain", v.toolchain); a("error", v.error);
}
template <typename Archive> void fields(Archive& a, Header& v) { a("name", v.name); a("text", v.text); }
template <typename Archive> void fields(Archive& a, SourceBundle& v) {
  a("path", v.path); a("text", v.text); a("headers", v.headers); a("hash", v.hash);
}
template <typename Archive> void fields(Archive& a, CompileRequest& v) {  // its deadline is the parent's
  a("source", v.source); a("options", v.options);
}
template <typename Archive> void fields(Archive& a, KernelResources& v) {  // what a compiler's log tells
  a("kernel", v.kernel); a("registers", v.registers); a("local_bytes", v.local_bytes);
  a("spill_bytes", v.spill_bytes); a("static_shared", v.static_shared);
}
template <typename Archive> void fields(Archive& a, CompileResult& v) {
  a("status", v.status, CompileStatus::crashed); a("cubin", v.cubin); a("ptx", v.ptx); a("log", v.log);
  a("message", v.message); a("kernels", v.kernels); a("wgmma_serialised", v.wgmma_serialised);
  a("wgmma_wait_injected", v.wgmma_wait_injected); a("setmaxnreg_ignored", v.setmaxnreg_ignored);
  a("milliseconds", v.milliseconds);
}
// clang-format on

namespace {

constexpr int kVersion = 2;

template <typename Body>
Bytes pack(const char* kind, const Body& body) {
  return archive::to_frame<Protocol>(Message<Body>{kind, kVersion, body});
}

template <typename Body>
Body unpack(std::span<const std::byte> bytes, const char* kind) {
  auto message = archive::from_frame<Protocol, Message<Body>>(bytes);
  if (message.kind != kind || message.version != kVersion)
    throw Error(fmt::format("not a compiler message '{}' of version {}", kind, kVersion));
  return std::move(message.body);
}

}  // namespace

Bytes encode(const Toolchain& toolchain) {
  return pack("toolchain", toolchain);
}
Bytes encode(const CompilerHello& hello) {
  return pack("compiler", hello);
}
Bytes encode(const CompileRequest& request) {
  return pack("compile", request);
}
Bytes encode(const CompileResult& result) {
  return pack("result", result);
}

Toolchain decode_toolchain(std::span<const std::byte> bytes) {
  return unpack<Toolchain>(bytes, "toolchain");
}
CompilerHello decode_compiler_hello(std::span<const std::byte> bytes) {
  return unpack<CompilerHello>(bytes, "compiler");
}
CompileRequest decode_compile_request(std::span<const std::byte> bytes) {
  return unpack<CompileRequest>(bytes, "compile");
}
CompileResult decode_compile_result(std::span<const std::byte> bytes) {
  return unpack<CompileResult>(bytes, "result");
}

}  // namespace kerlab::compile
