#include "base/interrupt.h"

#include <atomic>
#include <csignal>

#include "base/error.h"

namespace kerlab {

namespace {

// A signal handler can reach nothing else: the mutable globals of the program.
// One thread may be told, another one look.
std::atomic<int> signalled = 0;
static_assert(std::atomic<int>::is_always_lock_free);
int flags_alive = 0;
int ended_waits_alive = 0;

extern "C" void note_signal(int signal) {
  signalled = signal;
}

void install(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

/// As nohup leaves it.
bool ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void install_for_flags() {
  const auto handler = flags_alive == 0 ? SIG_DFL : note_signal;
  install(SIGINT, handler, flags_alive > 0 && ended_waits_alive > 0 ? 0 : SA_RESETHAND);
  install(SIGTERM, handler, SA_RESETHAND);
  if (!ignored(SIGHUP)) install(SIGHUP, handler, SA_RESETHAND);
}

}  // namespace

InterruptFlag::InterruptFlag() {
  signalled = 0;
  ++flags_alive;
  install_for_flags();
}

InterruptFlag::~InterruptFlag() {
  signalled = 0;
  --flags_alive;
  install_for_flags();
}

bool InterruptFlag::raised() const {
  return signalled != 0;
}

bool InterruptFlag::terminated() const {
  return signalled == SIGTERM || signalled == SIGHUP;
}

InterruptedWaitsEnd::InterruptedWaitsEnd() {
  ++ended_waits_alive;
  install_for_flags();
}

InterruptedWaitsEnd::~InterruptedWaitsEnd() {
  --ended_waits_alive;
  install_for_flags();
}

void end_interrupted_wait() {
  if (ended_waits_alive > 0 && signalled != 0) throw Error("interrupted", ExitCode::interrupted);
}

std::chrono::milliseconds longest_wait() {
  // A signal between the look at the flag and the wait ends no wait; a second where only the end of a descriptor may
  // have been missed.
  return std::chrono::milliseconds(ended_waits_alive > 0 ? 100 : 1000);
}

}  // namespace kerlab
