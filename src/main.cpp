#include <string_view>

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "compile/compiler.h"

int main(int argc, char** argv) {
  kerlab::occupy_standard_descriptors();
  // The compiler child is started by the dozen and not by people: no parser, no options.
  if (argc == 2 && std::string_view(argv[1]) == "compiler") return kerlab::compile::run_compiler();
  return kerlab::cli::run_command_line(argc, argv);
}
