#pragma once
// What a CUDA source says of its kernels: signatures, templates, named numbers; and which of its text is for the host.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "session/adopt/cuda_tokens.h"

namespace kerlab::session {

struct CudaArgument {
  std::string type;  ///< without const, std:: and *: "float", "unsigned int", "T"
  std::string name;
  int pointers = 0;
  bool constant = false;  ///< of a pointer: what it points to
  SourceLocation where;
};

struct CudaTemplateParameter {
  std::string type;  ///< "typename" or an integer's
  std::string name;
  CudaTokens value;  ///< its default; empty: none
};

/// `#pragma kernel` of kernel_launcher: tune(bs=32,64) block_size(bs) problem_size(n) buffers(A[n]).
struct CudaPragma {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> tune;
  std::vector<CudaTokens> block, problem;
  std::vector<std::pair<std::string, CudaTokens>> buffers;
};

struct CudaSpan {
  std::size_t begin = 0, end = 0;
};

struct CudaKernel {
  std::string name;  ///< with its namespaces
  std::vector<CudaTemplateParameter> templates;
  std::vector<CudaArgument> arguments;
  CudaPragma pragma;
  CudaTokens bounds;  ///< the threads of __launch_bounds__; empty: none
  CudaSpan body;      ///< its tokens
  SourceLocation where;
  [[nodiscard]] std::string plain() const;  ///< without them
};

/// `#define TILE 16` or `constexpr int TILE = 16;` outside of functions, with a number above 0.
struct CudaNumber {
  std::string name;
  std::int64_t value = 0;
  std::size_t begin = 0, end = 0;  ///< the lines that say so
  bool guarded = false;            ///< it stands behind #ifndef of its name
};

/// `#include "common.h"`
struct CudaHeader {
  std::string name;  ///< as it is included
  std::filesystem::path path;
};

struct CudaFile {
  std::string path;  ///< as messages show it
  std::string source;
  CudaTokens tokens;
  std::vector<CudaKernel> kernels;  ///< those with a body
  std::vector<CudaNumber> numbers;
  std::vector<CudaSpan> host;                ///< functions that no device compiler takes
  std::vector<CudaHeader> headers;           ///< that it includes from its own folder, and they
  std::map<std::string, std::string> types;  ///< what typedef and using call a type, there too; the first of a name
  /// What a type is called that CUDA knows.
  [[nodiscard]] std::string named_type(const std::string& type) const;
};

/// Throws SpecError with the place of what it cannot take.
CudaFile read_cuda_file(const std::filesystem::path& file);

}  // namespace kerlab::session
