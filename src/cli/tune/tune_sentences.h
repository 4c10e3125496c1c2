#pragma once
// What a tune says of its end: who won where that is no row of the table, what an interrupted one leaves, why the
// search stopped.

#include "session/tune/tune.h"

namespace kerlab::cli {

/// "the stored winner stays: trial 1, coalesced, 6.797 us (3.1 times as fast as what was asked for)"; empty: the first
/// row is the winner.
std::string outside_sentence(const TuneResult& result);

/// What an interrupted session without a decision leaves: what was fastest, and who is the winner. Empty: it decided.
std::string interrupted_sentence(const TuneResult& result);

/// "stopped after 5 of 128 configurations (--trials 5)", "surrogate search ended: no better one in 150 trials"
std::string search_sentence(const TuneResult& result);

}  // namespace kerlab::cli
