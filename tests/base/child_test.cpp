#include "base/child.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/child_process.h"
#include "base/error.h"
#include "base/frame.h"
#include "catch.h"

using namespace kerlab;
using namespace std::chrono_literals;

namespace {

Bytes bytes(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

std::string text(const Bytes& frame) {
  return {reinterpret_cast<const char*>(frame.data()), frame.size()};
}

/// Polls as the session does until a frame comes or the child has ended.
std::optional<Bytes> next_frame(Child& child, std::chrono::milliseconds limit = 10s) {
  const Clock::time_point until = Clock::now() + limit;
  while (Clock::now() < until) {
    if (std::optional<Bytes> frame = child.receive()) return frame;
    if (child.exit()) return {};
    pollfd fds[3] = {{child.output_fd(), POLLIN, 0}, {child.error_fd(), POLLIN, 0}, {child.input_fd(), POLLOUT, 0}};
    ::poll(fds, child.wants_write() ? 3 : 2, 100);
    if (child.wants_write()) child.flush();
  }
  throw std::runtime_error("no frame within the limit");
}

bool ends(pid_t pid, std::chrono::milliseconds limit = 5s) {
  for (const Clock::time_point until = Clock::now() + limit; Clock::now() < until; std::this_thread::sleep_for(5ms)) {
    if (::kill(pid, 0) != 0) return true;
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");  // a zombie that nobody reaps has ended as well
    std::string line;
    std::getline(stat, line);
    if (line.find(") Z ") != std::string::npos) return true;
  }
  return false;
}

/// This test program again, running the hidden test case below in the given mode.
std::vector<std::string> helper() {
  return {"/proc/self/exe", "child helper"};
}
std::vector<std::string> mode(const std::string& name) {
  return {"KERLAB_TEST_CHILD=" + name};
}

[[noreturn]] void echo(FrameChannel channel) {
  while (const std::optional<Bytes> request = channel.read()) {
    if (text(*request) == "noise") {
      std::printf("printed by a kernel\n");
      std::fflush(stdout);
    }
    if (text(*request) == "crash") raise(SIGKILL);
    channel.write(*request);
  }
  _exit(7);
}

}  // namespace

// Not a test: what the tests below spawn.
TEST_CASE("child helper", "[.]") {
  const char* name = std::getenv("KERLAB_TEST_CHILD");
  REQUIRE(name != nullptr);
  if (std::strcmp(name, "parent") == 0) {
    const Child child = Child::spawn({"sleep", "1000"});
    std::printf("pid %d\n", static_cast<int>(child.pid()));
    std::fflush(stdout);
    pause();
  }
  FrameChannel channel = FrameChannel::take_over_stdio();
  if (std::strcmp(name, "busy") == 0) {
    channel.start_watchdog(20ms);
    while (true) pause();
  }
  echo(channel);
}

TEST_CASE("frames of every size cross in order", "[base][child]") {
  Child child = Child::spawn({"cat"});
  const std::vector<std::size_t> sizes = {0, 1, 7, 8, 65536, 3u << 20, 2};
  for (std::size_t i = 0; i < sizes.size(); ++i) child.send(Bytes(sizes[i], std::byte(i + 1)));
  CHECK(child.wants_write());  // more than a socket holds: send() did not block
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::optional<Bytes> frame = next_frame(child);
    REQUIRE(frame.has_value());
    CHECK(*frame == Bytes(sizes[i], std::byte(i + 1)));
  }
}

TEST_CASE("a frame assembler takes a stream one byte at a time", "[base][child]") {
  FrameAssembler assembler;
  for (const std::string_view word : {"abc", "", "defgh"}) {
    Bytes stream(frame_header(word.size()).size());
    const FrameHeader header = frame_header(word.size());
    std::copy(header.begin(), header.end(), stream.begin());
    for (const std::byte byte : bytes(word)) stream.push_back(byte);
    for (const std::byte byte : stream) {
      REQUIRE_FALSE(assembler.complete());
      REQUIRE_FALSE(assembler.room().empty());
      assembler.room()[0] = byte;
      assembler.added(1);
    }
    REQUIRE(assembler.complete());
    CHECK(text(assembler.take()) == word);
    CHECK(assembler.empty());
  }
}

TEST_CASE("a child that ends tells how, after its last frame", "[base][child]") {
  Child child = Child::spawn({"sh", "-c", R"(printf '\002\0\0\0\0\0\0\0hi'; echo oops >&2; exit 3)"});
  REQUIRE(text(next_frame(child).value()) == "hi");
  CHECK_FALSE(next_frame(child).has_value());
  REQUIRE(child.exit().has_value());
  CHECK(child.exit()->describe() == "exit code 3");
  CHECK(child.exit()->stderr_tail == "oops\n");
  CHECK_FALSE(child.exit()->killed_by_us);
  child.send(bytes("to nobody"));  // neither a signal nor an error
  CHECK_FALSE(child.receive().has_value());
}

TEST_CASE("a child killed by a signal is described by its name", "[base][child]") {
  Child child = Child::spawn({"sh", "-c", "kill -SEGV $$"});
  CHECK_FALSE(next_frame(child).has_value());
  CHECK(child.exit()->describe() == "killed by signal 11 (SIGSEGV)");
  CHECK_FALSE(child.exit()->killed_by_us);
}

TEST_CASE("kill ends the whole process group", "[base][child]") {
  Child child = Child::spawn({"sh", "-c", "sleep 1000 & echo $! >&2; wait"});
  std::string pid;
  while (pid.find('\n') == std::string::npos) {
    pollfd wait{child.error_fd(), POLLIN, 0};
    ::poll(&wait, 1, 1000);
    pid += child.take_stderr();
  }
  child.kill();
  REQUIRE(child.exit().has_value());
  CHECK(child.exit()->killed_by_us);
  CHECK(child.exit()->describe() == "killed by signal 9 (SIGKILL) from kerlab");
  CHECK(ends(static_cast<pid_t>(std::stol(pid))));
}

TEST_CASE("the destructor ends and reaps the child", "[base][child]") {
  pid_t pid = 0;
  {
    Child child = Child::spawn({"sleep", "1000"});
    Child moved = std::move(child);
    pid = moved.pid();
    REQUIRE(::kill(pid, 0) == 0);
  }
  CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("the last 8 KiB of standard error are kept", "[base][child]") {
  Child child = Child::spawn({"sh", "-c", "i=0; while [ $i -lt 4000 ]; do echo line $i >&2; i=$((i+1)); done"});
  CHECK_FALSE(next_frame(child).has_value());
  const std::string tail = child.exit()->stderr_tail;
  CHECK(tail.size() == 8192);
  CHECK(tail.substr(tail.size() - 10) == "line 3999\n");
}

TEST_CASE("output that is not frames ends the child", "[base][child]") {
  Child child = Child::spawn({"sh", "-c", "echo this is no frame at all; sleep 1000"});
  CHECK_FALSE(next_frame(child).has_value());
  CHECK(child.exit()->killed_by_us);
  CHECK(child.exit()->stderr_tail.find("not a frame") != std::string::npos);
}

TEST_CASE("a program that does not exist is an error that names it", "[base][child]") {
  CHECK_THROWS_WITH(Child::spawn({"kerlab-no-such-program"}),
                    Catch::Contains("'kerlab-no-such-program': not found in PATH"));
  CHECK_THROWS_WITH(Child::spawn({"/dev/null"}), Catch::Contains("'/dev/null': exec: Permission denied"));
}

TEST_CASE("added environment variables replace inherited ones", "[base][child]") {
  setenv("KERLAB_TEST_VALUE", "old", 1);
  const ProcessResult result = run_process({"sh", "-c", "echo $KERLAB_TEST_VALUE"}, 5s, {"KERLAB_TEST_VALUE=new"});
  unsetenv("KERLAB_TEST_VALUE");
  CHECK(result.out == "new\n");
}

TEST_CASE("what a child prints does not disturb its frames", "[base][child]") {
  Child child = Child::spawn(helper(), mode("echo"));
  child.send(bytes("noise"));
  child.send(bytes("more"));
  CHECK(text(next_frame(child).value()) == "noise");
  CHECK(text(next_frame(child).value()) == "more");
  CHECK(child.take_stderr().find("printed by a kernel") != std::string::npos);
  child.send(bytes("crash"));
  CHECK_FALSE(next_frame(child).has_value());
  CHECK(child.exit()->describe() == "killed by signal 9 (SIGKILL)");
}

TEST_CASE("a child ignores the interrupt key", "[base][child]") {
  Child child = Child::spawn(helper(), mode("echo"));
  child.send(bytes("one"));
  CHECK(text(next_frame(child).value()) == "one");
  ::kill(child.pid(), SIGINT);
  child.send(bytes("two"));
  CHECK(text(next_frame(child).value()) == "two");
}

TEST_CASE("an idle child leaves at the end of its input", "[base][child]") {
  StartedProcess process = start_process(helper(), mode("echo"));
  process.input.close();
  REQUIRE(ends(process.pid));
  const int status = kill_and_reap(process.pid);
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("the watchdog ends a busy child whose parent is gone", "[base][child]") {
  StartedProcess process = start_process(helper(), mode("busy"));
  std::this_thread::sleep_for(200ms);
  CHECK_FALSE(has_ended(process.pid));
  process.input.close();
  REQUIRE(ends(process.pid));
  const int status = kill_and_reap(process.pid);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
}

TEST_CASE("a killed parent takes its children with it", "[base][child]") {
  StartedProcess parent = start_process(helper(), mode("parent"));
  std::string out;
  std::size_t at = std::string::npos;
  for (int i = 0; i < 200 && (at = out.find("pid ")) == std::string::npos; ++i) {
    pollfd wait{parent.output.get(), POLLIN, 0};
    ::poll(&wait, 1, 100);
    drain(parent.output.get(), out);
  }
  REQUIRE(at != std::string::npos);
  const auto grandchild = static_cast<pid_t>(std::stol(out.substr(at + 4)));
  REQUIRE(::kill(grandchild, 0) == 0);
  kill_and_reap(parent.pid);  // its child is in a group of its own: only PDEATHSIG reaches it
  CHECK(ends(grandchild));
}

TEST_CASE("run_process collects both outputs and the exit code", "[base][child]") {
  const ProcessResult result = run_process({"sh", "-c", "echo out; echo err >&2; exit 5"}, 5s);
  CHECK(result.exit_code == 5);
  CHECK(result.out == "out\n");
  CHECK(result.err == "err\n");
  const ProcessResult large = run_process({"sh", "-c", "head -c 5000000 /dev/zero"}, 10s);
  CHECK(large.exit_code == 0);
  CHECK(large.out.size() == 5000000);
  CHECK(run_process({"cat"}, 5s).exit_code == 0);  // its input is empty
}

TEST_CASE("run_process keeps its deadline, also when a grandchild holds the output", "[base][child]") {
  const Clock::time_point start = Clock::now();
  CHECK(run_process({"sleep", "1000"}, 100ms).exit_code == 128 + SIGKILL);
  CHECK(run_process({"sh", "-c", "sleep 1000 & echo done"}, 20s).out == "done\n");
  CHECK(Clock::now() - start < 10s);
}
