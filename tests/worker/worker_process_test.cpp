// Whole worker processes on scripted devices: this test program is its own worker.
#include <cstdlib>
#include <fstream>

#include "base/child.h"
#include "base/file.h"
#include "base/frame.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "sanitized.h"
#include "worker/example_problem.h"
#include "worker/worker.h"

using namespace kerlab;
using namespace std::chrono_literals;

TEST_CASE("body of a worker process", "[.worker-body]") {
  // std::exit: nothing of the test program may write after the last frame.
  std::exit(run_worker(std::getenv("KERLAB_TEST_DEVICE")));
}

namespace {

/// A client whose child is this program; the client appends "--device ID".
WorkerClient client_for(const std::string& device) {
  const std::string body = "KERLAB_TEST_DEVICE=$2 exec \"$0\" '[.worker-body]'";
  return WorkerClient({{"/bin/sh", "-c", body, executable_path().string()}, device, {}});
}

struct Script {
  explicit Script(const std::string& toml) { std::ofstream(folder / "script.toml") << toml; }
  [[nodiscard]] std::string device() const { return "script:" + (folder / "script.toml").string(); }
  TemporaryFolder folder;
};

WorkerClient::Outcome ask(WorkerClient& client, const Request& request, std::chrono::milliseconds deadline = 20s) {
  client.send(request, deadline);
  return client.wait();
}

void prepare(WorkerClient& client) {
  client.start();
  REQUIRE(std::holds_alternative<reply::ProblemReady>(ask(client, test::set_problem()).reply));
  REQUIRE(std::holds_alternative<reply::Loaded>(ask(client, test::load(1, "good")).reply));
}

}  // namespace

TEST_CASE("a worker process checks and times", "[worker]") {
  const Script script("[device]\nname = \"Pretended\"\n");
  WorkerClient client = client_for(script.device());
  CHECK_FALSE(client.running());
  CHECK(client.start().name == "Pretended");
  CHECK(client.running());
  prepare(client);
  CHECK(client.respawns() == 1);
  const auto checked = ask(client, request::Check{1, {0, 1}, true});
  REQUIRE(checked.event == WorkerClient::Event::reply);
  CHECK(std::get<reply::Checked>(checked.reply).report.passed());
  const auto timed = ask(client, request::Time{{1}, {}});
  CHECK(std::get<reply::Timed>(timed.reply).samples.at(0).samples_us.size() == 3);
  client.stop();
  CHECK_FALSE(client.running());
}

TEST_CASE("a worker that hangs is killed at its deadline and can be had anew", "[worker]") {
  const Script script("[[rule]]\nmatch = \"bad\"\noutcome = \"hang\"\n");
  WorkerClient client = client_for(script.device());
  prepare(client);
  ask(client, test::load(2, "bad"));
  const auto outcome = ask(client, request::Check{2, {0}, false}, 300ms);
  CHECK(outcome.event == WorkerClient::Event::deadline);
  CHECK(outcome.message.find("deadline") != std::string::npos);
  CHECK_FALSE(client.running());
  prepare(client);
  CHECK(std::get<reply::Checked>(ask(client, request::Check{1, {0}, false}).reply).report.passed());
}

TEST_CASE("a thorough check of a slow kernel goes on as long as its launches end", "[worker]") {
  const Script script(
      "[default]\nus = 100000\nreal_sleep = true\n[[rule]]\nmatch = \"lab*\"\nus = 1\n"
      "[[rule]]\nmatch = \"bad\"\noutcome = \"hang\"\nafter = 3\n");
  WorkerClient client = client_for(script.device());
  prepare(client);
  const auto begin = Clock::now();
  const auto checked = ask(client, request::Check{1, {0, 1}, true}, 1000ms);
  REQUIRE(checked.event == WorkerClient::Event::reply);
  CHECK(std::get<reply::Checked>(checked.reply).report.passed());
  CHECK(Clock::now() - begin > 1300ms);  // 13 launches before what a kernel may remember is looked for
  ask(client, test::load(2, "bad"));
  CHECK(ask(client, request::Check{2, {0}, true}, 1000ms).event == WorkerClient::Event::deadline);
}

TEST_CASE("a worker that dies says how", "[worker]") {
  if (left_to_sanitizer()) return;
  for (const auto& [outcome, words] : {std::pair{"sigkill", "SIGKILL"}, std::pair{"abort", "SIGABRT"}}) {
    const Script script("[[rule]]\nmatch = \"bad\"\noutcome = \"" + std::string(outcome) + "\"\n");
    WorkerClient client = client_for(script.device());
    prepare(client);
    ask(client, test::load(2, "bad"));
    const auto died = ask(client, request::Check{2, {0}, false});
    CHECK(died.event == WorkerClient::Event::died);
    CHECK(died.message.find(words) != std::string::npos);
    CHECK_THROWS_WITH(client.send(request::Health{}, 1s), Catch::Contains("not started"));
    prepare(client);
  }
}

TEST_CASE("after a sticky fault the worker answers, then ends by itself", "[worker]") {
  const Script script("[[rule]]\nmatch = \"bad\"\noutcome = \"trap\"\n");
  WorkerClient client = client_for(script.device());
  prepare(client);
  ask(client, test::load(2, "bad"));
  const auto outcome = ask(client, request::Check{2, {0}, false});
  REQUIRE(outcome.event == WorkerClient::Event::reply);
  const auto& fault = std::get<reply::Fault>(outcome.reply);
  CHECK(fault.kind == FaultKind::trap);
  CHECK(fault.sticky);
  CHECK(ask(client, request::Health{}).event == WorkerClient::Event::died);
}

TEST_CASE("a worker that cannot be had is an error in words", "[worker]") {
  WorkerClient no_device = client_for("script:does-not-exist.toml");
  CHECK_THROWS_WITH(no_device.start(), Catch::Contains("does-not-exist.toml"));
  CHECK_FALSE(no_device.running());
  WorkerClient silent({{"/bin/sh", "-c", "echo out of coffee >&2; exit 3"}, "cuda:0", {}});
  CHECK_THROWS_WITH(silent.start(), Catch::Contains("exit code 3") && Catch::Contains("out of coffee"));
  WorkerClient stranger({{"/bin/sh", "-c", "printf '\\003\\0\\0\\0\\0\\0\\0\\0abc'; sleep 5"}, "cuda:0", {}});
  CHECK_THROWS_WITH(stranger.start(), Catch::Contains("not a message"));
}

TEST_CASE("a worker that hangs ends when its parent is gone, behind a launcher too", "[worker]") {
  if (left_to_sanitizer()) return;
  const Script script("[[rule]]\nmatch = \"bad\"\noutcome = \"hang\"\n");
  {
    std::ofstream frames(script.folder / "frames", std::ios::binary);
    for (const Request& request :
         {Request(test::set_problem()), Request(test::load(1, "bad")), Request(request::Check{1, {0}, false})}) {
      const Bytes frame = encode(request);
      const FrameHeader header = frame_header(frame.size());
      frames.write(reinterpret_cast<const char*>(header.data()), std::ssize(header));
      frames.write(reinterpret_cast<const char*>(frame.data()), std::ssize(frame));
    }
  }
  // What started it, the shell, lives on: only the end of its input tells that nobody is there any more.
  const ProcessResult result =
      run_process({"/bin/sh", "-c",
                   "cat \"$2\" | KERLAB_TEST_DEVICE=$1 timeout -s KILL 20 \"$0\" "
                   "'[.worker-body]' > /dev/null; echo ended with $?",
                   executable_path().string(), script.device(), (script.folder / "frames").string()},
                  60s, {});
  INFO(result.out << result.err);
  CHECK(result.out == "ended with 1\n");
}
