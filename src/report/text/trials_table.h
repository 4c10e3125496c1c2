#pragma once
// Every trial of a problem, for a spreadsheet: `kerlab tune --csv`.

#include <optional>
#include <string>
#include <vector>

#include "report/form/table.h"
#include "trial/trial.h"

namespace kerlab::report {

struct ListedTrial {
  Trial trial;
  std::optional<Measurement> measurement;  ///< the most trusted one; none: it was never timed
  std::string standing;                    ///< "winner", "tie", or empty
};

/// A row for each, a column for each parameter of any of them (empty where a variant has no such one); every digit.
Table trials_table(const std::vector<ListedTrial>& trials);

}  // namespace kerlab::report
