#pragma once
// What would be launched, as text: one line for each launch and each of its arguments.

#include <cstdio>
#include <string>

/// `kd`: the namespace of the exported header's runtime.
namespace kd = kerlab_dispatch_2;

inline std::string extent_text(const kd::Extent& extent) {
  return std::to_string(extent.x) + "x" + std::to_string(extent.y) + "x" + std::to_string(extent.z);
}

template <typename Numbers>
std::string numbers_text(const Numbers& numbers) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

inline std::string argument_text(const kd::Library& library, const kd::Plan& plan, const kd::Argument& argument) {
  const auto index = static_cast<std::size_t>(argument.index);
  switch (argument.kind) {
    case kd::Argument::Kind::scalar: {
      std::string text = "scalar ";
      char hex[4];
      for (std::size_t i = 0; i < argument.size; ++i) {
        std::snprintf(hex, sizeof hex, "%02x", argument.bytes[i]);
        text += hex;
      }
      return text;
    }
    case kd::Argument::Kind::tensor:
      return std::string("tensor ") + library.tensor_names[index] + " + " + std::to_string(argument.offset);
    case kd::Argument::Kind::workspace:
      return std::string("workspace ") + plan.workspaces[index].name + " + " + std::to_string(argument.offset);
    case kd::Argument::Kind::tensor_map:
      break;
  }
  const kd::TensorMap& map = plan.maps[index];
  return std::string("map ") +
         (map.of_workspace ? plan.workspaces[static_cast<std::size_t>(map.buffer)].name
                           : library.tensor_names[map.buffer]) +
         " dims " + numbers_text(map.dims) + " strides " + numbers_text(map.strides) + " box " + numbers_text(map.box) +
         " swizzle " + std::to_string(map.swizzle) + " promotion " + std::to_string(map.promotion) +
         (map.nan_fill ? " nan" : "");
}

inline std::string plan_text(const kd::Library& library, const kd::Plan& plan) {
  std::string text;
  for (const kd::Workspace& workspace : plan.workspaces)
    text += std::string("  workspace ") + workspace.name + " " + std::to_string(workspace.bytes) + " bytes, initial " +
            std::to_string(static_cast<int>(workspace.initial)) + "\n";
  for (const kd::Symbol& symbol : plan.symbols)
    text += std::string("  variable ") + symbol.name + " holds " +
            library.tensor_names[static_cast<std::size_t>(symbol.tensor)] + ", " + std::to_string(symbol.bytes) + " bytes\n";
  for (const kd::Launch& launch : plan.launches) {
    text += std::string(launch.prepares ? "  prepare " : "  launch ") + launch.kernel + " grid " + extent_text(launch.grid) + " block " +
            extent_text(launch.block) + " cluster " + extent_text(launch.cluster) + " shared " +
            std::to_string(launch.shared) + "\n";
    for (const kd::Argument& argument : launch.arguments)
      text += "    " + argument_text(library, plan, argument) + "\n";
  }
  return text;
}
