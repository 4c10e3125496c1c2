#include "session/run/compile_ahead.h"

#include <utility>

#include "session/run/problem_setup.h"
#include "session/run/prune.h"

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
  rig_->wait();
  return true;
}

CompileList::CompileList(const Rig& rig) : rig_(rig), reference_(read_kernel_source(rig.folder().family)) {}

void CompileList::add(const SourceBundle& text, std::vector<std::string> options) {
  std::vector<std::string> identity = options;
  identity.push_back(text.hash);
  if (known_.insert(std::move(identity)).second) requests_.push_back({text, std::move(options)});
}

void CompileList::add(const VariantSource& source, const Configuration& configuration, const Problem& problem,
                      const DeviceInfo& device) {
  const Family& family = rig_.folder().family;
  try {
    TrialCandidate candidate = make_candidate(family, source, 0, configuration, problem, device, rig_.toolchain());
    if (impossible_launch(rig_.device(), candidate.plan).passed()) add(source.source, std::move(candidate.options));
    if (family.reference_source.empty()) return;  // all of it is recorded
    add(reference_, reference_options(rig_.device(), instantiate_reference(family, problem, rig_.device()).defines));
  } catch (const SpecError&) {
    return;  // who runs it says why
  }
}

std::vector<CompileRequest> CompileList::take() {
  if (!rig_.uses_cache()) requests_.clear();
  return std::exchange(requests_, {});
}

}  // namespace kerlab::session
