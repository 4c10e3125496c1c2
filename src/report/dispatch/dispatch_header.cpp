#include "report/dispatch/dispatch_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "base/cpp_string.h"
#include "base/embedded.h"
#include "report/dispatch/export_identity.h"

namespace kerlab::report {

namespace {

/// CUdevice_attribute of a property; -1 and -2 as report/dispatch/library.h has them.
int attribute_of(const std::string& fact) {
  constexpr std::array<std::pair<const char*, int>, 13> kAttributes = {{{"device.cc", -2},
                                                                        {"device.sms", 16},
                                                                        {"device.memory_bytes", -1},
                                                                        {"device.l2_bytes", 38},
                                                                        {"device.shared_per_block", 97},
                                                                        {"device.shared_per_sm", 81},
                                                                        {"device.shared_reserved", 111},
                                                                        {"device.registers_per_block", 12},
                                                                        {"device.registers_per_sm", 82},
                                                                        {"device.threads_per_block", 1},
                                                                        {"device.threads_per_sm", 39},
                                                                        {"device.blocks_per_sm", 106},
                                                                        {"device.warp_size", 10}}};
  for (const auto& [name, attribute] : kAttributes)
    if (fact == name) return attribute;
  return -1;
}

/// Of clusters no attribute tells: a card whose GPCs are others runs what was chosen for this one, in more waves.
bool is_checked(const std::string& fact) {
  return !fact.starts_with("device.max_active_clusters.");
}

/// A name that C++ has for itself gets a line below.
std::string identifier(const std::string& name) {
  static const std::set<std::string> kTaken = {
      "auto",  "bool", "break", "case",  "char",    "class", "const",  "do",       "double", "else",   "enum",
      "float", "for",  "if",    "int",   "long",    "new",   "return", "short",    "signed", "static", "this",
      "union", "void", "while", "dtype", "request", "list",  "using",  "unsigned", "goto",   "switch"};
  return kTaken.contains(name) ? name + "_" : name;
}

/// "1.0": a double that C++ reads back as the same.
std::string number(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

template <typename Item, typename Write>
std::string joined(const std::vector<Item>& items, const Write& write) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : ", ") + write(item);
  return text;
}

std::uint64_t fnv1a(const std::vector<std::byte>& bytes) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1099511628211ULL;
  return hash;
}

/// src/report/dispatch/*.h in one, which several exported headers in one program share: the first defines it.
void runtime(std::string& text) {
  std::set<std::string> includes;
  std::string body;
  for (const EmbeddedFile& file : kDispatchFiles) {
    std::istringstream lines{std::string(file.text)};
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#include <")) includes.insert(line);
      if (!line.starts_with("#include ") && line != "#pragma once") body += line + "\n";
    }
  }
  for (const std::string& include : includes) text += include + "\n";
  text += "\n#ifndef KERLAB_DISPATCH_2\n#define KERLAB_DISPATCH_2\n" + body + "\n#endif  // KERLAB_DISPATCH_2\n\n";
}

class Header {
 public:
  Header(const ExportedLibrary& library, const CubinPlace& place)
      : library_(library), place_(place), space_("kerlab_" + library.family) {}

  std::string text() {
    preamble();
    const std::string guard = fmt::format("{}_EXPORTED_BY_KERLAB", space_);
    text_ += fmt::format("#ifndef {0}\n#define {0}\n\n", guard);
    runtime(text_);
    text_ += fmt::format("namespace {} {{\n\nnamespace kd = ::kerlab_dispatch_2;\n\n", space_);
    constants();
    text_ += "namespace tables {\n\n";
    images();
    plans();
    tables();
    text_ += "}  // namespace tables\n\n";
    library();
    interface();
    text_ += fmt::format("}}  // namespace {}\n\n#endif  // {}\n", space_, guard);
    return std::move(text_);
  }

 private:
  void preamble() {
    text_ += fmt::format(
        "// Kernels of {} for {}, chosen and checked by kerlab {}, with what launches them. Written by `kerlab "
        "export`:\n// do not edit; `kerlab export --check FILE` says when it is stale.\n//\n"
        "// exported {}, {}, driver {}, checks version {}, cubins for {}; times are {}\n//\n",
        library_.family, library_.device_class, library_.kerlab, library_.created, library_.toolchain,
        library_.driver.empty() ? "none" : library_.driver, library_.check_version, library_.arch, library_.clock);
    if (library_.unchecked_values)
      text_ += "// --unchecked-values: not every value of these kernels' parameters need have been right once.\n//\n";
    for (const ExportedShape& shape : library_.shapes) {
      const ExportedKernel& kernel = library_.kernels[shape.kernel];
      text_ += fmt::format("// {}: {:.2f} us{} ({} {}{})\n", shape.title, shape.us,
                           shape.loss > 0 ? fmt::format(", {:.1f} % above its best", 100 * shape.loss) : "",
                           kernel.variant, kernel.configuration, kernel.accuracy.empty() ? "" : ", " + kernel.accuracy);
    }
    text_ += identity_comment(identity_of(library_));
  }

  void constants() {
    for (const auto& [name, value] :
         std::initializer_list<std::pair<const char*, const std::string&>>{{"kDeviceClass", library_.device_class},
                                                                           {"kToolchain", library_.toolchain},
                                                                           {"kDriver", library_.driver},
                                                                           {"kExported", library_.created},
                                                                           {"kClock", library_.clock}})
      text_ += fmt::format("inline constexpr const char* {} = {};\n", name, cpp_string(value));
    text_ += fmt::format("inline constexpr int kCheckVersion = {};\n\n", library_.check_version);
  }

  void images() {
    for (std::size_t i = 0; i < library_.images.size() && place_.embedded; ++i) {
      text_ += fmt::format("alignas(64) inline constexpr unsigned char image_{}[] = {{", i);
      const auto& bytes = library_.images[i].bytes;
      for (std::size_t at = 0; at < bytes.size(); ++at)
        text_ += fmt::format("{}{},", at % 40 == 0 ? "\n" : "", static_cast<unsigned>(bytes[at]));
      text_ += "\n};\n";
    }
    text_ += "inline constexpr kd::Image images[] = {\n";
    for (std::size_t i = 0; i < library_.images.size(); ++i) {
      const ExportedImage& image = library_.images[i];
      text_ +=
          fmt::format("    {{{}, {}, {}, 0x{:016x}ULL}},\n",
                      place_.embedded ? fmt::format("image_{}", i) : std::string("nullptr"), image.bytes.size(),
                      cpp_string(place_.folder.empty() ? cubin_name(image) : place_.folder + "/" + cubin_name(image)),
                      fnv1a(image.bytes));
    }
    text_ += "};\n\n";
  }

  void plans() {
    for (std::size_t i = 0; i < library_.kernels.size(); ++i) {
      const ExportedKernel& kernel = library_.kernels[i];
      text_ += fmt::format(
          "// {} {}\ninline void plan_{}([[maybe_unused]] const kd::Request& request, kd::Planner& e) {{\n{}}}\n\n",
          kernel.variant, kernel.configuration, i, kernel.plan_code);
    }
  }

  void names(const char* name, const std::vector<std::string>& list) {
    text_ +=
        fmt::format("inline constexpr const char* {}[] = {{{}}};\n", name,
                    list.empty() ? "nullptr" : joined(list, [](const std::string& one) { return cpp_string(one); }));
  }

  void tables() {
    names("dimension_names", library_.dimension_names);
    std::vector<std::string> list;
    for (const auto& [name, value] : library_.flag_names) list.push_back(name);
    names("flag_names", list);
    names("scalar_names", library_.scalar_names);
    list.clear();
    for (const ExportedTensor& tensor : library_.tensors) list.push_back(tensor.name);
    names("tensor_names", list);
    for (std::size_t i = 0; i < library_.kernels.size(); ++i)
      names(fmt::format("flags_{}", i).c_str(), library_.kernels[i].flags);
    text_ += "inline constexpr kd::Kernel kernels[] = {\n";
    for (std::size_t i = 0; i < library_.kernels.size(); ++i) {
      const ExportedKernel& kernel = library_.kernels[i];
      text_ += fmt::format("    {{{}, {}, {}, flags_{}, {}, plan_{}}},\n", cpp_string(kernel.variant),
                           cpp_string(kernel.configuration), cpp_string(kernel.dtype), i, kernel.image, i);
    }
    text_ += "};\n";
    shapes();
    text_ += "inline constexpr kd::Fact facts[] = {\n";
    for (const auto& [name, value] : library_.facts)
      if (is_checked(name)) text_ += fmt::format("    {{{}, {}, {}}},\n", cpp_string(name), value, attribute_of(name));
    text_ += "};\n\n";
  }

  void shapes() {
    for (std::size_t i = 0; i < library_.shapes.size(); ++i) {
      const ExportedShape& shape = library_.shapes[i];
      text_ += fmt::format("inline constexpr std::int64_t dimensions_{}[] = {{{}}};\n", i,
                           joined(shape.dimensions, [](std::int64_t value) { return fmt::format("{}", value); }));
      text_ += fmt::format("inline constexpr double scalars_{}[] = {{{}}};\n", i,
                           shape.scalars.empty() ? "0" : joined(shape.scalars, number));
    }
    text_ += "inline constexpr kd::Shape shapes[] = {\n";
    for (std::size_t i = 0; i < library_.shapes.size(); ++i) {
      const ExportedShape& shape = library_.shapes[i];
      text_ += fmt::format("    {{dimensions_{0}, scalars_{0}, {1}, {2}, {3}, {4}, {5}}},  // {6}\n", i, shape.kernel,
                           number(shape.us), number(shape.low_us), number(shape.high_us), number(shape.best_us),
                           shape.title);
    }
    text_ += "};\n";
  }

  void library() {
    text_ += fmt::format(
        "inline const kd::Library& library() {{\n  static const kd::Library library = {{\n      {}, kDeviceClass, "
        "kToolchain, kDriver, kExported, kClock, kCheckVersion,\n      tables::dimension_names, tables::flag_names, "
        "tables::scalar_names, tables::tensor_names, {}, {}, {}, {},\n      tables::images, {}, tables::kernels, {}, "
        "tables::shapes, {}, tables::facts, {}}};\n  return library;\n}}\n\n",
        cpp_string(library_.family), library_.dimension_names.size(), library_.flag_names.size(),
        library_.scalar_names.size(), library_.tensors.size(), library_.images.size(), library_.kernels.size(),
        library_.shapes.size(),
        std::ranges::count_if(library_.facts, [](const auto& fact) { return is_checked(fact.first); }));
  }

  void problem() {
    text_ += "/// What to compute.\nstruct Problem {\n";
    std::vector<std::string> flags;
    for (std::size_t i = 0; i < library_.dimension_names.size(); ++i)
      text_ += fmt::format("  std::int64_t {} = {};\n", identifier(library_.dimension_names[i]),
                           library_.dimension_defaults[i]);
    text_ += fmt::format("  std::string dtype = {};\n", cpp_string(library_.default_dtype));
    for (const auto& [name, value] : library_.flag_names) {
      flags.push_back(name);
      text_ += fmt::format("  std::string {} = {};\n", identifier(name), cpp_string(value));
    }
    for (std::size_t i = 0; i < library_.scalar_names.size(); ++i)
      text_ +=
          fmt::format("  double {} = {};\n", identifier(library_.scalar_names[i]), number(library_.scalar_defaults[i]));
    text_ += fmt::format("  kd::Request request() const {{ return {{{{{}}}, dtype, {{{}}}, {{{}}}}}; }}\n}};\n\n",
                         joined(library_.dimension_names, identifier), joined(flags, identifier),
                         joined(library_.scalar_names, identifier));
  }

  void interface() {
    problem();
    text_ += "/// Device addresses, at multiples of 16 bytes; 0: not used by the problem.\nstruct Tensors {\n";
    std::vector<std::string> tensors;
    for (const ExportedTensor& tensor : library_.tensors) {
      tensors.push_back(tensor.name);
      text_ += fmt::format("  kd::DevicePointer {} = 0;  ///< {}{}\n", identifier(tensor.name), tensor.role,
                           tensor.doc.empty() ? "" : ": " + tensor.doc);
    }
    text_ += fmt::format("  std::vector<kd::DevicePointer> list() const {{ return {{{}}}; }}\n}};\n\n",
                         joined(tensors, identifier));
    text_ += R"(/// The kernel for a problem, and what is launched. Needs no GPU.
inline kd::Choice choose(const Problem& problem) { return kd::choose(library(), problem.request()); }

/// Of one CUDA context, which must be current; launches on one stream at a time. See kd::Dispatcher.
class Dispatcher {
 public:
  explicit Dispatcher(const kd::Driver& driver, std::string folder = "")
      : dispatcher_(library(), driver, std::move(folder)) {}
  kd::Result prepare(const Problem& problem) { return dispatcher_.prepare(problem.request()); }
  kd::Result launch(const Problem& problem, const Tensors& tensors, void* stream = nullptr) {
    return dispatcher_.launch(problem.request(), tensors.list(), stream);
  }
  /// Where a tensor that a kernel keeps in a variable, or prepares into a workspace, holds something else by now.
  void inputs_changed() { dispatcher_.inputs_changed(); }
  /// Of a problem that was prepared or launched; else null.
  const kd::Choice* chosen(const Problem& problem) const { return dispatcher_.chosen(problem.request()); }

 private:
  kd::Dispatcher dispatcher_;
};

)";
  }

  const ExportedLibrary& library_;
  const CubinPlace& place_;
  std::string space_;
  std::string text_;
};

}  // namespace

std::string cubin_name(const ExportedImage& image) {
  return image.hash + ".cubin";
}

std::string dispatch_header(const ExportedLibrary& library, const CubinPlace& place) {
  return Header(library, place).text();
}

}  // namespace kerlab::report
