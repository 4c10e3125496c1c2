#include <CLI/CLI.hpp>

#include "cli/frame/command.h"
#include "report/form/json.h"
#include "session/analyse/listing.h"

namespace kerlab::cli {

Command add_new(CLI::App& root, const GlobalOptions& global) {
  auto name = std::make_shared<std::string>();
  auto parent = std::make_shared<std::string>(".");
  CLI::App* parser = root.add_subcommand("new", "write a commented, working family to start from");
  parser->group("Your own kernels");
  parser->footer(
      "examples: kerlab new my_op\n"
      "          kerlab new my_op --in kernels_of_mine");
  parser->add_option("name", *name, "of the family: letters, digits and _; or a path that ends in it")->required();
  parser->add_option("--in", *parent, "folder to write it to (default: here)")->type_name("DIR");
  return {parser, false, [name, parent, &global] {
            const std::filesystem::path path = std::filesystem::path(*parent) / *name;
            const std::filesystem::path folder = new_family(path.filename(), path.parent_path());
            if (global.json) {
              fmt::print("{}\n", to_json(json_document("new", {{"folder", folder.string()}})));
            } else {
              fmt::print("wrote {0}\ntry: kerlab list {0}\n     kerlab tune {0}\n", folder.string());
            }
            return ExitCode::passed;
          }};
}

}  // namespace kerlab::cli
