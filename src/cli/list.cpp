#include <CLI/CLI.hpp>

#include "cli/shipped_screen.h"
#include "report/json.h"
#include "session/listing.h"

namespace kerlab {

namespace {

JsonValue to_value(const VariantListing& variant) {
  return JsonValue::Object{{"name", variant.name},
                           {"doc", variant.doc},
                           {"tune", variant.tune},
                           {"rung", variant.rung},
                           {"minimum_cc", variant.minimum_cc},
                           {"dtypes", variant.dtypes},
                           {"parameters", variant.parameters},
                           {"configurations", variant.configurations}};
}

JsonValue to_value(const FamilyListing& family) {
  JsonValue::Array variants;
  for (const VariantListing& variant : family.variants) variants.push_back(to_value(variant));
  return JsonValue::Object{{"name", family.name},
                           {"doc", family.doc},
                           {"folder", family.folder},
                           {"dtypes", family.dtypes},
                           {"dimensions", family.dimensions},
                           {"flags", family.flags},
                           {"scalars", family.scalars},
                           {"variants", JsonValue(std::move(variants))},
                           {"error", family.error}};
}

void print_family(const FamilyListing& family, bool whole, bool color) {
  fmt::print("{}  {}\n", styled(family.name, Style::bold, color), family.doc);
  if (!family.error.empty()) {
    fmt::print("  {}\n", styled(family.error, Style::bad, color));
    return;
  }
  fmt::print("  {}; {}\n", fmt::join(family.dtypes, ", "), fmt::join(family.dimensions, ", "));
  if (whole) {
    for (const std::string& flag : family.flags) fmt::print("  --{}\n", flag);
    for (const std::string& scalar : family.scalars) fmt::print("  --{}\n", scalar);
    fmt::print("  {}\n", family.folder);
  }
  for (const VariantListing& variant : family.variants) {
    fmt::print("    {:<18} {:>7} configurations{}  {}\n", variant.name, variant.configurations,
               variant.tune ? "" : "  (ladder)", variant.doc);
    for (std::size_t i = 0; whole && i < variant.parameters.size(); ++i)
      fmt::print("      {}\n", variant.parameters[i]);
  }
}

ExitCode run(const GlobalOptions& global, const std::string& target) {
  std::vector<FamilyListing> families;
  if (target.empty()) {
    families = list_families(kernel_folders(global));
  } else {
    families.push_back(list_family(kernel_folders(global), target));
  }
  if (global.json) {
    JsonValue::Array values;
    for (const FamilyListing& family : families) values.push_back(to_value(family));
    fmt::print("{}\n", to_json(json_document("list", {{"families", JsonValue(std::move(values))}})));
    return ExitCode::passed;
  }
  for (const FamilyListing& family : families) print_family(family, !target.empty(), color_on(global, stdout));
  return ExitCode::passed;
}

}  // namespace

Command add_list(CLI::App& root, const GlobalOptions& global) {
  auto target = std::make_shared<std::string>();
  CLI::App* parser = root.add_subcommand("list", "families and variants there are");
  parser->footer("example: kerlab list gemm");
  parser->add_option("family", *target, "a family's name, or a folder: all about it");
  auto shipped = std::make_shared<bool>(false);
  parser->add_flag("--shipped", *shipped, "winners that others measured, which a tune tries first");
  return {parser, false,
          [target, shipped, &global] { return *shipped ? list_shipped(global, *target) : run(global, *target); }};
}

}  // namespace kerlab
