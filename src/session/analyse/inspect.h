#pragma once
// What one kernel does, by source line, and what holds it back: counted on an emulated device, which needs no GPU.

#include "session/analyse/inspection.h"
#include "session/find/subject.h"
#include "session/run/single.h"
#include "session/run/stepped.h"

namespace kerlab::session {

struct InspectOptions {
  RigOptions rig;  ///< the target is the subject's; a device that is not emulated gives way to the trial's twin
  SubjectName subject;
  std::vector<ProblemArgument> arguments;
  std::string dtype;
};

/// `database` may be null: then nothing is stored. Throws Error with the message when the kernel does not compile or
/// run.
Stepped<Inspection> inspect(InspectOptions options, const Database* database);
/// The same, but a kernel that does not compile or run is known as far as that goes: its trial has the status and the
/// message, and there are no launches.
Stepped<Inspection> inspect_as_far_as_possible(InspectOptions options, const Database* database);

/// The same in a rig that has the problem loaded (ProblemLoader), of an emulated device.
Inspection inspect_subject(Rig& rig, const ProblemSetup& setup, const Subject& subject, const Database* database);

/// What inspect_subject does: "compiling and counting reg2d on emu:h200".
std::string counting_text(const Subject& subject, const DeviceInfo& device);

/// The newest final, bench or screen measurement of the subject's trials, one for each device class.
std::vector<StoredTime> stored_times(const Trial& like, const Database& database);

}  // namespace kerlab::session
