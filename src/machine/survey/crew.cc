// crew.cc: pinned threads and a barrier.
#include "machine/survey/crew.h"

#include <barrier>
#include <system_error>
#include <thread>
#include <vector>

#include "machine/host/affinity.h"

namespace tare::survey {

void RunOnCores(std::span<const unsigned> cores, std::size_t stages,
                const std::function<void(std::size_t)>& prepare,
                const std::function<void(std::size_t, std::size_t)>& work) {
  std::barrier<> together(static_cast<std::ptrdiff_t>(cores.size()));
  std::vector<std::jthread> threads;
  const auto start = [&](std::size_t i) {
    threads.emplace_back([&, i] {
      // A failure to pin, because the core is no longer allowed, costs precision but does not stop
      // the survey.
      const auto pinned = host::PinnedThread::To(cores[i]);
      prepare(i);
      for (std::size_t stage = 0; stage < stages; ++stage) {
        together.arrive_and_wait();
        work(i, stage);
      }
    });
  };
  try {
    for (std::size_t i = 0; i < cores.size(); ++i) start(i);
  } catch (const std::system_error&) {
    // The others do not wait for those that could not be started.
    for (std::size_t i = threads.size(); i < cores.size(); ++i) together.arrive_and_drop();
    throw;
  }
}

}  // namespace tare::survey
