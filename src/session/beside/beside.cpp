#include "session/beside/beside.h"

namespace kerlab::session {

/// Whoever throws here has ended it.
JsonNode BesideCommand::exchange(const std::string& request) {
  ended_ = true;
  if (!child_) child_ = std::make_unique<LineChild>(words_);
  const std::string line = child_->ask(request, std::chrono::milliseconds(static_cast<std::int64_t>(seconds_ * 1e3)));
  try {
    JsonNode answer = JsonNode::parse(line, "its answer");
    ended_ = false;
    return answer;
  } catch (const Error& error) {
    throw Error(fmt::format("{}; standard output is for answers alone, so it was ended", error.what()));
  }
}

std::optional<BesideAnswer> BesideCommand::ask(const ProblemSetup& setup, const DeviceInfo& device, BesideWish wish) {
  if (ended_) return {};
  wish.seconds = seconds_;
  BesideAnswer answer;
  answer.command = command_;
  answer.problem = setup.plan.key;
  answer.title = setup.problem.title();
  std::optional<JsonNode> said;
  try {
    said = exchange(beside_request(setup, device, wish));
    answer.rows = beside_rows(*said, device.is_hardware ? setup.plan.minimum_us : 0);
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    answer.error = error.what();
    if (child_) answer.last_words = child_->last_words();
  }
  if (!said) child_.reset();
  return answer;
}

std::vector<BesideAnswer> ask_beside(const BesideCommands& commands, const ProblemSetup& setup,
                                     const DeviceInfo& device, const BesideWish& wish, std::optional<double> ours_us) {
  std::vector<BesideAnswer> answers;
  for (const std::shared_ptr<BesideCommand>& command : commands)
    if (std::optional<BesideAnswer> answer = command->ask(setup, device, wish)) {
      answer->ours_us = ours_us;
      answers.push_back(std::move(*answer));
    }
  return answers;
}

}  // namespace kerlab::session
