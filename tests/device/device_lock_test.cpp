#include "device/device_lock.h"

#include <unistd.h>

#include <sys/wait.h>

#include "base/error.h"
#include "base/temporary_folder.h"
#include "catch.h"

using namespace kerlab;

TEST_CASE("device lock: one holder at a time, released by death", "[device]") {
  const TemporaryFolder folder;
  auto first = DeviceLock::try_acquire("GPU-1", folder.path());
  REQUIRE(first);
  CHECK(DeviceLock::holder("GPU-1", folder.path()) == "process " + std::to_string(getpid()));
  CHECK_FALSE(DeviceLock::try_acquire("GPU-1", folder.path()));
  CHECK(DeviceLock::try_acquire("GPU-2", folder.path()));
  first.reset();
  const pid_t child = fork();
  if (child == 0) {
    const auto held = DeviceLock::try_acquire("GPU-1", folder.path());
    _exit(held ? 0 : 1);  // no destructor runs
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  const DeviceLock waited = DeviceLock::wait("GPU-1", folder.path());
  CHECK_FALSE(DeviceLock::try_acquire("GPU-1", folder.path()));
}

TEST_CASE("device lock: an unusable folder is an error that says what to set", "[device]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(DeviceLock::try_acquire("GPU-1", folder / "absent"), Catch::Contains("TMPDIR"));
  CHECK(DeviceLock::holder("GPU-1", folder / "absent") == "another process");
}
