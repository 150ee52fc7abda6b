// neighbours_test.cc: tests which processes get different weights, on a synthetic /proc.
#include "machine/load/neighbours.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tare::load {
namespace {

class Neighbours : public ::testing::Test {
 protected:
  Neighbours() {
    std::string name = (std::filesystem::temp_directory_path() / "tare-proc-XXXXXX").string();
    proc_ = ::mkdtemp(name.data());
    Write("sys/kernel/sched_autogroup_enabled", "1\n");
  }
  ~Neighbours() override { std::filesystem::remove_all(proc_); }

  void Write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories((proc_ / path).parent_path());
    std::ofstream(proc_ / path) << text;
  }

  void Process(int pid, int ticks, int nice, int processor, const std::string& group, int session) {
    const auto directory = std::to_string(pid);
    std::string stat = directory + " (p" + directory + ") R";
    for (int field = 4; field <= 41; ++field) {
      stat += ' ' + std::to_string(field == 14   ? ticks
                                   : field == 19 ? nice
                                   : field == 39 ? processor
                                                 : 0);
    }
    Write(directory + "/stat", stat + "\n");
    Write(directory + "/cgroup", "0::" + group + "\n");
    Write(directory + "/autogroup", "/autogroup-" + std::to_string(session) + " nice 0\n");
  }

  std::vector<Neighbour> After(const Processes& before) {
    return UnequalNeighbours(before, ListProcesses(proc_), 1, 0, 0.5, proc_);
  }

  std::filesystem::path proc_;
};

TEST_F(Neighbours, AreListedByProcess) {
  Process(1, 10, 0, 0, "/", 1);
  Process(22, 20, 0, 1, "/", 1);
  Write("33/stat", "damaged");
  Write("self/stat", "1 (x) R");
  const auto processes = ListProcesses(proc_);
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes.at(22).cpu_ticks, 20u);
}

TEST_F(Neighbours, OfTheSameGroupAndNiceValueAreEqual) {
  Process(1, 0, 0, 0, "/", 1);
  Process(2, 0, 0, 0, "/", 1);
  const auto before = ListProcesses(proc_);
  Process(2, 1000, 0, 0, "/", 1);
  EXPECT_TRUE(After(before).empty());
}

TEST_F(Neighbours, OfAnotherSessionAreNot) {
  Process(1, 0, 0, 0, "/", 1);
  Process(2, 100, 0, 0, "/", 2);
  Process(3, 100, 0, 0, "/", 3);
  const auto before = ListProcesses(proc_);
  const long per_second = ::sysconf(_SC_CLK_TCK);
  Process(2, static_cast<int>(100 + per_second), 0, 0, "/", 2);
  Process(3, static_cast<int>(100 + 2 * per_second), 0, 0, "/", 3);
  const auto found = After(before);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].process.pid, 3u);
  EXPECT_DOUBLE_EQ(found[0].cpu_seconds, 2);
  EXPECT_TRUE(found[0].other_group);
  EXPECT_FALSE(found[0].other_nice);
}

TEST_F(Neighbours, OfAnotherSessionAreEqualWhereTheKernelMakesNoSuchGroups) {
  Write("sys/kernel/sched_autogroup_enabled", "0\n");
  Process(1, 0, 0, 0, "/", 1);
  Process(2, 1000, 0, 0, "/", 2);
  EXPECT_TRUE(After({}).empty());
}

TEST_F(Neighbours, OfAnotherControlGroupAreNotEqual) {
  Process(1, 0, 0, 0, "/mine", 1);
  Process(2, 1000, 0, 0, "/mine", 2);
  Process(3, 1000, 0, 0, "/theirs", 1);
  const auto found = After({});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].process.pid, 3u);
}

TEST_F(Neighbours, WithAnotherNiceValueAreNotEqual) {
  Process(1, 0, 0, 0, "/", 1);
  Process(2, 1000, 10, 0, "/", 1);
  const auto found = After({});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].other_nice);
  EXPECT_FALSE(found[0].other_group);
}

TEST_F(Neighbours, OnOtherCoresOrIdleOnesDoNotMatter) {
  Process(1, 0, 0, 0, "/", 1);
  Process(2, 1000, 0, 1, "/", 2);
  Process(3, 1, 0, 0, "/", 2);
  EXPECT_TRUE(After({}).empty());
}

TEST(ListProcesses, FindsNothingInADirectoryThatIsNotThere) {
  EXPECT_TRUE(ListProcesses("/nonexistent/proc").empty());
}

}  // namespace
}  // namespace tare::load
