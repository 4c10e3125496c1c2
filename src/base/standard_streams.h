#pragma once
// Standard input, output and error as whoever started the program left them: perhaps closed, perhaps on a full disk.

#include <string>
#include <string_view>

namespace kerlab {

/// Descriptors 0, 1 and 2 that are closed lead to nowhere from now on, so that no file or socket of ours is given such
/// a number and takes what somebody prints. Writing to a standard output that was closed still fails.
void occupy_standard_descriptors() noexcept;

/// Prints to standard error, never throws: where that cannot be written either, nobody is left to be told.
void complain(std::string_view text) noexcept;

/// Writes what standard output still holds back. Returns why some of it was lost, empty when all was written.
[[nodiscard]] std::string flush_standard_output();

}  // namespace kerlab
