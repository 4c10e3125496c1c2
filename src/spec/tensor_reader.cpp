#include "spec/tensor_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/dtype_rule.h"
#include "spec/readers.h"

namespace kerlab::spec {
namespace {

constexpr DType kRanged[] = {DType::int32,  DType::int64,  DType::uint32, DType::int16,
                             DType::uint16, DType::uint64, DType::int8,   DType::uint8};

/// Whatever the problem: by its own dtype, or as all those of the family do.
bool holds_integers(const DTypeRule& dtype, const std::vector<DType>& dtypes) {
  if (std::ranges::any_of(kRanged, [&](DType ranged) { return dtype.is(ranged); })) return true;
  const bool of_problem = dtype.for_flag.empty() && dtype.for_problem.empty() && !dtype.otherwise;
  return of_problem && std::ranges::all_of(dtypes, [](DType each) { return std::ranges::count(kRanged, each) > 0; });
}

/// range = [least, one past the largest], and what some elements hold instead.
void read_range(const SpecTable& row, const std::vector<DType>& dtypes, TensorDecl& tensor) {
  tensor.range = row.expressions("range");
  tensor.ignored = row.expressions("ignored");
  if (tensor.ignored.size() > IntegerRange::kMostIgnored)
    row.fail("ignored", fmt::format("{} numbers at most", IntegerRange::kMostIgnored));
  if (tensor.range.empty()) {
    if (row.has("range")) row.fail("range", "two integers are needed: the least, and one past the largest");
    for (const char* key : {"ignored", "order", "rows"})
      if (row.has(key)) row.fail(key, "only integers of a range have this: give a range");
    return;
  }
  if (tensor.range.size() != 2) row.fail("range", "two integers are needed: the least, and one past the largest");
  if (tensor.role == Role::output)
    row.fail("range",
             "an output holds what a kernel writes: only an input or an inout tensor holds integers of a range");
  if (!holds_integers(tensor.dtype, dtypes))
    row.fail("range", "integers of a range need dtype = \"int32\" or another integer type of 8 to 64 bits");
  if (!tensor.partition.empty()) row.fail("range", "a partition holds offsets");
  if (!tensor.unread.empty()) row.fail("unread", "only a tensor of numbers can be left unread");
}

/// order = "distinct" or "rising", within each row: of the last dimension, or of what a tensor of offsets parts.
void read_order(const SpecTable& row, const std::vector<TensorDecl>& above, TensorDecl& tensor) {
  tensor.order = static_cast<IntegerOrder>(row.choice("order", {"none", "distinct", "rising"}, 0));
  if (!row.has("rows")) return;
  tensor.rows = row.identifier("rows");
  if (tensor.order != IntegerOrder::rising) row.fail("rows", "only of integers with order = \"rising\"");
  const auto found = std::ranges::find(above, tensor.rows, &TensorDecl::name);
  if (found == above.end() || found->partition.empty())
    row.fail("rows", fmt::format("'{}' is no tensor above with a partition", tensor.rows));
  if (tensor.shape.size() != 1) row.fail("rows", "a tensor of parts has one dimension");
}

/// of = ["Q", "K"]: inputs of numbers, as this is one, out of which it was made.
void read_of(const SpecTable& row, const std::vector<TensorDecl>& above, TensorDecl& tensor) {
  const auto holds_input = [](const TensorDecl& one) {
    return one.role == Role::input && one.partition.empty() && one.range.empty();
  };
  tensor.of = row.texts("of");
  if (!tensor.of.empty() && !holds_input(tensor)) row.fail("of", "only an input of numbers is made of others");
  for (const auto& [name, where] : row.located_texts("of")) {
    const auto found = std::ranges::find(above, name, &TensorDecl::name);
    if (found == above.end() || !holds_input(*found))
      throw SpecError(where, fmt::format("'{}' is no tensor above that is an input of numbers", name));
  }
}

}  // namespace

std::vector<TensorDecl> read_tensors(const SpecTable& family, const std::vector<Flag>& flags,
                                     const std::vector<DType>& dtypes) {
  std::vector<TensorDecl> tensors;
  for (const TomlValue& value : family.tables("tensor")) {
    const SpecTable row = SpecTable::named(value, "tensor",
                                           {"name", "doc", "role", "dtype", "shape", "partition", "unread", "range",
                                            "ignored", "order", "rows", "cache", "of"});
    TensorDecl tensor;
    tensor.name = row.identifier("name");
    tensor.doc = row.text("doc", "");
    if (!row.has("role")) row.fail("role", "key 'role' is missing: input, output or inout");
    tensor.role = static_cast<Role>(row.choice("role", {"input", "output", "inout"}, 0));
    tensor.dtype = read_dtype_rule(row, flags);
    tensor.shape = row.expressions("shape");
    if (tensor.shape.empty()) row.fail("shape", "a tensor needs at least one extent");
    tensor.partition = row.expression_or_empty("partition");
    if (!tensor.partition.empty() && tensor.role != Role::input) row.fail("partition", "only an input can be one");
    if (!tensor.partition.empty() && !tensor.dtype.is(DType::int32) && !tensor.dtype.is(DType::int64))
      row.fail("partition", "offsets need dtype = \"int32\" or \"int64\"");
    tensor.unread = row.expression_or_empty("unread");
    if (!tensor.unread.empty() && (tensor.role == Role::output || !tensor.partition.empty()))
      row.fail("unread", "only an input or an inout tensor of numbers can be left unread");
    read_range(row, dtypes, tensor);
    read_order(row, tensors, tensor);
    tensor.hot = row.choice("cache", {"cold", "hot"}, 0) == 1;
    if (tensor.hot && tensor.role != Role::input)
      row.fail("cache", "only an input can be hot: what a run writes is there anew each time");
    read_of(row, tensors, tensor);
    tensor.where = row.where("name");
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace kerlab::spec
