#pragma once
// Where a search may begin: what won on problems like this one, here or where the shipped winners were measured.

#include <filesystem>
#include <functional>

#include "db/database.h"
#include "session/run/rig.h"

namespace kerlab::session {

/// A candidate's index, if it is one.
using CandidateFinder =
    std::function<std::optional<std::size_t>(const std::string& variant, const std::string& configuration)>;

/// At most four candidates: winners of the family on other problems, of this database and of `shipped`, those of the
/// nearest problem first. Nearness: the sum of |log2| of the ratios of the dimensions; another dtype or flag is as far
/// as four doublings.
std::vector<std::size_t> transferred_starts(const Rig& rig, const Problem& problem, const CandidateFinder& find,
                                            const Database& database, const std::filesystem::path& shipped);

}  // namespace kerlab::session
