#pragma once
// What a session that takes long is doing, for whoever wants to say so.

#include <functional>
#include <string>

#include "base/modules.h"

namespace kerlab::session {

/// Called with "compiling 3 of 6 neighbours"; empty: nobody listens.
using Told = std::function<void(const std::string&)>;

inline void tell(const Told& told, const std::string& what) {
  if (told) told(what);
}

}  // namespace kerlab::session
