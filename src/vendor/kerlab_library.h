/* kerlab_library.h: rows of a library that is not kerlab's, measured beside its kernels.
 *
 * A plug-in is a shared library that exports one C function, `kerlab_open_library`. kerlab loads it with `--library
 * FILE.so` or KERLAB_LIBRARIES, in the worker process: what crashes there ends the worker and nothing else.
 * docs/libraries.md tells the whole of it; plugins/cub is one. */
#ifndef KERLAB_LIBRARY_H
#define KERLAB_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KERLAB_LIBRARY_VERSION 1u

/* A dense row-major tensor of the problem, in the order in which family.toml declares them. */
struct kerlab_tensor {
  const char* name;
  const char* role;  /* "input", "output", "inout" */
  const char* dtype; /* "fp32", "bf16", "uint32", ... */
  int64_t rank;
  const int64_t* shape;
};

/* A dimension, flag or scalar of the problem and its value as text: "N" "16777216", "mode" "exclusive". */
struct kerlab_setting {
  const char* name;
  const char* value;
};

/* What is asked for. Everything in it lives as long as the row. Settings that family.toml calls quiet are left out
 * where they are at their defaults. */
struct kerlab_problem {
  const char* family; /* "scan" */
  const char* dtype;  /* "fp32" */
  int64_t settings;
  const struct kerlab_setting* setting;
  int64_t tensors;
  const struct kerlab_tensor* tensor;
};

/* What `open` says of a problem that it takes. */
struct kerlab_row {
  void* state;              /* given back to `run` and `close` */
  uint64_t workspace_bytes; /* of device memory, handed to `run`; 256-byte aligned */
  char label[64];           /* "DeviceScan::InclusiveSum": what the tables show behind the library's name */
};

enum { KERLAB_TAKEN = 0, KERLAB_REFUSED = 1, KERLAB_FAILED = 2 };

struct kerlab_library {
  uint32_t version; /* KERLAB_LIBRARY_VERSION */
  const char* name; /* "CUB 3.0" */
  /* Fills `row` and returns KERLAB_TAKEN; or KERLAB_REFUSED for a problem that is not the library's, KERLAB_FAILED for
   * one that should be. Then `why` (256 bytes, ended by 0) may say why. The CUDA context is current. */
  int (*open)(const struct kerlab_problem* problem, struct kerlab_row* row, char* why);
  /* Queues one run on the stream (a CUstream): it must not wait for the device, allocate, or use another stream, so
   * that it can be captured in a graph. `tensor[i]` is the device address of tensor i. Not 0: it failed, and that is
   * shown as the library's number. */
  int (*run)(void* state, void* stream, void* workspace, void* const* tensor);
  void (*close)(void* state); /* may be null */
};

/* The one exported function. `version` is kerlab's; a plug-in that does not speak it returns null. */
const struct kerlab_library* kerlab_open_library(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
