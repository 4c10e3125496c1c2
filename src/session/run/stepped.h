#pragma once
// Work that takes long and says what it does next, as a function that is stepped: `co_yield "compiling 3 of 6"` before
// each part, `co_return` what came of it.

#include <coroutine>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "base/modules.h"

namespace kerlab::session {

/// `while (work.step()) show(work.doing()); use(work.take());`. Nothing is done before the first step. What the
/// function takes by reference must outlive it.
template <typename Result>
class Stepped {
 public:
  struct promise_type {
    std::string doing;
    std::optional<Result> result;
    std::exception_ptr error;

    Stepped get_return_object() { return Stepped(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(std::string what) {
      doing = std::move(what);
      return {};
    }
    void return_value(Result value) { result = std::move(value); }
    void unhandled_exception() { error = std::current_exception(); }
  };

  explicit Stepped(std::coroutine_handle<promise_type> work) : work_(work) {}
  Stepped(Stepped&& other) noexcept : work_(std::exchange(other.work_, nullptr)) {}
  Stepped& operator=(Stepped&&) = delete;
  ~Stepped() {
    if (work_) work_.destroy();
  }

  /// Does the next part. False: there is no more. Throws what the function throws.
  bool step() {
    work_.resume();
    if (work_.promise().error) std::rethrow_exception(work_.promise().error);
    return !work_.done();
  }
  /// What the next step will do: "compiling 3 of 6 neighbours".
  [[nodiscard]] const std::string& doing() const { return work_.promise().doing; }
  /// Once finished.
  [[nodiscard]] Result take() { return std::move(*work_.promise().result); }
  /// All steps, where nobody looks.
  [[nodiscard]] Result finish() {
    while (step()) continue;
    return take();
  }

 private:
  std::coroutine_handle<promise_type> work_;
};

}  // namespace kerlab::session
