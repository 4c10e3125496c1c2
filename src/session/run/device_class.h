#pragma once
// A device known only by the class that stands in its records: what can be said of it without having it.

#include <string>

#include "plan/device_info.h"

namespace kerlab::session {

/// The inverse of DeviceInfo::device_class(), with the limits that CUDA's programming guide lists for the compute
/// capability. What neither says stays 0; a text that is no device class gives a device without a name.
DeviceInfo device_of_class(const std::string& device_class);
/// What a device can do of which the word of its kind stands in a record; of no such kind: nothing.
Capabilities stored_capabilities(const std::string& device_kind);

}  // namespace kerlab::session
