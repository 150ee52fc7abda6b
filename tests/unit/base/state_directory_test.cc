// state_directory_test.cc: where state is kept, and names that are safe there.
#include "base/state_directory.h"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(StateFolder, FollowsTheXdgSpecification) {
  EXPECT_EQ(StateFolder("/state", "/home/u").value(), "/state/tare");
  EXPECT_EQ(StateFolder(std::nullopt, "/home/u").value(), "/home/u/.local/state/tare");
  EXPECT_EQ(StateFolder("relative", "/home/u").value(), "/home/u/.local/state/tare");
}

TEST(StateFolder, IsNowhereWithoutAHome) {
  EXPECT_FALSE(StateFolder(std::nullopt, std::nullopt));
  EXPECT_FALSE(StateFolder("relative", "relative"));
}

TEST(AsFileName, KeepsWhatIsPlainAndJoinsTheRest) {
  EXPECT_EQ(AsFileName("vm (Arm Neoverse V1)"), "vm-Arm-Neoverse-V1");
  EXPECT_EQ(AsFileName("../../etc/passwd"), "..-..-etc-passwd");
  EXPECT_LE(AsFileName(std::string(5000, 'x')).size(), 200u);
}

}  // namespace
}  // namespace tare
