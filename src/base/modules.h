#pragma once
// Each module has a namespace of its own, so that two classes cannot share a name, and sees those that it may include:
// the table of docs/architecture.md, which tests/include_rules.sh compares with this one. `base` is kerlab itself,
// which everybody sees. A module's own name comes first; `plan::name(dtype)` says which where several are meant.

namespace kerlab {
// A line for each module.
// clang-format off
namespace stats {}
namespace plan {}
namespace spec { using namespace plan; }
namespace compile { using namespace plan; }
namespace device { using namespace plan; }
namespace vendor { using namespace plan; using namespace device; }
namespace verify { using namespace plan; using namespace device; using namespace stats; }
namespace measure { using namespace plan; using namespace device; using namespace stats; }
namespace trial { using namespace plan; using namespace stats; }
namespace worker {
using namespace device; using namespace vendor; using namespace verify; using namespace measure; using namespace trial;
using namespace plan; using namespace stats;
}
namespace search { using namespace spec; using namespace stats; }
namespace db { using namespace trial; }
namespace model { using namespace plan; using namespace spec; using namespace stats; }
namespace session {
using namespace stats; using namespace plan; using namespace spec; using namespace compile; using namespace device;
using namespace vendor; using namespace verify; using namespace measure; using namespace trial; using namespace worker;
using namespace search; using namespace db; using namespace model;
}
namespace report { using namespace trial; using namespace stats; using namespace model; using namespace session; }
namespace cli { using namespace session; using namespace report; using namespace db; }
// The emulator, two rooms of `device`: src/device/emu/ptx, and src/device/emu.
namespace ptx {}
namespace emu { using namespace plan; using namespace device; }
// clang-format on
}  // namespace kerlab
