#pragma once
// One kernel tried again and again while its author works on it: compiled, checked and timed as it stands now, beside
// the last attempt and the best one. For `kerlab watch` and the lab; compilers and the device stay up between attempts.

#include <map>

#include "session/find/subject.h"
#include "session/history/kernel_files.h"
#include "session/run/single.h"

namespace kerlab::session {

/// What to try. `kernel` as parse_subject gives it; of a trial's id its variant, configuration and problem are meant,
/// of today's source.
struct AttemptRequest {
  SubjectName kernel;  ///< without variant: the only one, else the winner's, else the first rung
  std::vector<ProblemArgument> arguments;
  std::string dtype;
};

struct AttemptOptions {
  RigOptions rig;  ///< its target is not used; rig.kept is made when null
  int rounds = 30;
  /// That a check or a timing may take; 0: twenty times what the last run that passed took, at least 5 s, and where
  /// none has passed yet as long as bench allows.
  double limit_s = 0;
  bool keep_saves = true;  ///< the files are kept whenever they are other than those kept last
  std::string command, version;
};

/// An earlier attempt that was timed in the same rounds (GPU), or whose modelled time is compared (emulated).
struct Beside {
  std::string what;         ///< "last", "best"; an attempt may be both
  std::int64_t number = 0;  ///< of the attempt
  double us = 0;            ///< its median in these rounds; emulated: what was modelled then
  /// This attempt's time over its: below 1 this one is faster. With a paired 95 % interval; modelled times have none,
  /// and `low` and `high` are the ratio.
  double ratio = 1, low = 1, high = 1;
};

struct Attempt {
  std::int64_t number = 0;  ///< 1, 2, ... of this Attempts
  Problem problem;
  std::string device;       ///< "emu:h200 Emulated H200"
  std::string label;        ///< "reg2d BM=128 BN=64"
  std::string how;          ///< "as typed", "default", "winner, trial 12", "trial 12": variant and configuration
  std::string completion;   ///< as of the subject
  Trial trial;              ///< status, message, resources, check; stored (id)
  std::string first_error;  ///< of the compiler: "reg2d.cu:57:12: error: ..."; empty: it compiled
  CheckReport report;
  std::optional<Measurement> measurement;  ///< stored
  std::string warning;                     ///< of the timing
  double roof_us = 0, flops = 0, bytes = 0;
  bool cost_from_data = false;            ///< flops and bytes were counted; else formulas say them
  std::vector<CountedLaunch> counted;     ///< emulated
  std::optional<std::int64_t> conflicts;  ///< shared-memory passes of a run beyond the least; of emulated ones
  std::optional<double> occupancy;        ///< of the kernel that fills an SM least
  std::vector<Beside> beside;             ///< last and best of the same problem and variant, where there are such
  bool is_best = false;                   ///< faster than every attempt of this problem and variant before it
  KernelFiles files;                      ///< that it was made of, as they were read
  std::int64_t save = 0;                  ///< number of the save that holds these files; 0: not kept
  /// `seconds` is the whole; of it: reading the spec, waking the device, images of lab and reference (`open_s`); the
  /// worker's data and reference (`prepare_s`, 0 where it had them); compiling, checking, timing; the database.
  double seconds = 0, open_s = 0, prepare_s = 0, compile_s = 0, check_s = 0, time_s = 0, store_s = 0;
};

/// What an attempt under way does.
struct AttemptStage {
  std::string doing;   ///< "compiling", "checking"
  double limit_s = 0;  ///< after which it is ended; 0: none that matters
};

class Attempts {
 public:
  Attempts(AttemptOptions options, Database& database);
  ~Attempts();
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;

  /// Stepped, one at a time. Throws what is wrong with request, spec or device; a kernel that does not compile, faults
  /// or is wrong is an Attempt with a status.
  Stepped<Attempt> run(AttemptRequest request);
  /// Of an attempt whose steps were not gone on with: its files are kept.
  void end_here() { keep_unfinished(); }
  /// Of the attempt under way, or that has just ended.
  [[nodiscard]] AttemptStage stage() const;
  /// Its files are known, before anything is compiled; and what was completed of what was typed.
  [[nodiscard]] bool knows_files() const { return knows_files_; }
  [[nodiscard]] const KernelFiles& files() const { return files_; }
  [[nodiscard]] const std::string& completion() const { return completion_; }
  /// Of the files of the last attempt, also of one that threw (as far as its files are known); 0: not kept.
  [[nodiscard]] std::int64_t last_save() const { return save_; }
  [[nodiscard]] std::shared_ptr<KeptProcesses> kept() const { return options_.rig.kept; }

 private:
  /// An attempt that was timed, ready to be timed again beside another.
  struct Timed {
    TrialCandidate candidate;
    std::int64_t number = 0;
    double us = 0;
  };
  /// Forgets the rig when the attempt has left it, however that came.
  struct OnRig {
    const Rig*& rig;
    ~OnRig() { rig = nullptr; }
  };
  struct Track {
    std::optional<Timed> last, best;
    double good_s = 0;  ///< that check or timing of the last run that passed took, the longer of them
  };
  Stepped<Attempt> try_now(const AttemptRequest& request);
  Stepped<Evaluations> try_it(Rig& rig, const ProblemSetup& setup, const Subject& subject, const Track& track) const;
  [[nodiscard]] SingleOptions protocol(const Rig& rig, const ProblemSetup& setup) const;
  static void compare(Attempt& attempt, const Evaluations& together, const Track& track);
  void store(Attempt& attempt, const Subject& subject, const DeviceInfo& device);
  [[nodiscard]] double limit_of(const Track& track) const;
  void know_files(const Attempt& attempt, const Subject& subject);
  void keep(Attempt& attempt);
  void keep_unfinished();
  void keep_broken(const std::string& why);

  AttemptOptions options_;
  Database& database_;
  std::optional<Ledger> ledger_;
  std::map<std::string, Track> tracks_;     ///< by device, problem and variant
  KernelFiles files_;                       ///< of the last attempt whose files could be read
  std::string family_, variant_, problem_;  ///< of that
  std::string completion_;
  const Rig* rig_ = nullptr;  ///< while an attempt is under way
  double limit_s_ = 0;        ///< of that
  bool knows_files_ = false;  ///< of that
  std::int64_t number_ = 0, save_ = 0;
};

}  // namespace kerlab::session
