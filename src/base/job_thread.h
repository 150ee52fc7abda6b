// job_thread.h: a thread that takes one job after another.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tare {

// The thread starts with the first job. Without a thread, jobs run in the caller's.
class JobThread {
 public:
  JobThread() = default;
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;
  // Waits for the last job.
  ~JobThread();

  // Waits for the job before. `job` must not throw.
  void Start(std::function<void()> job);
  // Returns when no job is left; what the jobs wrote can be read then.
  void Wait();

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  // empty: none
  bool ends_ = false;
  bool refused_ = false;  // the system has no thread for us
  std::thread thread_;
};

}  // namespace tare
