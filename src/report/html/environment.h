#pragma once
// Where the times of a report come from, and which commands made them.

#include <string>

#include "trial/lab_report.h"

namespace kerlab::report {

std::string environment_html(const LabReport& report);

}  // namespace kerlab::report
