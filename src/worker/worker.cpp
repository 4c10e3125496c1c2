// Body of the worker process.
#include "worker/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "device/device_lock.h"
#include "worker/workbench.h"

namespace kerlab::worker {
namespace {

/// Waits for the parent's next request; nullopt when it is gone.
std::optional<Request> next_request(FrameChannel& channel) {
  const std::optional<Bytes> frame = channel.read();
  if (!frame) return std::nullopt;
  return decode_request(*frame);
}

/// Timing needs the device to ourselves; a scripted or emulated one can be shared. A worker that was killed a moment
/// ago may not have let go yet, so wait a little. Throws Error that names who holds it.
std::optional<DeviceLock> take_device(const Device& device, std::chrono::milliseconds patience) {
  const DeviceInfo& info = device.info();
  if (!info.is_hardware || info.uuid.empty()) return std::nullopt;
  const auto until = std::chrono::steady_clock::now() + patience;
  while (true) {
    if (auto held = DeviceLock::try_acquire(info.uuid)) return held;
    if (std::chrono::steady_clock::now() > until)
      throw DeviceTaken(
          fmt::format("{} is in use by another kerlab ({}): wait for it to end (tune --exclusive does), or name "
                      "another --device",
                      info.id, DeviceLock::holder(info.uuid)));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// Tells the parent why there will be no worker. The parent may be gone as well: then nobody needs to know.
void report(FrameChannel& channel, FaultKind kind, const char* message, ExitCode code = ExitCode::failed,
            bool device_taken = false) noexcept {
  try {
    channel.write(encode(reply::Fault{kind, message, true, static_cast<int>(code), device_taken}));
  } catch (const std::exception&) {
    return;
  }
}

/// Says so to the parent, whose deadline begins anew, but not more often than it needs to know.
void tell_of_progress(FrameChannel& channel, Workbench& workbench) {
  static constexpr std::chrono::milliseconds kApart{100};
  workbench.on_progress([&channel, last = Clock::now()]() mutable {
    if (Clock::now() - last < kApart) return;
    channel.write(encode(reply::Working{}));
    last = Clock::now();
  });
}

int serve_requests(FrameChannel& channel, Workbench& workbench) {
  tell_of_progress(channel, workbench);
  while (const std::optional<Request> request = next_request(channel)) {
    const Reply reply = serve(workbench, *request);
    channel.write(encode(reply));
    const auto* fault = std::get_if<reply::Fault>(&reply);
    // The context is lost: taking it down in order could hang in the driver, and the parent starts another worker.
    if (fault != nullptr && fault->sticky) ::_exit(static_cast<int>(ExitCode::failed));
    if (std::holds_alternative<request::Bye>(*request)) break;
  }
  return static_cast<int>(ExitCode::passed);
}

}  // namespace

int run_worker(const std::string& device_id, std::chrono::milliseconds patience, std::vector<std::string> plugins) {
  FrameChannel channel = FrameChannel::take_over_stdio();
  channel.start_watchdog();  // behind a launcher nobody else ends a worker that hangs when its parent dies
  try {
    const std::unique_ptr<Device> device = open_device(device_id);
    const std::optional<DeviceLock> held = take_device(*device, patience);
    Workbench workbench(*device, std::move(plugins));
    return serve_requests(channel, workbench);
  } catch (const DeviceFault& fault) {
    report(channel, fault.kind(), fault.what());
  } catch (const DeviceTaken& taken) {
    report(channel, FaultKind::other, taken.what(), taken.code(), true);
  } catch (const Error& error) {
    report(channel, FaultKind::other, error.what(), error.code());
  } catch (const std::exception& error) {
    report(channel, FaultKind::other, error.what());
  }
  return static_cast<int>(ExitCode::failed);
}

}  // namespace kerlab::worker
