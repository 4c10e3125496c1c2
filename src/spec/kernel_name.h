#pragma once
// Kernels that a launch names by more than an identifier: ns::scale, gemm<{DTYPE}, {BM}>.

#include "spec/launch_decl.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {

class Scope;

/// "gemm<{DTYPE}, {BM * 2}>" in pieces; of a plain name none. Throws SpecError at `where`: no name, a brace without its
/// end, an unknown name in one.
std::vector<KernelNamePiece> parse_kernel_name(const std::string& text, const SourceLocation& where,
                                               const Scope& scope);

/// "gemm_{BM}_{DTYPE}.ptx" in pieces: a file beside the spec, {DTYPE} as in bf16. Throws SpecError at `where`.
std::vector<KernelNamePiece> parse_image_name(const std::string& text, const SourceLocation& where, const Scope& scope);

/// "--maxrregcount={REGS}" in pieces. Throws SpecError at `where`.
std::vector<KernelNamePiece> parse_option(const std::string& text, const SourceLocation& where, const Scope& scope);

/// The file or the option of this configuration; all of them, as "gemm_*_*.ptx".
std::string image_name(const std::vector<KernelNamePiece>& image, const Environment& environment, DType dtype);
std::string image_pattern(const std::vector<KernelNamePiece>& image);

/// What the kernel is called for this configuration.
std::string kernel_name(const LaunchDecl& launch, const Environment& environment, DType dtype);

/// An instance of a template: the compiler must be asked for it.
bool is_instance(const std::string& kernel);

}  // namespace kerlab::spec
