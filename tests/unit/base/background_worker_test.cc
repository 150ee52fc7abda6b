// background_worker_test.cc: order of tasks, how many are unfinished, and that none is left undone.
#include "base/background_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <vector>

namespace tare {
namespace {

using ::testing::ElementsAre;

TEST(BackgroundWorker, DoesTasksInOrder) {
  std::vector<int> done;
  BackgroundWorker worker(2);
  for (int i = 0; i < 5; ++i) worker.Add([&done, i] { done.push_back(i); });
  worker.Wait();
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3, 4));
  worker.Add([&done] { done.push_back(9); });
  worker.Wait();
  EXPECT_EQ(done.back(), 9);
}

TEST(BackgroundWorker, WaitsWithoutTasks) {
  BackgroundWorker worker(1);
  worker.Wait();
}

TEST(BackgroundWorker, HasNoMoreUnfinishedTasksThanAllowed) {
  std::promise<void> may_end;
  std::atomic<int> begun = 0;
  BackgroundWorker worker(2);
  worker.Add([&] {
    ++begun;
    may_end.get_future().wait();
  });
  worker.Add([&] { ++begun; });
  auto third = std::async(std::launch::async, [&] { worker.Add([&] { ++begun; }); });
  EXPECT_LE(begun, 1);
  EXPECT_EQ(third.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout)
      << "there is no room for a third task";
  may_end.set_value();
  third.get();
  worker.Wait();
  EXPECT_EQ(begun, 3);
}

TEST(BackgroundWorker, TheDestructorDoesWhatIsLeft) {
  std::vector<int> done;
  {
    BackgroundWorker worker(9);
    for (int i = 0; i < 9; ++i) worker.Add([&done, i] { done.push_back(i); });
  }
  EXPECT_EQ(done.size(), 9u);
}

}  // namespace
}  // namespace tare
