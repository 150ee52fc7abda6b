// background_worker.h: does tasks on another thread, in the order in which they were added.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tare {

// Not thread-safe. Tasks must not throw.
class BackgroundWorker {
 public:
  // At most so many tasks are unfinished at a time, at least one.
  explicit BackgroundWorker(std::size_t max_unfinished) : max_unfinished_(max_unfinished) {}
  BackgroundWorker(const BackgroundWorker&) = delete;
  BackgroundWorker& operator=(const BackgroundWorker&) = delete;
  // Does what is left.
  ~BackgroundWorker();

  // Waits while as many tasks as allowed are unfinished. Does the task itself if no thread can be
  // started.
  void Add(std::function<void()> task);
  // Waits until all tasks are done. What they wrote can then be read.
  void Wait();

 private:
  void Work();

  std::size_t max_unfinished_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> unfinished_;  // the first is being done
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace tare
