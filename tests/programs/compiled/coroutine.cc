// coroutine.cc: a coroutine, which is suspended and resumed in the middle.
#include <coroutine>
#include <cstdio>

int resumed;

struct Numbers {
  struct promise_type {
    int value = 0;
    Numbers get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int number) {
      value = number;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

Numbers Count(int to) {
  for (int i = 0; i < to; ++i) {
    resumed++;
    co_yield i;
  }
}

int main() {
  int sum = 0;
  for (int n = 0; n < 3; ++n) {
    Numbers numbers = Count(4);
    while (!numbers.handle.done()) {
      sum += numbers.handle.promise().value;
      numbers.handle.resume();
    }
    numbers.handle.destroy();
  }
  std::printf("%d %d\n", sum, resumed);
  return 0;
}
