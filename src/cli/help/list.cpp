#include <CLI/CLI.hpp>
#include <utility>

#include "base/format.h"
#include "cli/frame/shipped_screen.h"
#include "report/form/json.h"
#include "report/form/table.h"
#include "session/analyse/listing.h"

namespace kerlab::cli {

namespace {

JsonValue json_of(const VariantListing& variant) {
  return JsonValue::Object{{"name", variant.name},
                           {"doc", variant.doc},
                           {"accuracy", variant.accuracy},
                           {"tune", variant.tune},
                           {"rung", variant.rung},
                           {"minimum_cc", variant.minimum_cc},
                           {"dtypes", variant.dtypes},
                           {"parameters", variant.parameters},
                           {"configurations", variant.configurations}};
}

JsonValue json_of(const FamilyListing& family) {
  JsonValue::Array variants;
  for (const VariantListing& variant : family.variants) variants.push_back(json_of(variant));
  return JsonValue::Object{
      {"name", family.name},     {"doc", family.doc},         {"group", family.group},
      {"folder", family.folder}, {"dtypes", family.dtypes},   {"dimensions", family.dimensions},
      {"flags", family.flags},   {"scalars", family.scalars}, {"variants", JsonValue(std::move(variants))},
      {"error", family.error}};
}

void print_family(const FamilyListing& family, bool color) {
  fmt::print("{}  {}\n", styled(family.name, Style::bold, color), family.doc);
  fmt::print("  {}; {}\n", fmt::join(family.dtypes, ", "), fmt::join(family.dimensions, ", "));
  for (const std::string& flag : family.flags) fmt::print("  --{}\n", flag);
  for (const std::string& scalar : family.scalars) fmt::print("  --{}\n", scalar);
  fmt::print("  {}\n", family.folder);
  for (const VariantListing& variant : family.variants) {
    fmt::print("    {:<18} {:>7} configurations{}  {}\n", variant.name, variant.configurations,
               variant.tune ? "" : "  (ladder)",
               variant.accuracy.empty() ? variant.doc : fmt::format("({}) {}", variant.accuracy, variant.doc));
    for (const std::string& parameter : variant.parameters) fmt::print("      {}\n", parameter);
  }
}

/// Under their groups, a line each: `width` columns of it, 0: all.
void print_families(const std::vector<FamilyListing>& families, bool color, int width) {
  int widest = 0;
  for (const FamilyListing& family : families) widest = std::max(widest, display_width(family.name));
  std::string group;
  for (const FamilyListing& family : families) {
    if (std::exchange(group, family.group) != family.group)
      fmt::print("{}\n", styled(family.group, Style::bold, color));
    const bool fine = family.error.empty();
    const std::string about =
        fine ? fmt::format("{}{}({}; {})", family.doc, family.doc.empty() ? "" : "  ", fmt::join(family.dtypes, ", "),
                           format_count(static_cast<std::int64_t>(family.variants.size()), "variant"))
             : family.error;
    // What is wrong is read whole.
    const std::string shown = width == 0 || !fine ? about : shortened(about, std::max(20, width - widest - 4));
    fmt::print("  {:<{}}  {}\n", family.name, widest, fine ? shown : styled(shown, Style::bad, color));
  }
  fmt::print("all about one: kerlab list FAMILY\n");
}

JsonValue json_of(const SpaceListing& space) {
  JsonValue::Array cuts;
  for (const Space::Cut& cut : space.cuts)
    cuts.push_back(JsonValue::Object{{"constraint", cut.constraint}, {"remaining", cut.remaining}});
  return JsonValue::Object{
      {"variant", space.variant}, {"unsupported", space.unsupported}, {"raw", space.raw},        {"valid", space.valid},
      {"cuts", std::move(cuts)},  {"cuts_most", space.cuts_most},     {"seconds", space.seconds}};
}

void print_space(const SpaceListing& space, bool color) {
  fmt::print("{}: {} configurations\n", styled(space.variant, Style::bold, color), space.raw);
  std::uint64_t reaching = space.raw;
  for (const Space::Cut& cut : space.cuts) {
    const double share = reaching == 0 ? 1 : static_cast<double>(cut.remaining) / static_cast<double>(reaching);
    fmt::print("  {:<24} -> {:<12} {:>5.1f} %{}\n", cut.constraint, cut.remaining, 100 * share,
               cut.constraint == space.cuts_most ? "  cuts most" : "");
    reaching = cut.remaining;
  }
  fmt::print("  {:<24} -> {:<12} in {:.2f} ms\n", "valid", space.valid, 1e3 * space.seconds);
}

struct ListOptions {
  std::string target, dtype;
  std::vector<std::string> variants, where;
  bool shipped = false, space = false;
};

/// --space: before and after each constraint, for a problem on a device.
ExitCode run_spaces(const GlobalOptions& global, const ListOptions& options) {
  if (options.target.empty()) throw UsageError("list --space: name a family (kerlab list)");
  const SpacesListing listing =
      list_spaces(rig_options(global, options.target), global.problem, options.dtype, options.variants, options.where);
  if (global.json) {
    JsonValue::Array spaces;
    for (const SpaceListing& space : listing.spaces) spaces.push_back(json_of(space));
    fmt::print("{}\n", to_json(json_document("list", {{"problem", listing.title},
                                                      {"device", listing.device},
                                                      {"spaces", JsonValue(std::move(spaces))}})));
    return ExitCode::passed;
  }
  const bool color = color_on(global, stdout);
  fmt::print("{}   {}\n", listing.title, listing.device);
  for (const SpaceListing& space : listing.spaces)
    if (space.unsupported.empty()) print_space(space, color);
  for (const SpaceListing& space : listing.spaces)
    if (!space.unsupported.empty()) fmt::print("left out: {}\n", space.unsupported);
  return ExitCode::passed;
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
    for (const FamilyListing& family : families) values.push_back(json_of(family));
    fmt::print("{}\n", to_json(json_document("list", {{"families", JsonValue(std::move(values))}})));
    return ExitCode::passed;
  }
  const bool color = color_on(global, stdout);
  if (target.empty()) {
    print_families(families, color, table_width(0));
  } else {
    print_family(families.front(), color);
  }
  return ExitCode::passed;
}

}  // namespace

Command add_list(CLI::App& root, const GlobalOptions& global) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* parser = root.add_subcommand("list", "families and variants there are");
  parser->group("Your own kernels");
  parser->footer(
      "examples: kerlab list gemm   # its variants, parameters, dimensions\n"
      "          kerlab list gemm --space --variant gemm_sm80 --M 8192");
  parser->add_option("family", options->target, "a family's name, or a folder: all about it; none: a line for each");
  parser->add_flag("--shipped", options->shipped, "winners that others measured, which a tune tries first");
  parser->add_flag("--space", options->space, "how many configurations each constraint leaves, for a problem");
  parser->add_option("--dtype", options->dtype, "with --space: default as for a tune");
  parser->add_option("--variant", options->variants, "with --space: only these")->delimiter(',');
  parser->add_option("--where", options->where, "with --space: as for a tune")->type_name("CONDITION");
  return {
      parser, true,
      [options, &global] {
        if (options->space) return run_spaces(global, *options);
        if (!global.problem.empty() || !options->dtype.empty() || !options->variants.empty() || !options->where.empty())
          throw UsageError("list: dimensions, --dtype, --variant and --where go with --space");
        return options->shipped ? list_shipped(global, options->target) : run(global, options->target);
      },
      false, [] { return true; }};
}

}  // namespace kerlab::cli
