// state_directory_test.cc: tests where state is stored, and which names are safe there.
#include "base/state_directory.h"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(StateDirectory, FollowsTheXdgSpecification) {
  EXPECT_EQ(StateDirectory("/state", "/home/u").value(), "/state/tare");
  EXPECT_EQ(StateDirectory(std::nullopt, "/home/u").value(), "/home/u/.local/state/tare");
  EXPECT_EQ(StateDirectory("relative", "/home/u").value(), "/home/u/.local/state/tare");
}

TEST(StateDirectory, IsNowhereWithoutAHome) {
  EXPECT_FALSE(StateDirectory(std::nullopt, std::nullopt));
  EXPECT_FALSE(StateDirectory("relative", "relative"));
}

TEST(AsFileName, KeepsWhatIsPlainAndJoinsTheRest) {
  EXPECT_EQ(AsFileName("vm (Arm Neoverse V1)"), "vm-Arm-Neoverse-V1");
  EXPECT_EQ(AsFileName("../../etc/passwd"), "..-..-etc-passwd");
  EXPECT_LE(AsFileName(std::string(5000, 'x')).size(), 200u);
}

}  // namespace
}  // namespace tare
