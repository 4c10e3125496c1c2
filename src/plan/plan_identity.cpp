// Where a plan gets a new field, a list of members below stops compiling. Write the field only where it is not its
// default, in its alphabetical place, as one more entry of its map: then every trial that is stored keeps its name.
#include "plan/plan_identity.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "base/hash.h"

namespace kerlab::plan {
namespace {

/// CBOR's major types (RFC 8949, section 3.1), in the upper three bits of a first byte.
enum class Cbor : std::uint8_t { natural = 0x00, negative = 0x20, bytes = 0x40, text = 0x60, list = 0x80, map = 0xa0 };

class IdentityWriter {
 public:
  void map(std::size_t fields) { head(Cbor::map, fields); }
  void list(std::size_t items) { head(Cbor::list, items); }

  void value(const char* text) { value(std::string_view(text)); }  // which would rather be a bool
  void value(std::string_view text) {
    head(Cbor::text, text.size());
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  void value(const std::vector<std::byte>& bytes) {
    head(Cbor::bytes, bytes.size());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void value(bool flag) { bytes_.push_back(flag ? std::byte{0xf5} : std::byte{0xf4}); }
  template <typename Number>
  requires(std::is_integral_v<Number> && !std::is_same_v<Number, bool>) void value(Number number) {
    if (std::cmp_less(number, 0))
      head(Cbor::negative, static_cast<std::uint64_t>(-1 - static_cast<std::int64_t>(number)));
    else
      head(Cbor::natural, static_cast<std::uint64_t>(number));
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void value(Enum choice) { value(static_cast<std::underlying_type_t<Enum>>(choice)); }
  template <typename Item>
  void value(const std::vector<Item>& items) {
    list(items.size());
    for (const Item& item : items) value(item);
  }
  template <typename Value>
  void field(std::string_view name, const Value& of) {
    value(name);
    value(of);
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  /// A type with its number in as few bytes as there are for it, the highest first.
  void head(Cbor type, std::uint64_t number) {
    int length = 8;
    std::uint8_t mark = 0x1b;
    if (number <= 0x17) {
      length = 0;
      mark = static_cast<std::uint8_t>(number);
    } else if (number <= 0xff) {
      length = 1, mark = 0x18;
    } else if (number <= 0xffff) {
      length = 2, mark = 0x19;
    } else if (number <= 0xffffffff) {
      length = 4, mark = 0x1a;
    }
    bytes_.push_back(static_cast<std::byte>(static_cast<std::uint8_t>(type) | mark));
    for (int i = length - 1; i >= 0; --i) bytes_.push_back(static_cast<std::byte>(number >> (8 * i)));
  }

  std::vector<std::byte> bytes_;
};

void put(IdentityWriter& to, const ScalarArgument& scalar) {
  const auto& [bytes, text] = scalar;
  to.map(3);
  to.field("bytes", bytes);
  to.field("is", "scalar");
  to.field("text", text);
}

void put(IdentityWriter& to, const TensorArgument& argument) {
  const auto& [tensor, offset] = argument;
  to.map(3);
  to.field("is", "tensor");
  to.field("offset", offset);
  to.field("tensor", tensor);
}

void put(IdentityWriter& to, const WorkspaceArgument& argument) {
  const auto& [workspace, offset] = argument;
  to.map(3);
  to.field("is", "workspace");
  to.field("offset", offset);
  to.field("workspace", workspace);
}

void put(IdentityWriter& to, const TensorMapArgument& argument) {
  const auto& [spec] = argument;
  const auto& [tensor, offset, dtype, dims, strides, box, swizzle, promotion, nan_fill] = spec;
  to.map(2);
  to.field("is", "map");
  to.value("map");
  to.map(9);
  to.field("box", box);
  to.field("dims", dims);
  to.field("dtype", dtype);
  to.field("nan_fill", nan_fill);
  to.field("offset", offset);
  to.field("promotion", promotion);
  to.field("strides", strides);
  to.field("swizzle", swizzle);
  to.field("tensor", tensor);
}

void put(IdentityWriter& to, const ReferenceSlot& slot) {
  to.map(2);
  to.field("is", "slot");
  to.field("slot", slot);
}

void put(IdentityWriter& to, const Dim3& extent) {
  const auto& [x, y, z] = extent;
  to.map(3);
  to.field("x", x);
  to.field("y", y);
  to.field("z", z);
}

void put(IdentityWriter& to, const Launch& launch) {
  const auto& [kernel, grid, block, cluster, shared, arguments, cooperative, in_order, programmatic, carveout] = launch;
  // in_order changes nothing that runs
  to.map(6u + (cooperative ? 1u : 0u) + (programmatic ? 1u : 0u) + (carveout ? 1u : 0u));
  to.value("arguments");
  to.list(arguments.size());
  for (const Argument& argument : arguments) std::visit([&](const auto& one) { put(to, one); }, argument);
  to.value("block");
  put(to, block);
  if (carveout) to.field("carveout", *carveout);
  to.value("cluster");
  put(to, cluster);
  if (cooperative) to.field("cooperative", 1);
  to.value("grid");
  put(to, grid);
  to.field("kernel", kernel);
  if (programmatic) to.field("programmatic", 1);
  to.field("shared", shared);
}

void put(IdentityWriter& to, const Pitch& pitch) {
  const auto& [tensor, elements] = pitch;
  to.map(2);
  to.field("elements", elements);
  to.field("tensor", tensor);
}

void put(IdentityWriter& to, const SymbolCopy& copy) {
  const auto& [symbol, tensor] = copy;
  to.map(2);
  to.field("symbol", symbol);
  to.field("tensor", tensor);
}

void put(IdentityWriter& to, const Workspace& workspace) {
  const auto& [name, bytes, init] = workspace;
  to.map(3);
  to.field("bytes", bytes);
  to.field("init", init);
  to.field("name", name);
}

template <typename Item>
void put_list(IdentityWriter& to, std::string_view name, const std::vector<Item>& items) {
  to.value(name);
  to.list(items.size());
  for (const Item& item : items) put(to, item);
}

void put(IdentityWriter& to, const LaunchPlan& plan) {
  const auto& [workspaces, launches, alignment, pitches, start, accuracy, symbols, prepare] = plan;
  // The name of a trial that was stored before there were others stays.
  to.map(4u + (start == Start::held ? 0u : 1u) + (accuracy.weaker() ? 1u : 0u) + (symbols.empty() ? 0u : 1u) +
         (prepare.empty() ? 0u : 1u));
  if (accuracy.weaker()) to.field("accuracy", accuracy_text(accuracy));
  to.field("alignment", alignment);
  put_list(to, "launches", launches);
  put_list(to, "pitches", pitches);
  if (!prepare.empty()) put_list(to, "prepare", prepare);
  if (start != Start::held) to.field("start", start);
  if (!symbols.empty()) put_list(to, "symbols", symbols);
  put_list(to, "workspaces", workspaces);
}

}  // namespace

/// Around the plan stands what stood there when trials were first named: the request by which a worker loads it,
/// without an image, and without a plan for a small problem.
std::vector<std::byte> plan_identity(const LaunchPlan& plan) {
  IdentityWriter to;
  to.map(6);
  to.field("id", 0);
  to.field("image", std::vector<std::byte>{});
  to.field("is", "load");
  to.field("label", "");
  to.value("plan");
  put(to, plan);
  to.value("small_plan");
  put(to, LaunchPlan{});
  return to.take();
}

std::string plan_digest(const LaunchPlan& plan) {
  return digest(plan_identity(plan));
}

}  // namespace kerlab::plan
