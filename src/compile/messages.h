#pragma once
// What parent and compiler say to each other, and what the cache keeps: CBOR (base/archive.h), with a result's cubin
// and PTX behind it. The decoders throw Error on anything else than a message of this version.

#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "compile/compiler.h"
#include "compile/toolchain.h"

namespace kerlab::compile {

/// The compiler's first frame, sent unasked: its toolchain, or why there is none. Every later frame from it is a
/// CompileResult, the answer to one CompileRequest.
struct CompilerHello {
  Toolchain toolchain;
  std::string error;  ///< NVRTC not found or too old, with the remedy; empty: ready
};

Bytes encode(const Toolchain& toolchain);
Bytes encode(const CompilerHello& hello);
Bytes encode(const CompileRequest& request);
Bytes encode(const CompileResult& result);
Toolchain decode_toolchain(std::span<const std::byte> bytes);
CompilerHello decode_compiler_hello(std::span<const std::byte> bytes);
CompileRequest decode_compile_request(std::span<const std::byte> bytes);
CompileResult decode_compile_result(std::span<const std::byte> bytes);

}  // namespace kerlab::compile
