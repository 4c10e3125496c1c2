#include "session/run/compile_ahead.h"

#include "base/interrupt.h"

namespace kerlab::session {

CompileAhead::CompileAhead(Rig& rig, std::vector<CompileRequest> requests) : rig_(&rig) {
  if (requests.size() < 2) return;  // one alone is compiled when it is asked for
  for (CompileRequest& request : requests) compilations_.push_back(rig.compilers().submit(std::move(request)));
}

bool CompileAhead::step() {
  if (compilations_.empty()) return false;
  rig_->compilers().step();
  std::erase_if(compilations_, [](const Compilation& compilation) { return compilation.finished(); });
  if (compilations_.empty()) return false;
  end_interrupted_wait();
  rig_->wait(longest_wait());
  return true;
}

}  // namespace kerlab::session
