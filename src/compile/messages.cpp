#include "compile/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>

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
template <typename Archive> void fields(Archive& a, CompileResult& v) {  // what is large follows the frame
  a("status", v.status, CompileStatus::crashed); a("log", v.log);
  a("message", v.message); a("kernels", v.kernels); a("wgmma_serialised", v.wgmma_serialised);
  a("wgmma_wait_injected", v.wgmma_wait_injected); a("setmaxnreg_ignored", v.setmaxnreg_ignored);
  a("milliseconds", v.milliseconds);
}
// clang-format on

namespace {

constexpr int kVersion = 3;

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

/// Lengths of the parts, then these: a frame, the cubin, the PTX. CBOR's reader takes bytes one by one, which is too
/// slow for hundreds of kilobytes.
Bytes encode(const CompileResult& result) {
  const Bytes frame = pack("result", result);
  const std::span<const std::byte> parts[] = {frame, result.cubin, std::as_bytes(std::span(result.ptx))};
  std::array<std::uint64_t, std::size(parts)> lengths{};
  std::ranges::transform(parts, lengths.begin(), [](const auto& part) { return part.size(); });
  const auto head = std::as_bytes(std::span(lengths));
  Bytes bytes(head.begin(), head.end());
  for (const auto& part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
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
  std::array<std::uint64_t, 3> lengths{};
  if (bytes.size() < sizeof(lengths)) throw Error("a compiler's result is cut off");
  std::memcpy(lengths.data(), bytes.data(), sizeof(lengths));
  bytes = bytes.subspan(sizeof(lengths));
  const auto take = [&bytes](std::uint64_t length) {
    if (length > bytes.size()) throw Error("a compiler's result is cut off");
    const std::span<const std::byte> part = bytes.first(length);
    bytes = bytes.subspan(length);
    return part;
  };
  auto result = unpack<CompileResult>(take(lengths[0]), "result");
  const std::span<const std::byte> cubin = take(lengths[1]), ptx = take(lengths[2]);
  if (!bytes.empty()) throw Error("a compiler's result is longer than it says");
  result.cubin.assign(cubin.begin(), cubin.end());
  result.ptx.assign(reinterpret_cast<const char*>(ptx.data()), ptx.size());
  return result;
}

}  // namespace kerlab::compile
