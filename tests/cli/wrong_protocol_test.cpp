// examples/wrong_protocol: its protocols against a machine whose clock is set by hand.
#include "../../examples/wrong_protocol/protocols.h"

#include "catch.h"

using namespace wrong_protocol;

namespace {

/// A launch takes 4 us of the host; the kernel 100 us, 60 with inputs in the cache, 0.9 times that on zeros; the first
/// launch loads for 5000 us; every tenth is 3 us quicker. The way back of synchronize() takes 6 us.
class ScriptedMachine {
 public:
  void fill(Data data) { zeros_ = data == Data::zeros; }
  void flush() { cached_ = false; }
  void launch() {
    host_us_ += 4;
    queued_us_ += kernel_us();
  }
  void synchronize() {
    host_us_ += queued_us_ + (queued_us_ > 0 ? 6 : 0);
    queued_us_ = 0;
  }
  double now_us() const { return host_us_; }
  double event_us() {
    const double us = kernel_us();
    host_us_ += us + 10;
    return us;
  }

 private:
  double kernel_us() {
    const double first = launches_ == 0 ? 5000 : 0, quick = launches_ % 10 == 7 ? 3 : 0;
    ++launches_;
    const double us = (cached_ ? 60 : 100) * (zeros_ ? 0.9 : 1.0) - quick + first;
    cached_ = true;
    return us;
  }

  double host_us_ = 0, queued_us_ = 0;
  int launches_ = 0;
  bool cached_ = false, zeros_ = false;
};

double reported(const std::vector<Result>& results, const std::string& protocol) {
  for (const Result& result : results)
    if (result.protocol == protocol) return result.us;
  return -1;
}

}  // namespace

TEST_CASE("example: every wrong protocol is wrong in its own way, the right one is right", "[cli]") {
  ScriptedMachine machine;
  const std::vector<Result> results = compare(machine);
  CHECK(results.size() == 8);
  CHECK(reported(results, "right") == Approx(100));
  CHECK(reported(results, "no synchronisation") == Approx(4));
  CHECK(reported(results, "no warm-up") == Approx(5000 + 4 + 100 + 6));
  CHECK(reported(results, "host clock") == Approx(4 + 100 + 6));
  CHECK(reported(results, "hot L2") == Approx(60));
  const double one = reported(results, "one sample");
  CHECK((one == Approx(100) || one == Approx(97)));
  CHECK(reported(results, "minimum of 100") == Approx(97));
  CHECK(reported(results, "zeros as data") == Approx(90));
}

TEST_CASE("example: the median of an even number of samples is between the two in the middle", "[cli]") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
}
