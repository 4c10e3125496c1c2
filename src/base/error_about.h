#pragma once
// Errors about what a setting may have named: whoever reads settings says where it was named.

#include "base/error.h"

namespace kerlab {

/// What is wrong is the device that was asked for.
struct AboutDevice {
  virtual ~AboutDevice() = default;
};
/// What is wrong is the database that was asked for.
struct AboutDatabase {
  virtual ~AboutDatabase() = default;
};

/// An error of one of the kinds of base/error.h, `ErrorAbout<UsageError, AboutDevice>`; a handler asks for the subject
/// with dynamic_cast.
template <typename Kind, typename Subject>
struct ErrorAbout : Kind, Subject {
  using Kind::Kind;
};

}  // namespace kerlab
