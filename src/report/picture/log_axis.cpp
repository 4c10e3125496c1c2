#include "report/picture/log_axis.h"

#include "base/format.h"

namespace kerlab::report {

std::string decade_label(double value) {
  std::string text = format_si(value);
  if (const auto zeros = text.find(".0"); zeros != std::string::npos) text.erase(zeros, text.find(' ') - zeros);
  return text;
}

}  // namespace kerlab::report
