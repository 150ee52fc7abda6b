// prefetch_test.cc: tests switching Intel's prefetchers, with a file in place of the MSR.
#include "machine/survey/prefetch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace tare::survey {
namespace {

class PrefetchFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "prefetchXXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    files_.root = name;
  }
  void TearDown() override { std::filesystem::remove_all(files_.root); }

  std::filesystem::path File(unsigned core) const {
    return files_.root / "dev/cpu" / std::to_string(core) / "msr";
  }

  void Put(unsigned core, std::uint64_t value) {
    std::filesystem::create_directories(File(core).parent_path());
    std::ofstream out(File(core), std::ios::binary);
    const std::string before(0x1a4, '\0');
    out << before;
    out.write(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::uint64_t Get(unsigned core) const {
    std::ifstream in(File(core), std::ios::binary);
    in.seekg(0x1a4);
    std::uint64_t value = ~std::uint64_t{0};
    in.read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }

  host::SystemFiles files_;
};

TEST_F(PrefetchFiles, ReportTheState) {
  Put(0, 0);
  Put(1, 0xf);
  Put(2, 0x101);
  EXPECT_EQ(PrefetchState(files_, "Intel", 0), "on");
  EXPECT_EQ(PrefetchState(files_, "Intel", 1), "off");
  EXPECT_EQ(PrefetchState(files_, "Intel", 2), "partly on");
  EXPECT_TRUE(PrefetchState(files_, "Intel", 3).starts_with("unknown: "));
  EXPECT_TRUE(PrefetchState(files_, "Arm", 0).starts_with("unknown: "));
}

TEST_F(PrefetchFiles, AreSwitchedOffAndBack) {
  Put(0, 0x100);
  Put(1, 0x3);
  {
    const auto off = PrefetchOff::On(files_, "Intel", std::array<unsigned, 2>{0, 1});
    ASSERT_TRUE(off.has_value()) << off.error().message;
    EXPECT_EQ(Get(0), 0x10fu);
    EXPECT_EQ(Get(1), 0xfu);
  }
  EXPECT_EQ(Get(0), 0x100u);
  EXPECT_EQ(Get(1), 0x3u);
}

TEST_F(PrefetchFiles, StayAsTheyAreWhenOneCoreCannotBeSwitched) {
  Put(0, 0x1);
  EXPECT_FALSE(PrefetchOff::On(files_, "Intel", std::array<unsigned, 2>{0, 1}).has_value());
  EXPECT_EQ(Get(0), 0x1u);
  EXPECT_FALSE(PrefetchOff::On(files_, "AMD", std::array<unsigned, 1>{0}).has_value());
}

}  // namespace
}  // namespace tare::survey
