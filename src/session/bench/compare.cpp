#include "session/bench/compare.h"

#include <algorithm>

#include "base/format.h"
#include "plan/counters.h"
#include "session/find/figures.h"

namespace kerlab::session {

namespace {

std::size_t first_as_it_is(const std::vector<SubjectName>& kernels) {
  const auto at = std::ranges::find_if(kernels, [](const SubjectName& name) { return name.revision.empty(); });
  return at == kernels.end() ? 0 : static_cast<std::size_t>(at - kernels.begin());
}

/// Names of kernels of the same family in one folder that is not in the catalogue: a trial does not say where it was.
std::string folder_of_trial(const Trial& trial, const CompareOptions& options) {
  for (const SubjectName& other : options.kernels) {
    if (other.trial > 0 || !other.revision.empty() || other.family.find('/') == std::string::npos) continue;
    if (open_catalogue(options.rig.kernels).find(other.family).family.name == trial.family) return other.family;
  }
  return trial.family;
}

}  // namespace

std::vector<CompareSession::Entry> CompareSession::open_homes(const CompareOptions& options, const Database& database) {
  std::vector<Entry> entries;
  for (SubjectName name : options.kernels) {
    if (name.trial > 0) {
      const auto trial = database.trial(name.trial);
      name = {0, trial ? folder_of_trial(*trial, options) : family_of(name, &database), "", ""};
    }
    entries.emplace_back();
    entries.back().home = std::make_unique<KernelHome>(name, options.rig.kernels, &database);
  }
  return entries;
}

CompareSession::CompareSession(CompareOptions options, Database& database)
    : options_(std::move(options)),
      database_(database),
      entries_(open_homes(options_, database_)),
      main_(first_as_it_is(options_.kernels)),
      rig_(options_.rig, main_folder()) {
  const Problem problem = choose_problem();
  for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].home->said_readably([&] { resolve(i, problem); });
  for (const Entry& entry : entries_) require_same_tensors(entry);
  setup_ = prepare_problem(main_folder(), entries_[main_].subject.problem, rig_.device());
  result_.problem = setup_->problem;
  result_.device = fmt::format("{} {}", rig_.device().id, rig_.device().name);
  result_.toolchain = rig_.toolchain();
  know_cost();
}

void CompareSession::know_cost() {
  result_.flops = setup_->plan.flops;
  result_.bytes = setup_->plan.bytes;
  const Roofline roof = theoretical_roof(setup_->problem, setup_->plan, rig_.device());
  result_.roof_us = roof.minimum_us;
  result_.memory_bound = roof.memory_bound;
  result_.cost_from_data = setup_->cost_from_data();
}

const KernelFolder& CompareSession::main_folder() const {
  return entries_[main_].home->folder();
}

/// That of the trials among them, else what is typed.
Problem CompareSession::choose_problem() const {
  std::optional<Trial> first;
  for (const SubjectName& name : options_.kernels) {
    if (name.trial == 0) continue;
    const Trial trial = *database_.trial(name.trial);
    if (!options_.arguments.empty() || !options_.dtype.empty())
      throw UsageError(fmt::format("trial {} is of {}; dimensions and --dtype go with kernels that are named", trial.id,
                                   trial.problem));
    if (first && first->problem != trial.problem)
      throw UsageError(fmt::format("trial {} is of {}, trial {} of {}: only times of one problem compare", first->id,
                                   first->problem, trial.id, trial.problem));
    if (!first) first = trial;
  }
  const Family& family = main_folder().family;
  return problem_for_device(
      main_folder(),
      first ? request_of_key(family, first->problem) : make_request(family, options_.arguments, options_.dtype),
      rig_.device());
}

void CompareSession::resolve(std::size_t index, const Problem& problem) {
  const SubjectName& name = options_.kernels[index];
  Entry& entry = entries_[index];
  const KernelFolder& folder = entry.home->folder();
  if (name.trial > 0) {
    entry.subject = resolve_subject(name, {}, "", folder, rig_.device(), &database_);
  } else {
    Problem own = problem;
    if (&folder != &main_folder())
      own = problem_for_device(
          folder, request_of_key(folder.family, folder.family.name + problem.key().substr(problem.key().find(' '))),
          rig_.device());
    entry.subject = name.configuration.empty() ? known(name, folder, own)
                                               : resolve_subject(name, own, folder, rig_.device(), &database_);
  }
  SourceBundle& source = entry.subject.source.source;
  source.path = entry.home->readable(std::move(source.path));  // the compiler's cache knows it again
  if (!entry.subject.note.empty()) result_.notes.push_back(entry.subject.note);
  ComparedKernel kernel;
  kernel.name = fmt::format("{}/{}{}", name.trial > 0 ? folder.family.name : name.family,
                            entry.subject.source.variant->name, entry.home->suffix());
  kernel.how = entry.subject.how;
  kernel.command = name.trial > 0 ? fmt::format("kerlab bench {}", name.trial)
                                  : fmt::format("kerlab bench {}{}", subject_text(name),
                                                options_of(entry.subject.problem, folder.family));
  result_.kernels.push_back(std::move(kernel));
}

/// Without a configuration: what is known to be good, of the variant if one is named.
Subject CompareSession::known(const SubjectName& name, const KernelFolder& folder, const Problem& problem) {
  const KnownKernels known{database_, options_.shipped, folder, rig_.device()};
  Subject subject;
  subject.problem = problem;
  const bool only = folder.variants.size() == 1;
  std::optional<KnownKernel> chosen;
  if (!name.variant.empty() || only) {
    const Variant& variant =
        only && name.variant.empty() ? folder.variants.front() : find_variant(folder, name.variant);
    if (const std::string reason = unsupported_reason(variant, problem, rig_.device()); !reason.empty())
      throw Error(fmt::format("{} cannot do {}: {}", variant.name, problem.title(), reason), ExitCode::inconclusive);
    chosen = known.best(variant, problem, result_.notes);
  } else {
    chosen = known.winner(problem, result_.notes);
    if (!chosen)
      throw Error(
          fmt::format("no winner is stored or shipped for {} on {}; run kerlab tune first, or name a variant: "
                      "{}/VARIANT",
                      problem.title(), rig_.device().name, name.family));
  }
  subject.source = {chosen->variant, read_kernel_source(*chosen->variant)};
  subject.configuration = std::move(chosen->configuration);
  subject.how = std::move(chosen->how);
  return subject;
}

void CompareSession::require_same_tensors(const Entry& entry) const {
  const auto tensors = [&](const Entry& of) {
    return tensor_texts(instantiate_reference(of.home->folder().family, of.subject.problem, rig_.device()).plan);
  };
  const std::vector<std::string> ours = tensors(entries_[main_]), theirs = tensors(entry);
  if (ours == theirs) return;
  throw UsageError(fmt::format("{} and {} cannot be compared, their tensors differ: {}; and {}",
                               entries_[main_].home->folder().family.name, entry.home->folder().family.name,
                               fmt::join(ours, ", "), fmt::join(theirs, ", ")));
}

std::string CompareSession::doing() const {
  if (next_ < entries_.size()) return "checking " + result_.kernels[next_].name;
  return fmt::format("timing {}", format_count(static_cast<std::int64_t>(entries_.size()), "kernel"));
}

bool CompareSession::step() {
  if (finished_) return false;
  if (next_ == 0) {
    ProblemLoader(rig_, *setup_).load();
    know_cost();
    ledger_.emplace(database_, session_record(options_, rig_.device()));
  }
  if (next_ < entries_.size()) {
    check(next_++);
    return true;
  }
  if (rig_.device().has_clock) time_together();
  compare_times();
  store();
  finished_ = true;
  return false;
}

/// On an emulated device the same run is counted and its time modelled.
void CompareSession::check(std::size_t index) {
  Entry& entry = entries_[index];
  ComparedKernel& kernel = result_.kernels[index];
  const Subject& subject = entry.subject;
  const Family& family = entry.home->folder().family;
  TrialCandidate candidate = entry.home->said_readably([&] {
    TrialCandidate made = make_candidate(family, subject.source, 0, subject.configuration, subject.problem,
                                         rig_.device(), rig_.toolchain());
    made.small_plan = small_plan(family, *subject.source.variant, made, *setup_, rig_.device());
    return made;
  });
  candidate.label += entry.home->suffix();
  SingleOptions single;
  single.recipes = quick_recipes(setup_->plan);
  single.explain = true;
  single.full = options_.full;
  single.deadline = generous_deadline(rig_, *setup_, 10);
  if (!rig_.device().has_clock) single.schedule.emplace();
  entry.result = run_candidate(rig_, *setup_, subject.source.source, subject.source.variant->sampling,
                               std::move(candidate), single);
  Evaluation& result = entry.result;
  result.candidate.trial.message = entry.home->readable(result.candidate.trial.message);
  kernel.trial = result.candidate.trial;
  kernel.report = result.report;
  kernel.scope = result.scope;
  kernel.measurement = result.measurement;
  kernel.figures = figures_of(result, rig_.device());
  const Entry& first = entries_.front();
  kernel.same_source = subject.source.source.hash == first.subject.source.source.hash;
  kernel.same_program = kernel.same_source && result.candidate.options == first.result.candidate.options &&
                        result.candidate.plan == first.result.candidate.plan;
  store_trial(index);
}

std::string figure_title(const std::string& figure) {
  if (const Counter* counter = find_counter(figure)) return std::string(counter->title);
  std::string title = figure == "occupancy" ? "threads in an SM" : figure == "threads" ? "threads in a block" : figure;
  std::ranges::replace(title, '_', ' ');
  return title;
}

}  // namespace kerlab::session
