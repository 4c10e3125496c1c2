#include "report/dispatch/export_identity.h"

namespace kerlab::report {

namespace {

constexpr std::string_view kBegin = "/* kerlab-export\n";
constexpr std::string_view kEnd = "\n*/\n";

std::string string_of(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  return value == nullptr ? "" : value->text();
}

double number_of(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  if (value == nullptr) return 0;
  if (const auto* real = std::get_if<double>(&value->variant())) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value->variant())) return static_cast<double>(*whole);
  return 0;
}

JsonValue to_value(const ExportIdentity::Shape& shape) {
  return JsonValue::Object{{"problem", shape.problem},
                           {"variant", shape.variant},
                           {"configuration", shape.configuration},
                           {"source_hash", shape.source_hash},
                           {"options", shape.options},
                           {"us", shape.us},
                           {"best_variant", shape.best_variant},
                           {"best_configuration", shape.best_configuration},
                           {"best_us", shape.best_us},
                           {"decided", shape.decided}};
}

std::optional<ExportIdentity> from_value(const JsonValue& value) {
  if (value.find("shapes") == nullptr || value.find("device_class") == nullptr) return std::nullopt;
  ExportIdentity identity;
  identity.family = string_of(value, "family");
  identity.target = string_of(value, "target");
  identity.device_class = string_of(value, "device_class");
  identity.toolchain = string_of(value, "toolchain");
  identity.driver = string_of(value, "driver");
  identity.exported = string_of(value, "exported");
  identity.clock = string_of(value, "clock");
  identity.check_version = static_cast<std::int64_t>(number_of(value, "check_version"));
  if (const JsonValue* facts = value.find("facts"))
    if (const auto* object = std::get_if<JsonValue::Object>(&facts->variant()))
      for (const auto& [name, fact] : *object)
        identity.facts.emplace_back(name, static_cast<std::int64_t>(number_of(*facts, name)));
  for (const JsonValue& shape : value.find("shapes")->elements())
    identity.shapes.push_back({string_of(shape, "problem"), string_of(shape, "variant"),
                               string_of(shape, "configuration"), string_of(shape, "source_hash"),
                               string_of(shape, "options"), number_of(shape, "us"), string_of(shape, "best_variant"),
                               string_of(shape, "best_configuration"), string_of(shape, "decided"),
                               number_of(shape, "best_us")});
  return identity;
}

}  // namespace

ExportIdentity identity_of(const ExportedLibrary& library) {
  ExportIdentity identity{library.family,  library.target, library.device_class,  library.toolchain, library.driver,
                          library.created, library.clock,  library.check_version, library.facts,     {}};
  for (const ExportedShape& shape : library.shapes) {
    const ExportedKernel& kernel = library.kernels[shape.kernel];
    identity.shapes.push_back({shape.problem, kernel.variant, kernel.configuration, kernel.source_hash, shape.options,
                               shape.us, shape.best_variant, shape.best_configuration, shape.decided, shape.best_us});
  }
  return identity;
}

JsonValue to_value(const ExportIdentity& identity) {
  JsonValue::Object facts;
  for (const auto& [name, value] : identity.facts) facts.emplace_back(name, value);
  JsonValue::Array shapes;
  for (const ExportIdentity::Shape& shape : identity.shapes) shapes.push_back(to_value(shape));
  return JsonValue::Object{{"format", 1},
                           {"family", identity.family},
                           {"target", identity.target},
                           {"device_class", identity.device_class},
                           {"toolchain", identity.toolchain},
                           {"driver", identity.driver},
                           {"exported", identity.exported},
                           {"clock", identity.clock},
                           {"check_version", identity.check_version},
                           {"facts", std::move(facts)},
                           {"shapes", std::move(shapes)}};
}

/// "*/" within a string would end the comment: JSON may write the slash as \/.
std::string identity_comment(const ExportIdentity& identity) {
  std::string json = to_json(to_value(identity));
  for (std::size_t at = json.find("*/"); at != std::string::npos; at = json.find("*/", at + 3))
    json.insert(at + 1, "\\");
  return std::string(kBegin) + json + std::string(kEnd);
}

std::optional<ExportIdentity> read_identity(std::string_view text) {
  const std::size_t begin = text.find(kBegin);
  if (begin == std::string_view::npos) {
    const auto document = parse_json(text);
    const JsonValue* identity = document ? document->find("identity") : nullptr;
    return identity == nullptr ? std::nullopt : from_value(*identity);
  }
  text.remove_prefix(begin + kBegin.size());
  const auto value = parse_json(text.substr(0, text.find(kEnd)));
  return value ? from_value(*value) : std::nullopt;
}

}  // namespace kerlab::report
