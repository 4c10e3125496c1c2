#pragma once
// What the host's code in a CUDA source says of a kernel: how it is launched, and how large its buffers are.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "session/adopt/cuda_file.h"

namespace kerlab::session {

/// kernel<16><<<grid, block, shared>>>(a, b, n)
struct LaunchSite {
  std::vector<CudaTokens> instance;  ///< arguments of the template
  std::vector<CudaTokens> grid, block;
  CudaTokens shared;
  std::vector<CudaTokens> arguments;
};

/// Values of the host's variables, where each is named; the first that is given one.
struct HostValues {
  std::map<std::string, CudaTokens> values;
  std::map<std::string, std::vector<CudaTokens>> dims;  ///< of dim3
  std::map<std::string, CudaTokens> bytes;              ///< cudaMalloc
};

/// Of names that several functions give a value, that of the function that launches `kernel`; else the first.
HostValues host_values(const CudaFile& file, const std::string& kernel);

/// The first launch of a kernel of this plain name.
std::optional<LaunchSite> launch_site(const CudaFile& file, const HostValues& values, const std::string& kernel);

/// What the host passes for an argument of this kernel; null: it launches it nowhere, or leaves it out.
const CudaTokens* passed_argument(const CudaKernel& kernel, const std::optional<LaunchSite>& site,
                                  const std::string& name);

/// Turns C++ into an expression of a spec.
class SpecWords {
 public:
  /// `known`: the host's or the kernel's names that a spec has, and how it calls them.
  SpecWords(const HostValues& host, std::map<std::string, std::string> known) : host_(host), known_(std::move(known)) {}

  /// None where it says something that a spec cannot.
  [[nodiscard]] std::optional<std::string> expression(const CudaTokens& tokens) const;
  /// How many elements of so many bytes: bytes by sizeof are divided.
  [[nodiscard]] std::optional<std::string> elements(const CudaTokens& bytes) const;

 private:
  [[nodiscard]] bool put(const CudaTokens& tokens, std::string& text, int depth) const;
  [[nodiscard]] bool put_call(const CudaTokens& tokens, std::size_t& at, std::string& text, int depth) const;
  [[nodiscard]] bool put_ceil(const CudaTokens& inside, std::string& text, int depth) const;
  [[nodiscard]] bool put_word(const CudaToken& word, std::string& text, int depth) const;

  const HostValues& host_;
  std::map<std::string, std::string> known_;
};

}  // namespace kerlab::session
