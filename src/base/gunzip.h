#pragma once
// Files that gzip has packed, as tuners keep their caches.

#include <cstddef>
#include <string>
#include <string_view>

namespace kerlab {

/// Whether a file begins as gzip's do.
bool is_gzip(std::string_view bytes);

/// What was packed (RFC 1952; of several members all). Throws Error: it is damaged, or more than `most` bytes.
std::string gunzip(std::string_view bytes, std::size_t most);

}  // namespace kerlab
