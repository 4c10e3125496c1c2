#include "cli/cli.h"

int main(int argc, char** argv) { return kerlab::run_command_line(argc, argv); }
