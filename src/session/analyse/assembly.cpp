#include "session/analyse/assembly.h"

#include <unistd.h>

#include "base/file.h"
#include "session/find/problem_words.h"
#include "session/find/save.h"
#include "session/find/source_text.h"
#include "session/run/problem_setup.h"

namespace kerlab::session {

namespace {

/// A file that is gone with it.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::byte> bytes) {
    std::string pattern = (std::filesystem::temp_directory_path() / "kerlab-XXXXXX").string();
    const int descriptor = ::mkstemp(pattern.data());
    if (descriptor < 0) throw Error(fmt::format("{}: no temporary file can be made", pattern));
    ::close(descriptor);
    path_ = pattern;
    write_atomic(path_, bytes);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string disassembled(const Bytes& cubin) {
  const std::filesystem::path program = find_toolkit_program("nvdisasm");
  if (program.empty())
    throw Error(
        "sass: nvdisasm of the CUDA Toolkit is neither in PATH nor in CUDA_HOME/bin (package cuda-nvdisasm); ptx "
        "needs nothing",
        ExitCode::inconclusive);
  const TemporaryFile file(cubin);
  const ProcessResult result =
      run_process({program.string(), "-c", "-g", file.path().string()}, std::chrono::seconds(60));
  if (result.exit_code != 0)
    throw Error(fmt::format("sass: {} ended with {}: {}", program.string(), result.exit_code, result.err));
  return result.out;
}

void add_source(Assembly& assembly, const SourceBundle& source) {
  SourceText text(source);
  for (AssemblyBlock& block : assembly.blocks) {
    if (block.line > 0) block.source = text.line({block.file, block.line});
  }
}

}  // namespace

Assembly assemble(AssemblyOptions options, const Database* database) {
  options.rig.target = family_of(options.subject, database);
  Rig rig(options.rig);
  take_problem_words(options.subject, options.arguments, rig.folder().family);
  const Subject subject =
      resolve_subject(options.subject, options.arguments, options.dtype, rig.folder(), rig.device(), database);
  announce_completion(subject.source.variant->name, subject.completion);
  TrialCandidate candidate = make_candidate(rig.folder().family, subject.source, 0, subject.configuration,
                                            subject.problem, rig.device(), rig.toolchain());
  candidate.options.emplace_back("--generate-line-info");
  const CompileResult compiled = rig.compilers().compile({subject.source.source, candidate.options});
  if (compiled.status != CompileStatus::ok)
    throw Error(fmt::format("{} does not compile: {}", candidate.label, compiled.message));
  Assembly assembly;
  assembly.title = subject.problem.title();
  assembly.label = candidate.label;
  assembly.completion = subject.completion;
  assembly.language = options.sass ? "SASS" : "PTX";
  assembly.arch = rig.device().arch();
  assembly.main_file = subject.source.source.path;
  assembly.blocks = options.sass ? parse_sass(disassembled(compiled.cubin)) : parse_ptx(compiled.ptx);
  add_source(assembly, subject.source.source);
  return assembly;
}

}  // namespace kerlab::session
