#include "spec/launch_reader.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "spec/kernel_name.h"
#include "spec/launch_plan_builder.h"

namespace kerlab::spec {
namespace {

using NamedSlot = std::pair<std::string_view, ReferenceSlot>;
constexpr std::array<NamedSlot, 4> kReferenceSlots = {{{"index", ReferenceSlot::index},
                                                       {"count", ReferenceSlot::count},
                                                       {"value", ReferenceSlot::value},
                                                       {"scale", ReferenceSlot::scale}}};
constexpr std::array<NamedSlot, 4> kCheckerSlots = {{{"index", ReferenceSlot::index},
                                                     {"count", ReferenceSlot::count},
                                                     {"error", ReferenceSlot::error},
                                                     {"code", ReferenceSlot::code}}};

std::span<const NamedSlot> slots_of(LaunchOf whose) {
  if (whose == LaunchOf::variant || whose == LaunchOf::before_reference) return {};
  return whose == LaunchOf::checker ? kCheckerSlots : kReferenceSlots;
}

/// A piece of an argument's text with its place in it.
struct LaunchPiece {
  std::string_view text;
  std::size_t offset;
};

LaunchPiece trimmed(LaunchPiece piece) {
  const std::size_t begin = std::min(piece.text.find_first_not_of(" \t"), piece.text.size());
  const std::size_t end = piece.text.find_last_not_of(" \t") + 1;
  return {piece.text.substr(begin, end > begin ? end - begin : 0), piece.offset + begin};
}

SourceLocation at(SourceLocation where, std::size_t offset) {
  where.column += static_cast<int>(offset);
  return where;
}

/// "ping|pong" in two; "a || b" stays whole. What stands before `begin` is no part of it.
std::vector<LaunchPiece> alternatives(std::string_view text, std::size_t begin) {
  std::vector<LaunchPiece> result;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] != '|') continue;
    if (i + 1 < text.size() && text[i + 1] == '|') {
      ++i;
      continue;
    }
    result.push_back(trimmed({text.substr(begin, i - begin), begin}));
    begin = i + 1;
  }
  result.push_back(trimmed({text.substr(begin), begin}));
  return result;
}

class ArgumentParser {
 public:
  ArgumentParser(const SourceLocation& where, const Scope& scope, LaunchOf whose)
      : where_(where), scope_(scope), slots_(slots_of(whose)) {}

  ArgumentChoice parse(LaunchPiece piece) const {
    if (piece.text.empty()) fail(piece, "empty argument");
    if (piece.text[0] == '@') return tensor_map(trimmed({piece.text.substr(1), piece.offset + 1}));
    if (piece.text.starts_with("i64:")) return integer(piece, 4, ArgumentChoice::Kind::int64);
    if (piece.text.starts_with("i32:")) return integer(piece, 4, ArgumentChoice::Kind::int32);
    const std::size_t end = std::min(piece.text.find_first_of(" +"), piece.text.size());
    const std::string_view word = piece.text.substr(0, end);
    if (const NameKind* kind = scope_.find(word)) {
      if (*kind == NameKind::tensor || *kind == NameKind::workspace) return pointer(piece, end, *kind);
      if (*kind == NameKind::scalar && end == piece.text.size()) return named(ArgumentChoice::Kind::scalar, word);
      if (*kind == NameKind::tensor_map) fail(piece, fmt::format("write '@{}' for a tensor map", word));
    }
    for (const auto& [name, slot] : slots_)
      if (piece.text == name) return reference_slot(slot);
    if (is_identifier(piece.text) && scope_.find(word) == nullptr && !scope_.knows(word))
      fail(piece, fmt::format("argument '{}' names nothing{}", word, suggestion(word, candidates())));
    return integer(piece, 0, ArgumentChoice::Kind::int32);
  }

 private:
  [[noreturn]] void fail(LaunchPiece piece, const std::string& what) const {
    throw SpecError(at(where_, piece.offset), what);
  }

  [[nodiscard]] std::vector<std::string> candidates() const {
    std::vector<std::string> names = scope_.names();
    for (const auto& [name, slot] : slots_) names.emplace_back(name);
    return names;
  }

  static ArgumentChoice named(ArgumentChoice::Kind kind, std::string_view name) {
    ArgumentChoice choice;
    choice.kind = kind;
    choice.name = name;
    return choice;
  }

  static ArgumentChoice reference_slot(ReferenceSlot slot) {
    ArgumentChoice choice;
    choice.kind = ArgumentChoice::Kind::reference_slot;
    choice.slot = slot;
    return choice;
  }

  ArgumentChoice tensor_map(LaunchPiece name) const {
    const NameKind* kind = scope_.find(name.text);
    if (kind == nullptr || *kind != NameKind::tensor_map)
      fail(name, fmt::format("no tensor map is called '{}'{}", name.text, suggestion(name.text, scope_.names())));
    return named(ArgumentChoice::Kind::tensor_map, name.text);
  }

  ArgumentChoice pointer(LaunchPiece piece, std::size_t end, NameKind kind) const {
    ArgumentChoice choice =
        named(kind == NameKind::tensor ? ArgumentChoice::Kind::tensor : ArgumentChoice::Kind::workspace,
              piece.text.substr(0, end));
    const LaunchPiece rest = trimmed({piece.text.substr(end), piece.offset + end});
    if (rest.text.empty()) return choice;
    if (rest.text[0] != '+') fail(rest, fmt::format("expected '+ bytes' after '{}'", choice.name));
    const LaunchPiece offset = trimmed({rest.text.substr(1), rest.offset + 1});
    choice.expression = Expression::parse(offset.text, at(where_, offset.offset));
    scope_.check(choice.expression);
    return choice;
  }

  ArgumentChoice integer(LaunchPiece piece, std::size_t prefix, ArgumentChoice::Kind kind) const {
    const LaunchPiece body = trimmed({piece.text.substr(prefix), piece.offset + prefix});
    ArgumentChoice choice;
    choice.kind = kind;
    choice.expression = Expression::parse(body.text, at(where_, body.offset));
    scope_.check(choice.expression);
    return choice;
  }

  const SourceLocation& where_;
  const Scope& scope_;
  std::span<const NamedSlot> slots_;
};

std::vector<Expression> read_extents(const SpecTable& table, std::string_view key, const Scope& scope) {
  std::vector<Expression> extents = table.expressions(key);
  if (extents.size() > 3) table.fail(key, fmt::format("{} extents, at most 3", extents.size()));
  scope.check(extents);
  return extents;
}

/// `first`: whatever the configuration, nothing of the plan comes before it.
void read_overlap(const SpecTable& row, const Scope& scope, bool first, LaunchDecl& launch) {
  launch.programmatic = row.expression_or_empty("programmatic");
  scope.check(launch.programmatic);
  const bool always =
      !launch.programmatic.empty() && launch.programmatic.names().empty() && launch.programmatic.evaluate({}) != 0;
  if (first && always) row.fail("programmatic", first_cannot_depend(launch.kernel));
}

}  // namespace

ArgumentDecl parse_argument(const std::string& text, const SourceLocation& where, const Scope& scope, LaunchOf whose) {
  ArgumentDecl argument{text, {}, {}, where};
  std::size_t begin = 0;
  if (text.starts_with("if ")) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) throw SpecError(where, "expected 'if CONDITION: argument'");
    const LaunchPiece condition = trimmed({std::string_view(text).substr(3, colon - 3), 3});
    argument.when = Expression::parse(condition.text, at(where, condition.offset));
    scope.check(argument.when);
    begin = colon + 1;
  }
  const ArgumentParser parser(where, scope, whose);
  for (const LaunchPiece& piece : alternatives(text, begin)) argument.choices.push_back(parser.parse(piece));
  return argument;
}

LaunchDecl read_launch(const SpecTable& table, const Scope& scope, LaunchOf whose) {
  LaunchDecl launch;
  launch.where = table.where();
  if (whose == LaunchOf::reference || whose == LaunchOf::checker) {
    launch.kernel = table.identifier("kernel", whose == LaunchOf::checker ? "checker" : "reference");
  } else {
    launch.kernel = table.text("kernel");
    launch.kernel_name = parse_kernel_name(launch.kernel, table.where("kernel"), scope);
  }
  launch.grid = read_extents(table, "grid", scope);
  launch.block = read_extents(table, "block", scope);
  launch.cluster = read_extents(table, "cluster", scope);
  if (launch.grid.empty()) table.fail("grid", "a launch needs a grid");
  if (launch.block.empty()) table.fail("block", "a launch needs a block");
  launch.shared = table.expression_or_empty("shared");
  scope.check(launch.shared);
  for (const auto& [text, where] : table.located_texts("arguments", true))
    launch.arguments.push_back(parse_argument(text, where, scope, whose));
  return launch;
}

std::vector<LaunchDecl> read_launches(const SpecTable& variant, const char* tables, const Scope& scope) {
  std::vector<LaunchDecl> launches;
  for (const TomlValue& value : variant.tables(tables)) {
    const SpecTable row =
        SpecTable::named(value, tables,
                         {"kernel", "doc", "grid", "block", "cluster", "shared", "arguments", "repeat", "group", "when",
                          "cooperative", "in_order", "programmatic", "carveout"},
                         "kernel");
    const std::string group = row.identifier("group", "_");
    const bool in_group = row.has("group");
    const bool continues = in_group && !launches.empty() && launches.back().group == group;
    if (continues && row.has("repeat")) row.fail("repeat", "the first launch of a group says how often it repeats");
    const Expression repeat = row.expression_or_empty("repeat");
    scope.check(repeat);
    Scope launch_scope = scope;
    const bool repeats = in_group || row.has("repeat");
    if (repeats) launch_scope.know("i");
    LaunchDecl launch = read_launch(row, launch_scope, LaunchOf::variant);
    launch.cooperative = row.boolean("cooperative", false);
    launch.in_order = row.boolean("in_order", false);
    const bool timed = std::string_view(tables) == "launch";
    read_overlap(row, launch_scope, timed && launches.empty() && !repeats, launch);
    launch.carveout = row.expression_or_empty("carveout");
    launch_scope.check(launch.carveout);
    launch.repeat = repeat;
    launch.group = in_group ? group : "";
    launch.when = row.expression_or_empty("when");
    launch_scope.check(launch.when);
    launches.push_back(std::move(launch));
  }
  return launches;
}

std::vector<Derived> read_derived(const SpecTable& table) {
  std::vector<Derived> derived;
  for (const TomlValue& value : table.tables("derived")) {
    const SpecTable row = SpecTable::named(value, "derived", {"name", "value", "doc", "define"});
    derived.push_back(
        {row.identifier("name"), row.expression("value"), row.where("name"), row.boolean("define", true)});
  }
  return derived;
}

}  // namespace kerlab::spec
