// job_thread_test.cc: jobs run one after another, and all of them run.
#include "base/job_thread.h"

#include <gtest/gtest.h>

#include <vector>

namespace tare {
namespace {

TEST(JobThread, RunsEveryJobInOrder) {
  std::vector<int> done;  // not shared: Start() and Wait() order all accesses
  JobThread thread;
  for (int i = 0; i < 1000; ++i) {
    thread.Start([&done, i] { done.push_back(i); });
    if (i % 10 != 0) continue;
    thread.Wait();
    ASSERT_EQ(done.size(), static_cast<std::size_t>(i) + 1);
  }
  thread.Wait();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(JobThread, ItsEndWaitsForTheLastJob) {
  bool done = false;
  {
    JobThread thread;
    thread.Wait();  // nothing to wait for
    thread.Start([&done] { done = true; });
  }
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace tare
