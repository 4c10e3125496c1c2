#include "cli/interrupt.h"

#include <csignal>

namespace kerlab {

namespace {

// A signal handler can reach nothing else: the one mutable global of the program.
volatile std::sig_atomic_t signalled = 0;

extern "C" void note_signal(int) {
  signalled = 1;
}

void install(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptFlag::InterruptFlag() {
  signalled = 0;
  install(note_signal, SA_RESETHAND);
}

InterruptFlag::~InterruptFlag() {
  install(SIG_DFL, 0);
}

bool InterruptFlag::raised() const {
  return signalled != 0;
}

}  // namespace kerlab
