#include <CLI/CLI.hpp>

#include "cli/analyse/assembly_screen.h"
#include "cli/frame/command.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/subject_words.h"

namespace kerlab::cli {

namespace {

struct AssemblyCommand {
  std::vector<std::string> words;
  std::string dtype, configuration;
  std::string line;
  bool all = false, sass = false;
};

ExitCode run(const AssemblyCommand& command, const GlobalOptions& global) {
  AssemblyOptions options;
  options.rig = rig_options(global, "");
  options.subject = subject_of_words(command.words, command.configuration);
  options.arguments = global.problem;
  options.dtype = command.dtype;
  options.sass = command.sass;
  const auto only = command.line.empty() ? std::nullopt : std::optional(parse_place(command.line));
  const auto database = database_if_there(global);
  const Assembly assembly = assemble(std::move(options), database ? &*database : nullptr);
  const bool color = color_on(global, stdout);
  const int width = terminal_width(stdout);
  if (global.json)
    fmt::print("{}\n", to_json(json_document(command.sass ? "sass" : "ptx", assembly_value(assembly))));
  else if (command.all || only)
    fmt::print("{}", assembly_text(assembly, only, color, width));
  else
    fmt::print("{}", assembly_overview(assembly, color, width));
  return ExitCode::passed;
}

Command add_assembly(CLI::App& root, const GlobalOptions& global, bool sass) {
  auto command = std::make_shared<AssemblyCommand>();
  command->sass = sass;
  CLI::App* parser =
      sass ? root.add_subcommand("sass", "the machine code of a kernel by source line; needs nvdisasm of the toolkit")
           : root.add_subcommand("ptx", "the PTX of a kernel by source line");
  parser->group("Understand");
  parser->footer(sass ? "example: kerlab sass gemm/gemm_sm80 --M 1024 --line mma_sync.cuh:18"
                      : "example: kerlab ptx gemm/reg2d --M 1024 --dtype fp32 BM=64 --line 131");
  parser->add_option("kernel", command->words, "FAMILY[/VARIANT] and NAME=VALUE of its configuration, or a trial's id")
      ->required();
  parser->add_option("--dtype", command->dtype, "default: the family's first that the device supports");
  parser->add_option("--config", command->configuration, "\"BM=128,BN=64\"; others take their defaults");
  parser->add_option("--line", command->line, "the instructions of this line of the kernel's source, or of a header's")
      ->type_name("[FILE:]N");
  parser->add_flag("--all", command->all, "all instructions below the lines that they were made of");
  return {parser, true, [command, &global] { return run(*command, global); }, false, [] { return true; }};
}

}  // namespace

Command add_ptx(CLI::App& root, const GlobalOptions& global) {
  return add_assembly(root, global, false);
}

Command add_sass(CLI::App& root, const GlobalOptions& global) {
  return add_assembly(root, global, true);
}

}  // namespace kerlab::cli
