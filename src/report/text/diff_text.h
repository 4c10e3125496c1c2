#pragma once
// What `kerlab diff` prints: two kernels side by side.

#include "report/text/inspect_text.h"

namespace kerlab::report {

/// One figure of both; what one has not is empty.
struct DiffRow {
  std::string name, a, b;
  std::optional<double> ratio;  ///< b over a
};
struct DiffSection {
  std::string title;
  std::vector<DiffRow> rows;
};

/// Parameters, resources, counts and times, in this order; rows that are empty on both sides are left out.
std::vector<DiffSection> diff_sections(const Inspection& a, const Inspection& b);

/// `source`: unified diff of the sources, empty when they are the same. `all`: rows that are equal as well.
std::string diff_text(const Inspection& a, const Inspection& b, const std::string& source, bool all, bool color,
                      int width);
/// The body of the JSON document, with every row.
JsonValue::Object diff_value(const Inspection& a, const Inspection& b, const std::string& source);

}  // namespace kerlab::report
