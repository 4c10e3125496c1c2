#include "report/dispatch/export_json.h"

#include "report/dispatch/dispatch_header.h"
#include "report/dispatch/export_identity.h"

namespace kerlab::report {

namespace {

template <typename Value>
JsonValue named(const std::vector<std::pair<std::string, Value>>& list) {
  JsonValue::Object object;
  for (const auto& [name, value] : list) object.emplace_back(name, value);
  return object;
}

JsonValue to_value(const ExportedLaunch& launch) {
  return JsonValue::Object{{"kernel", launch.kernel},    {"grid", launch.grid},
                           {"block", launch.block},      {"cluster", launch.cluster},
                           {"shared", launch.shared},    {"arguments", launch.arguments},
                           {"when", launch.when},        {"repeat", launch.repeat},
                           {"group", launch.group},      {"programmatic", launch.programmatic},
                           {"carveout", launch.carveout}};
}

JsonValue to_value(const ExportedTensorMap& map) {
  return JsonValue::Object{{"name", map.name},       {"tensor", map.tensor},       {"dtype", map.dtype},
                           {"dims", map.dims},       {"strides", map.strides},     {"box", map.box},
                           {"swizzle", map.swizzle}, {"promotion", map.promotion}, {"nan_fill", map.nan_fill}};
}

JsonValue to_value(const ExportedWorkspace& workspace) {
  return JsonValue::Object{{"name", workspace.name}, {"bytes", workspace.bytes}, {"initial", workspace.initial}};
}

JsonValue to_value(const ExportedSymbol& symbol) {
  return JsonValue::Object{{"name", symbol.name}, {"tensor", symbol.tensor}};
}

template <typename Item>
JsonValue all(const std::vector<Item>& items) {
  JsonValue::Array values;
  for (const Item& item : items) values.push_back(to_value(item));
  return values;
}

JsonValue kernel_value(const ExportedKernel& kernel, const ExportedLibrary& library, const std::string& cubins) {
  const std::string file = cubin_name(library.images[kernel.image]);
  JsonValue::Array derived;
  for (const auto& [name, value] : kernel.derived)
    derived.push_back(JsonValue::Object{{"name", name}, {"value", value}});
  JsonValue::Array constraints;
  for (const auto& [name, condition] : kernel.constraints)
    constraints.push_back(JsonValue::Object{{"name", name}, {"condition", condition}});
  return JsonValue::Object{{"variant", kernel.variant},
                           {"configuration", kernel.configuration},
                           {"accuracy", kernel.accuracy},
                           {"dtype", kernel.dtype},
                           {"flags", kernel.flags},
                           {"cubin", cubins.empty() ? file : cubins + "/" + file},
                           {"cubin_bytes", library.images[kernel.image].bytes.size()},
                           {"source_hash", kernel.source_hash},
                           {"constants", named(kernel.constants)},
                           {"compiled", named(kernel.compiled)},
                           {"derived", std::move(derived)},
                           {"constraints", std::move(constraints)},
                           {"workspaces", all(kernel.workspaces)},
                           {"tensor_maps", all(kernel.maps)},
                           {"symbols", all(kernel.symbols)},
                           {"prepare", all(kernel.prepare)},
                           {"launches", all(kernel.launches)}};
}

JsonValue shape_value(const ExportedShape& shape) {
  return JsonValue::Object{{"problem", shape.problem}, {"dimensions", shape.dimensions},
                           {"scalars", shape.scalars}, {"kernel", shape.kernel},
                           {"us", shape.us},           {"low_us", shape.low_us},
                           {"high_us", shape.high_us}, {"own_best_us", shape.best_us},
                           {"loss", shape.loss}};
}

}  // namespace

JsonValue export_value(const ExportedLibrary& library, const std::string& cubins) {
  JsonValue::Array kernels, shapes, tensors;
  for (const ExportedKernel& kernel : library.kernels) kernels.push_back(kernel_value(kernel, library, cubins));
  for (const ExportedShape& shape : library.shapes) shapes.push_back(shape_value(shape));
  for (const ExportedTensor& tensor : library.tensors)
    tensors.push_back(JsonValue::Object{{"name", tensor.name}, {"role", tensor.role}, {"doc", tensor.doc}});
  return json_document("export", {{"identity", to_value(identity_of(library))},
                                  {"arch", library.arch},
                                  {"within", library.within},
                                  {"largest", library.largest},
                                  {"unchecked_values", library.unchecked_values},
                                  {"dimension_names", library.dimension_names},
                                  {"flags", named(library.flag_names)},
                                  {"scalar_names", library.scalar_names},
                                  {"tensors", std::move(tensors)},
                                  {"kernels", std::move(kernels)},
                                  {"shapes", std::move(shapes)}});
}

}  // namespace kerlab::report
