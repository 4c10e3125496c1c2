#include "cli/check/save_inputs.h"

#include <fmt/ranges.h>

#include "cli/frame/suite.h"
#include "report/form/json.h"
#include "session/check/save_inputs.h"

namespace kerlab::cli {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

JsonValue::Array file_values(const std::vector<SavedInputs::File>& files) {
  JsonValue::Array values;
  for (const SavedInputs::File& one : files)
    values.push_back(JsonValue::Object{{"file", one.file}, {"stored", one.stored}, {"shape", one.shape}});
  return values;
}

JsonValue::Array saved_values(const std::vector<SavedInputs>& saved) {
  JsonValue::Array values;
  for (const SavedInputs& one : saved)
    values.push_back(JsonValue::Object{{"recipe", one.recipe},
                                       {"folder", one.folder.string()},
                                       {"inputs", file_values(one.inputs)},
                                       {"outputs", file_values(one.outputs)}});
  return values;
}

std::string screen(const Problem& problem, const std::vector<SavedInputs>& saved) {
  std::string text = fmt::format("inputs of {}:\n", problem.title());
  for (const SavedInputs& one : saved) {
    std::vector<std::string> files;
    for (const SavedInputs::File& file : one.inputs) files.push_back(file.file);
    text += fmt::format("  {}/  {}\n", one.folder.string(), fmt::join(files, " "));
  }
  text += "put beside them, in each folder:\n";
  for (const SavedInputs::File& file : saved.empty() ? std::vector<SavedInputs::File>() : saved.front().outputs)
    text += fmt::format("  {}  {}, {}\n", file.file, fmt::join(file.stored, " or "), shape_text(file.shape));
  return text;
}

}  // namespace

ExitCode run_save_inputs(const CheckOptions& options, const std::string& folder, const GlobalOptions& global) {
  if (folder.empty()) throw UsageError("--save-inputs: name a folder");
  const KernelFolder kernels = open_catalogue(kernel_folders(global)).find(options.rig.target);
  const Family& family = kernels.family;
  const Problem problem = make_problem(family, make_request(family, options.arguments, options.dtype));
  const std::vector<SavedInputs> saved = save_inputs(family, problem, options.recipes, folder);
  if (global.json)
    fmt::print("{}\n", to_json(json_document("check", {{"problem", problem.key()}, {"saved", saved_values(saved)}})));
  else
    fmt::print("{}", screen(problem, saved));
  return ExitCode::passed;
}

}  // namespace kerlab::cli
