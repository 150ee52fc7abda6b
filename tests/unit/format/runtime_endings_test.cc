// runtime_endings_test.cc: tests that counts survive, however the program ends and is linked.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include "counted_run.h"

namespace tare::format {
namespace {

class RuntimeEndings : public CountedRun {
 protected:
  // Expects one file with exact counts.
  void ExpectCounts(std::uint64_t calls, std::uint32_t state) const {
    const auto files = Files();
    ASSERT_EQ(files.size(), 1u);
    const tare_counters_header header = files[0].Header();
    EXPECT_EQ(Value(files[0], "calls"), calls);
    EXPECT_EQ(Value(files[0], "others"), 7u);
    EXPECT_EQ(header.state, state);
    EXPECT_EQ(header.is_library, 0u);
    EXPECT_EQ(header.parent_process, 0u);
    EXPECT_EQ(header.lost_threads, 0u);
    EXPECT_EQ(header.slots, 69u);
    EXPECT_EQ(header.functions_room, 0u);
    EXPECT_NE(header.image, 0u);
  }
};

TEST_F(RuntimeEndings, EachKeepsItsStatusItsOutputAndAllCounts) {
  const struct {
    std::string how;
    std::uint32_t state;
  } endings[] = {{"return", TARE_COUNTERS_ENDED},  {"exit", TARE_COUNTERS_ENDED},
                 {"_exit", TARE_COUNTERS_RUNNING}, {"abort", TARE_COUNTERS_RUNNING},
                 {"kill", TARE_COUNTERS_RUNNING},  {"crash", TARE_COUNTERS_RUNNING}};
  for (const auto& [how, state] : endings) {
    SCOPED_TRACE(how);
    const auto no_core = [] {
      const rlimit none{0, 0};
      setrlimit(RLIMIT_CORE, &none);
    };
    const Ended observed = Observed({"endings", how, "123456"}, no_core);
    EXPECT_EQ(observed, Run({"endings", how, "123456"}, std::nullopt, no_core));
    EXPECT_EQ(observed.output, "counted 123456\n");
    ExpectCounts(123456, state);
    std::filesystem::remove_all(RunDirectory());
    std::filesystem::create_directory(RunDirectory());
  }
}

TEST_F(RuntimeEndings, AMainThreadThatLeavesFirstIsCountedWithTheOthers) {
  EXPECT_EQ(Observed({"endings", "main-leaves", "500"}).status, 0);
  ExpectCounts(1000, TARE_COUNTERS_ENDED);
}

TEST_F(RuntimeEndings, HowItIsLinkedMakesNoDifference) {
  for (const std::string name : {"endings-static", "endings-fixed", "endings-gcc"}) {
    SCOPED_TRACE(name);
    if (!std::filesystem::exists(Program(name))) continue;
    EXPECT_EQ(Observed({name, "return", "2000"}), (Ended{0, "counted 2000\n"}));
    ExpectCounts(2000, TARE_COUNTERS_ENDED);
    const auto files = Files();
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].ModulePath(), Program(name));
    EXPECT_EQ(files[0].Header().load_bias == 0, name != "endings-gcc");
    std::filesystem::remove_all(RunDirectory());
    std::filesystem::create_directory(RunDirectory());
  }
}

TEST_F(RuntimeEndings, TheUnitsDescribeEachSlot) {
  EXPECT_EQ(Observed({"endings", "return", "2000"}).status, 0);
  const auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].ModulePath(), Program("endings"));
  const auto& metrics = files[0].Metrics();
  ASSERT_EQ(metrics.size(), 5u);
  EXPECT_EQ(metrics[1].name, "others");
  EXPECT_TRUE(metrics[1].is_function);
  EXPECT_EQ(metrics[2].kind, SlotKind::kMaximum);
  EXPECT_EQ(ValueOfSlot(metrics[2], Value(files[0], "largest")), 1999);
  EXPECT_TRUE(metrics[3].is_signed);
  EXPECT_EQ(ValueOfSlot(metrics[3], Value(files[0], "least")), std::nullopt);
  EXPECT_EQ(metrics[4].kind, SlotKind::kHistogram);
  std::vector<std::uint64_t> all(files[0].Header().slots);
  files[0].Read(all);
  EXPECT_EQ(all[0], 2000u);
  EXPECT_EQ(all[1], 7u);
  EXPECT_EQ(all[2], 1999u);
}

TEST_F(RuntimeEndings, TheFileTakesLittleRoom) {
  EXPECT_EQ(Observed({"endings"}).status, 0);
  for (const auto& entry : std::filesystem::directory_iterator(RunDirectory())) {
    struct stat status{};
    ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
    EXPECT_LT(status.st_blocks * 512, 256 << 10);
  }
}

TEST_F(RuntimeEndings, WithoutADirectoryNothingIsLeft) {
  EXPECT_EQ(Run({"endings", "return", "10"}, std::nullopt), (Ended{0, "counted 10\n"}));
  EXPECT_EQ(Run({"endings", "return", "10"}, directory_ / "nowhere"), (Ended{0, "counted 10\n"}));
  EXPECT_EQ(Run({"endings", "return", "10"}, "relative"), (Ended{0, "counted 10\n"}));
  EXPECT_EQ(Run({"endings", "return", "10"}, std::string(5000, '/')), (Ended{0, "counted 10\n"}));
  EXPECT_TRUE(Files().empty());
}

TEST_F(RuntimeEndings, TightLimitsLeaveTheProgramAlone) {
  const struct {
    int resource;
    rlim_t most;
  } limits[] = {{RLIMIT_FSIZE, 65536}, {RLIMIT_NOFILE, 3}, {RLIMIT_DATA, 4 << 20}};
  for (const auto& [resource, most] : limits) {
    SCOPED_TRACE(resource);
    const auto limit = [resource, most] {
      const rlimit wanted{most, most};
      setrlimit(static_cast<__rlimit_resource>(resource), &wanted);
    };
    // Dynamic programs need descriptors for their libraries.
    EXPECT_EQ(Observed({"endings-static", "return", "10"}, limit), (Ended{0, "counted 10\n"}));
    EXPECT_EQ(Run({"endings-static", "return", "10"}, std::nullopt, limit),
              (Ended{0, "counted 10\n"}));
  }
  // The third run still had a file, with room for fewer threads.
  const auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Value(files[0], "calls"), 10u);
  EXPECT_LT(files[0].Header().banks, 4096u);
}

TEST_F(RuntimeEndings, AProgramWithAnotherUsersRightsIsNotObserved) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a program of another user";
  const std::filesystem::path copy = directory_ / "copy";
  std::filesystem::copy(Program("endings-static"), copy);
  std::filesystem::permissions(directory_, std::filesystem::perms::all);
  std::filesystem::permissions(RunDirectory(), std::filesystem::perms::all);
  EXPECT_EQ(Observed({copy, "return", "10"}), (Ended{0, "counted 10\n"}));
  EXPECT_EQ(Files().size(), 1u);
  ASSERT_EQ(chown(copy.c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod(copy.c_str(), 04755), 0);
  EXPECT_EQ(Observed({copy, "return", "10"}), (Ended{0, "counted 10\n"}));
  EXPECT_EQ(Files().size(), 1u);
}

// A small in-memory file system that is unmounted with the test.
class SmallFileSystem {
 public:
  explicit SmallFileSystem(const std::filesystem::path& directory)
      : directory_(directory.string()) {
    std::filesystem::create_directory(directory);
    is_mounted_ = Runs("mount -t tmpfs -o size=16k tare " + directory_);
  }
  ~SmallFileSystem() {
    if (is_mounted_) Runs("umount -l " + directory_);
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;
  bool IsMounted() const { return is_mounted_; }
  bool Grow(const std::string& size) const {
    return Runs("mount -o remount,size=" + size + " " + directory_);
  }

 private:
  static bool Runs(const std::string& command) {
    return std::system((command + " 2> /dev/null").c_str()) == 0;
  }
  std::string directory_;
  bool is_mounted_ = false;
};

TEST_F(RuntimeEndings, AFileSystemWithoutRoomLeavesTheProgramAlone) {
  const std::filesystem::path full = directory_ / "full";
  const SmallFileSystem disk(full);
  if (!disk.IsMounted()) GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_EQ(Run({"endings", "return", "10"}, full), (Ended{0, "counted 10\n"}));
  EXPECT_TRUE(std::filesystem::is_empty(full));
  // Room for the fixed parts of a file, and for a few threads' banks.
  ASSERT_TRUE(disk.Grow("128k"));
  EXPECT_EQ(Run({"threads", "at-once", "100", "10"}, full).status, 0);
  std::uint64_t lost = 0;
  std::uint64_t calls = 0;
  for (const auto& entry : std::filesystem::directory_iterator(full)) {
    auto file = CounterFile::Open(entry.path());
    ASSERT_TRUE(file);
    lost += file->Header().lost_threads;
    calls += Value(*file, "calls");
  }
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(calls + 10 * lost, 1000u);
}

}  // namespace
}  // namespace tare::format
