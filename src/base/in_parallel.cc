// in_parallel.cc: threads that take the next index until none is left.
#include "base/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace tare {

void InParallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kMaxThreads = 8;
  // Each thread should get at least this many items, because starting a thread costs more than a
  // few items of work.
  constexpr std::size_t kMin = 8;
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> threads;
  const std::size_t wanted =
      std::min({kMaxThreads, std::size_t{std::thread::hardware_concurrency()}, count / kMin});
  try {
    while (threads.size() + 1 < wanted) threads.emplace_back(run);
  } catch (const std::system_error&) {
    // The system's thread limit is reached: the threads that exist do all of the work.
  }
  run();
}

}  // namespace tare
