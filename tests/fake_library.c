/* A plug-in for tests: takes the family `twice`. WRONG_VERSION, NO_SYMBOL, CRASH, REFUSE, NO_NAME and FAIL_RUN make it misbehave. */
#include <stdio.h>
#include <stdlib.h>

#include "kerlab_library.h"

static int open_row(const struct kerlab_problem* problem, struct kerlab_row* row, char* why) {
#ifdef REFUSE
  snprintf(why, 256, "the fake takes nothing of %s", problem->family);
  return KERLAB_REFUSED;
#endif
  if (problem->tensors < 1 || problem->tensor[0].rank < 1) {
    snprintf(why, 256, "no tensors");
    return KERLAB_FAILED;
  }
  row->state = NULL;
  row->workspace_bytes = 1000;
  snprintf(row->label, sizeof row->label, "way of %s %s", problem->dtype, problem->tensor[0].name);
  return KERLAB_TAKEN;
}

static int run_row(void* state, void* stream, void* workspace, void* const* tensor) {
  (void)state;
  (void)stream;
#ifdef FAIL_RUN
  return 77;
#endif
  return workspace == NULL || tensor == NULL || tensor[0] == NULL;
}

static const struct kerlab_library library = {
#ifdef WRONG_VERSION
    99,
#else
    KERLAB_LIBRARY_VERSION,
#endif
#ifdef NO_NAME
    NULL,
#else
    "Fake 1.0",
#endif
    open_row, run_row, NULL};

#ifdef NO_SYMBOL
const struct kerlab_library* other_name(void) { return &library; }
#else
const struct kerlab_library* kerlab_open_library(uint32_t version) {
  (void)version;
  return &library;
}
#endif

#ifdef CRASH
__attribute__((constructor)) static void crash(void) { abort(); }
#endif
