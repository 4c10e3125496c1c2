#pragma once
// What a compiler made of a kernel, by the source lines it was made of: PTX, or SASS where the toolkit has a
// disassembler.

#include <string>
#include <vector>

#include "db/database.h"
#include "session/find/subject.h"
#include "session/run/rig.h"

namespace kerlab::session {

/// Consecutive instructions of one source line.
struct AssemblyBlock {
  std::string kernel;
  std::string file;    ///< as the compiler knew it; empty: of no line
  int line = 0;        ///< 0: of no line
  std::string source;  ///< text of the line; empty where it is not known
  struct Instruction {
    std::string text;
    bool tensor = false;  ///< mma, wgmma: the tensor pipe's
    bool copy = false;    ///< asynchronous copies: cp.async, bulk and tensor copies
  };
  std::vector<Instruction> instructions;
};

struct Assembly {
  std::string title, label;  ///< problem; "reg2d BM=64"
  std::string language;      ///< "PTX", "SASS"
  std::string arch;          ///< "sm_90a"
  std::string completion;    ///< as of the subject
  std::string main_file;     ///< the variant's own source
  std::vector<AssemblyBlock> blocks;
};

/// As NVRTC wrote it, with `.loc` lines.
std::vector<AssemblyBlock> parse_ptx(const std::string& ptx);
/// As `nvdisasm -c -g` wrote it, with `//## File "...", line N` lines.
std::vector<AssemblyBlock> parse_sass(const std::string& text);

struct AssemblyOptions {
  RigOptions rig;
  SubjectName subject;
  std::vector<ProblemArgument> arguments;
  std::string dtype;
  bool sass = false;
};
/// Compiles with line information: the same code, but not the image that is tuned. Throws Error: it does not compile;
/// no disassembler (exit code 4).
Assembly assemble(AssemblyOptions options, const Database* database);

}  // namespace kerlab::session
