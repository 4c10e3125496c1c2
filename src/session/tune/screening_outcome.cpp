// What becomes of a candidate: credited, wrong, faulty, timed; and how it gets into the ledger.

#include "session/tune/screening.h"

namespace kerlab::session {

bool Screening::credit_twin(Screened& screened) {
  const auto at = measured_.find(screened.candidate.twin_key);
  if (at == measured_.end()) return false;
  const Screened& twin = *at->second;
  Trial& trial = screened.candidate.trial;
  trial.error_ratio = twin.candidate.trial.error_ratio;
  trial.check_detail = twin.candidate.trial.check_detail;
  trial.blocks_per_sm = twin.candidate.trial.blocks_per_sm;
  trial.message = fmt::format("the same program as {}", twin.candidate.label);
  trial.reason = TrialReason::twin;
  screened.twin = true;
  pass(screened, *twin.time);
  return true;
}

void Screening::take_evaluation(Screened& screened, Evaluation& evaluation) {
  Trial& trial = screened.candidate.trial;
  trial = std::move(evaluation.candidate.trial);
  if (trial.status == TrialStatus::passed) {
    if (!screened.waited) longest_ms_ = std::max(longest_ms_, evaluation.longest_ms);
    pass(screened, std::move(*evaluation.measurement));
    return;
  }
  if (trial.status == TrialStatus::timeout && !screened.suspect.empty())
    trial.message += fmt::format("; tried once, because {}", screened.suspect);
  const std::string others = company_.on(*screened.device);
  const bool by_its_results = evaluation.samples || !evaluation.report.passed();
  if (!by_its_results && !others.empty())  // may have had a hand in it
    trial.message += fmt::format(" (while shared with {})", others);
  end(screened);
}

void Screening::pass(Screened& screened, Measurement time) {
  screened.candidate.trial.status = TrialStatus::passed;
  if (!screened.twin) screened.candidate.trial.message.clear();
  screened.time = std::move(time);
  keep_image(screened);
  measured_.emplace(screened.candidate.twin_key, &screened);
  if (best_ == nullptr || screened.time->median_us < best_->time->median_us) best_ = &screened;
  ++counts_.done;
  ++counts_.passed;
  ledger_.result(screened.candidate.trial, screened.time);
  strategy_->tell(screened.index, screened.time->median_us);
}

/// The finals want the images of the best; nobody the others'.
void Screening::keep_image(Screened& screened) {
  if (screened.twin) screened.candidate.image.clear();
  if (screened.candidate.image.empty()) return;
  with_image_.push_back(&screened);
  if (with_image_.size() <= kImagesKept) return;
  const auto slowest =
      std::max_element(with_image_.begin(), with_image_.end(),
                       [](const Screened* a, const Screened* b) { return a->time->median_us < b->time->median_us; });
  (*slowest)->candidate.image.clear();
  with_image_.erase(slowest);
}

/// Its trial says how.
void Screening::end(Screened& screened) {
  Trial& trial = screened.candidate.trial;
  const TrialStatus status = trial.status;
  screened.candidate.image.clear();
  if (is_final(status)) {
    ++counts_.done;
    if (is_fault(status)) {
      ++counts_.faults;
      notes_.push_back(ending_text(trial));
    }
    strategy_->tell(screened.index, std::nullopt);
    if (status == TrialStatus::timeout || status == TrialStatus::compile_timeout) {
      std::vector<std::string> parameters;
      for (const Parameter& parameter : space_.variants()[screened.candidate.variant].source.variant->parameters)
        parameters.push_back(parameter.name);
      suspects_.learn(screened_, screened, parameters);
    }
  }
  ledger_.result(trial);
}

}  // namespace kerlab::session
