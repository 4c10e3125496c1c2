#include <string_view>

#include "cli/cli.h"
#include "compile/compiler.h"

int main(int argc, char** argv) {
  // The compiler child is started by the dozen and not by people: no parser, no options.
  if (argc == 2 && std::string_view(argv[1]) == "compiler") return kerlab::run_compiler();
  return kerlab::run_command_line(argc, argv);
}
