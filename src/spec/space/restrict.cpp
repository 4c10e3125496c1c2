#include "spec/space/restrict.h"

#include <algorithm>

#include "spec/scope.h"

namespace kerlab::spec {

namespace {

Expression parse_condition(const std::string& text) {
  try {
    return Expression::parse(text, {"--where", 1, 1, {}});
  } catch (const SpecError& error) {
    throw UsageError(fmt::format("{}: in \"{}\"", error.what(), text));
  }
}

/// Why `variant` cannot be asked for the condition; empty: it can.
std::string unknown_name(const Variant& variant, const Family& family, const Expression& condition) {
  try {
    variant_scope(variant, family).check(condition);
    return {};
  } catch (const SpecError& error) {
    return error.what();
  }
}

bool is_named(const Variant& variant, const std::vector<std::string>& variants) {
  return std::find(variants.begin(), variants.end(), variant.name) != variants.end();
}

}  // namespace

void restrict_spaces(KernelFolder& folder, const std::vector<std::string>& conditions,
                     const std::vector<std::string>& variants) {
  for (const std::string& text : conditions) {
    const Expression condition = parse_condition(text);
    std::string reason;
    std::erase_if(folder.variants, [&](const Variant& variant) {
      const std::string unknown = unknown_name(variant, folder.family, condition);
      if (unknown.empty()) return false;
      if (is_named(variant, variants))
        throw UsageError(fmt::format("{}: in \"{}\", of {}", unknown, text, variant.name));
      if (reason.empty() || variant.tune) reason = unknown;
      return true;
    });
    if (folder.variants.empty())
      throw UsageError(fmt::format("{}: in \"{}\"; no variant of {} has it", reason, text, folder.family.name));
    for (Variant& variant : folder.variants)
      variant.constraints.push_back({"--where " + text, "typed", condition, condition.where()});
  }
}

}  // namespace kerlab::spec
