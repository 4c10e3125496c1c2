#include "cli/frame/interruptible.h"

#include "base/error.h"

namespace kerlab::cli {

bool Interruptible::run(const std::function<bool()>& step) const {
  bool more = true;
  try {
    while (more && !raised()) more = step();
  } catch (const Error& error) {
    if (error.code() != ExitCode::interrupted) throw;
  }
  return more;
}

}  // namespace kerlab::cli
