#pragma once
// Holds the stream while work is queued behind it, so that the cost of launching is not measured.

#include "device/lab.h"

namespace kerlab::measure {

class Blocker {
 public:
  /// Only a GPU is held; elsewhere launches are synchronous and hold() would wait for itself.
  explicit Blocker(Lab& lab);
  ~Blocker();
  Blocker(const Blocker&) = delete;
  Blocker& operator=(const Blocker&) = delete;

  /// Queues a kernel that spins until release(), or gives up by itself after two seconds.
  void hold();
  void release();

 private:
  Lab& lab_;
  bool works_;
  MappedMemory flag_;
};

}  // namespace kerlab::measure
