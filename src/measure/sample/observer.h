// observer.h: a thread that takes records of a running program at regular times.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "base/descriptor.h"
#include "base/result.h"
#include "measure/sample/recorder.h"
#include "measure/sample/start_mark.h"

namespace tare::sample {

class Observer {
 public:
  // Begins when `mark` is set. `mark` and `recorder` must outlive the observer and belong to its
  // thread until Stop().
  static Result<std::unique_ptr<Observer>> Start(pid_t process, const StartMark& mark,
                                                 Recorder& recorder);
  ~Observer() { Stop(); }
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // Call when the program has ended or was never started. The thread also detects the end of the
  // process by itself, within two milliseconds or one interval, so that no record is taken after
  // the end.
  void Stop();

  // Total CPU time of the thread; valid after Stop().
  std::uint64_t CpuNs() const { return cpu_ns_; }

 private:
  Observer(Descriptor process, const StartMark& mark, Recorder& recorder)
      : process_(std::move(process)), mark_(mark), recorder_(recorder) {}

  void Run();
  bool WaitForStart();
  // False if the program has ended.
  bool SleepUntil(std::uint64_t deadline_ns);
  bool EndsWithin(std::uint64_t wait_ns);

  Descriptor process_;
  const StartMark& mark_;
  Recorder& recorder_;
  std::uint64_t start_ns_ = 0;
  std::atomic<bool> stop_{false};
  std::uint64_t cpu_ns_ = 0;
  std::thread thread_;
};

}  // namespace tare::sample
