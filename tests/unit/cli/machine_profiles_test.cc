// machine_profiles_test.cc: tests where profiles are stored and found.
#include "cli/machine_profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::cli {
namespace {

using ::testing::ElementsAre;

TEST(ShippedDirectories, AreNextToTheProgramOrInTheInstallation) {
  EXPECT_THAT(ShippedDirectories("/usr/bin/tare"),
              ElementsAre("/usr/bin/machines", "/usr/share/tare/machines"));
}

}  // namespace
}  // namespace tare::cli
