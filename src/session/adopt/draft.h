#pragma once
// A family and a variant as they follow from a CUDA source; what is guessed says so.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/dtype.h"
#include "session/adopt/host_code.h"

namespace kerlab::session {

/// Text for a spec, and why whoever reads it should look at it; empty: it is known.
struct Guess {
  std::string text;
  std::string note;
};

struct DraftDimension {
  std::string name;
  Guess value;
  bool fixed = false;  ///< it can have no other
};

struct DraftScalar {
  std::string name;
  bool is_double = false;
  std::optional<double> value;  ///< none: the host's code does not say
};

struct DraftTensor {
  std::string name;
  Guess role;                ///< input, output, inout
  std::optional<DType> own;  ///< none: the problem's
  std::string type;          ///< in the source
  Guess elements;
  int lanes = 1;     ///< of an element in the source: float2 has two
  Guess range = {};  ///< of an input of integers, as a spec writes it; empty: a guess
};

struct DraftParameter {
  std::string name;
  std::vector<std::int64_t> values;
  std::int64_t value = 0;
  bool define = true;
  std::string note;
};

struct DraftConstraint {
  std::string name, condition, doc, note;
};

/// One kernel's launch.
struct DraftLaunch {
  std::string kernel;  ///< with {} where its template takes a parameter; of a reference with the defaults
  std::vector<std::string> grid, block;
  std::string shared;
  std::string note, block_note;  ///< of the grid; of the block
  std::vector<std::string> arguments;
};

struct Draft {
  DType dtype = DType::fp32;
  std::vector<DraftDimension> dimensions;
  std::vector<DraftScalar> scalars;
  std::vector<DraftTensor> tensors;
  std::vector<DraftParameter> parameters;
  std::vector<DraftConstraint> constraints;
  std::vector<std::string> symbols;   ///< tensors that are variables of the program of that name
  std::vector<std::string> options;   ///< of the compiler
  std::vector<std::string> left_out;  ///< those that a spec may not have
  std::vector<std::pair<std::string, std::string>> defines, reference_defines;  ///< name, number
  std::vector<std::pair<std::string, double>> constant_fills;                   ///< inputs that hold one number
  DraftLaunch launch, reference;
  bool own_reference = true;  ///< the reference is the kernel itself, in its default configuration
};

/// `reference`: null: the kernel itself. Throws SpecError with the place of what cannot be adopted.
Draft make_draft(const CudaFile& file, const CudaKernel& kernel, const CudaKernel* reference);

}  // namespace kerlab::session
