#include "compile/messages.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace kerlab::compile {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;

/// Kind and version lead each message, so that noise on the stream or a file of another version is told apart.
Bytes pack(const char* kind, Json body) {
  const Json message = {{"kerlab", kind}, {"version", kVersion}, {"body", std::move(body)}};
  const std::vector<std::uint8_t> packed = Json::to_cbor(message);
  const auto* data = reinterpret_cast<const std::byte*>(packed.data());
  return {data, data + packed.size()};
}

/// Unpacks, and turns every mistake of the contents into one Error.
template <class Read>
auto unpack(std::span<const std::byte> bytes, const char* kind, Read read) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  try {
    const Json message = Json::from_cbor(data, data + bytes.size());
    if (message.at("kerlab") != kind || message.at("version") != kVersion)
      throw Error(fmt::format("not a compiler message '{}' of version {}", kind, kVersion));
    return read(message.at("body"));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("damaged compiler message '{}': {}", kind, error.what()));
  }
}

// Source and log text is kept as bytes: it need not be valid UTF-8, which the library insists on for strings.
Json blob(std::string_view text) {
  return Json::binary(std::vector<std::uint8_t>(text.begin(), text.end()));
}
Json blob(const Bytes& bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Json::binary(std::vector<std::uint8_t>(data, data + bytes.size()));
}
std::string text_of(const Json& value) {
  const auto& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}
Bytes bytes_of(const Json& value) {
  const auto& bytes = value.get_binary();
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return {data, data + bytes.size()};
}

Json list_of(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(blob(text));
  return list;
}
std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& text : list) texts.push_back(text_of(text));
  return texts;
}

Json json_of(const Toolchain& toolchain) {
  return {{"name", toolchain.name},
          {"library", blob(toolchain.library.string())},
          {"size", toolchain.size},
          {"modified_ns", toolchain.modified_ns},
          {"includes", list_of(toolchain.includes)}};
}
Toolchain toolchain_of(const Json& json) {
  return {json.at("name"), text_of(json.at("library")), json.at("size"), json.at("modified_ns"),
          texts_of(json.at("includes"))};
}

Json json_of(const KernelResources& kernel) {
  return {{"kernel", blob(kernel.kernel)},
          {"registers", kernel.registers},
          {"local_bytes", kernel.local_bytes},
          {"spill_bytes", kernel.spill_bytes},
          {"static_shared", kernel.static_shared}};
}
KernelResources resources_of(const Json& json) {
  KernelResources kernel;
  kernel.kernel = text_of(json.at("kernel"));
  kernel.registers = json.at("registers");
  kernel.local_bytes = json.at("local_bytes");
  kernel.spill_bytes = json.at("spill_bytes");
  kernel.static_shared = json.at("static_shared");
  return kernel;
}

CompileResult result_of(const Json& json) {
  CompileResult result;
  const int status = json.at("status");
  if (status < 0 || status > static_cast<int>(CompileStatus::crashed))
    throw Error(fmt::format("damaged compiler message: status {}", status));
  result.status = static_cast<CompileStatus>(status);
  result.cubin = bytes_of(json.at("cubin"));
  result.ptx = text_of(json.at("ptx"));
  result.log = text_of(json.at("log"));
  result.message = text_of(json.at("message"));
  for (const Json& kernel : json.at("kernels")) result.kernels.push_back(resources_of(kernel));
  result.wgmma_serialised = json.at("wgmma_serialised");
  result.wgmma_wait_injected = json.at("wgmma_wait_injected");
  result.setmaxnreg_ignored = json.at("setmaxnreg_ignored");
  result.milliseconds = json.at("milliseconds");
  return result;
}

}  // namespace

Bytes encode(const Toolchain& toolchain) {
  return pack("toolchain", json_of(toolchain));
}

Bytes encode(const CompilerHello& hello) {
  return pack("compiler", {{"toolchain", json_of(hello.toolchain)}, {"error", blob(hello.error)}});
}

Bytes encode(const CompileRequest& request) {
  Json headers = Json::array();
  for (const Header& header : request.source.headers)
    headers.push_back({{"name", blob(header.name)}, {"text", blob(header.text)}});
  return pack("compile", {{"path", blob(request.source.path)},
                          {"text", blob(request.source.text)},
                          {"headers", std::move(headers)},
                          {"hash", request.source.hash},
                          {"options", list_of(request.options)}});
}

Bytes encode(const CompileResult& result) {
  Json kernels = Json::array();
  for (const KernelResources& kernel : result.kernels) kernels.push_back(json_of(kernel));
  return pack("result", {{"status", static_cast<int>(result.status)},
                         {"cubin", blob(result.cubin)},
                         {"ptx", blob(result.ptx)},
                         {"log", blob(result.log)},
                         {"message", blob(result.message)},
                         {"kernels", std::move(kernels)},
                         {"wgmma_serialised", result.wgmma_serialised},
                         {"wgmma_wait_injected", result.wgmma_wait_injected},
                         {"setmaxnreg_ignored", result.setmaxnreg_ignored},
                         {"milliseconds", result.milliseconds}});
}

Toolchain decode_toolchain(std::span<const std::byte> bytes) {
  return unpack(bytes, "toolchain", toolchain_of);
}

CompilerHello decode_compiler_hello(std::span<const std::byte> bytes) {
  return unpack(bytes, "compiler", [](const Json& json) {
    return CompilerHello{toolchain_of(json.at("toolchain")), text_of(json.at("error"))};
  });
}

CompileRequest decode_compile_request(std::span<const std::byte> bytes) {
  return unpack(bytes, "compile", [](const Json& json) {
    CompileRequest request;
    request.source.path = text_of(json.at("path"));
    request.source.text = text_of(json.at("text"));
    for (const Json& header : json.at("headers"))
      request.source.headers.push_back({text_of(header.at("name")), text_of(header.at("text"))});
    request.source.hash = json.at("hash");
    request.options = texts_of(json.at("options"));
    return request;
  });
}

CompileResult decode_compile_result(std::span<const std::byte> bytes) {
  return unpack(bytes, "result", result_of);
}

}  // namespace kerlab::compile
