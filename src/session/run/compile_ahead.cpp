#include "session/run/compile_ahead.h"

#include "base/interrupt.h"

namespace kerlab::session {

void compile_ahead(Rig& rig, std::vector<CompileRequest> requests, const std::function<void(std::size_t)>& progress) {
  if (requests.size() < 2) return;  // one alone is compiled when it is asked for
  std::size_t left = requests.size();
  for (std::size_t i = 0; i < requests.size(); ++i) rig.compilers().submit(i, std::move(requests[i]));
  while (left > 0) {
    progress(left);
    rig.wait(std::chrono::seconds(1));
    end_interrupted_wait();
    const std::size_t finished = rig.compilers().poll().size();
    left -= std::min(left, finished);
  }
}

}  // namespace kerlab::session
