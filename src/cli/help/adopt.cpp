#include <CLI/CLI.hpp>

#include "cli/frame/command.h"
#include "report/form/json.h"
#include "session/adopt/adopt.h"

namespace kerlab::cli {
namespace {

void print_adopted(const Adopted& adopted) {
  const std::string folder = adopted.folder.string();
  fmt::print("adopted {} into {}\n", adopted.kernel, folder);
  if (adopted.reference.empty())
    fmt::print(
        "no reference: its own results in the default configuration count as right (--reference NAME: a simple "
        "kernel of the same file)\n");
  if (!adopted.marks.empty()) fmt::print("what could not be known, to be looked at:\n");
  for (const std::string& mark : adopted.marks) fmt::print("  {}\n", mark);
  const std::string named = quoted(folder.find('/') == std::string::npos ? "./" + folder : folder);
  fmt::print("try: kerlab check {0} --only\n     kerlab tune {0}\n", named);
}

}  // namespace

Command add_adopt(CLI::App& root, const GlobalOptions& global) {
  auto options = std::make_shared<AdoptOptions>();
  CLI::App* parser = root.add_subcommand("adopt", "write a family from a kernel in a CUDA file, or in a tuner's JSON");
  parser->group("Your own kernels");
  parser->footer(
      "examples: kerlab adopt matmul.cu --kernel tiled --reference naive\n"
      "          kerlab adopt softmax.cu --in kernels_of_mine\n"
      "          kerlab adopt convolution.json");
  parser
      ->add_option("file", options->file,
                   "a CUDA source, as nvcc takes it, or a T1 file (.json) that names one beside it")
      ->required()
      ->type_name("FILE");
  parser->add_option("--kernel", options->kernel, "which of its __global__ functions, where it has several")
      ->type_name("NAME");
  parser
      ->add_option("--reference", options->reference,
                   "a simple kernel of the same file that says what is right (default: the kernel's own results)")
      ->type_name("NAME");
  parser->add_option("--name", options->name, "of the family and its folder (default: the file's)")->type_name("NAME");
  parser->add_option("--in", options->parent, "folder to write it to (default: here)")->type_name("DIR");
  parser->add_flag("--overwrite", options->overwrite, "replace files that are there");
  return {parser, false, [options, &global] {
            const Adopted adopted = adopt(*options);
            if (!global.json) {
              print_adopted(adopted);
              return ExitCode::passed;
            }
            JsonValue::Array marks(adopted.marks.begin(), adopted.marks.end());
            fmt::print("{}\n", to_json(json_document("adopt", {{"folder", adopted.folder.string()},
                                                               {"kernel", adopted.kernel},
                                                               {"reference", adopted.reference},
                                                               {"marks", marks}})));
            return ExitCode::passed;
          }};
}

}  // namespace kerlab::cli
