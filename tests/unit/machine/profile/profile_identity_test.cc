// profile_identity_test.cc: tests the recognition of profiles of other machines.
#include "machine/profile/profile_identity.h"

#include <gtest/gtest.h>

#include "tests/unit/machine/profile/example_profile.h"

namespace tare::machine_profile {
namespace {

TEST(RequireThisMachine, TakesAProfileOfIt) {
  EXPECT_TRUE(RequireThisMachine(ExampleProfile(), "host (processor)", "processor"));
}

TEST(RequireThisMachine, RefusesAnotherMachine) {
  const auto other = RequireThisMachine(ExampleProfile(), "server (processor)", "processor");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "the profile 'example' is for the machine 'host (processor)', and this is 'server "
            "(processor)'; create one for this machine with tare machine measure");
}

TEST(RequireThisMachine, RefusesWhatWasNotMeasured) {
  Profile profile = ExampleProfile();
  profile.origin = Origin::kPublished;
  const auto published = RequireThisMachine(profile, "host (processor)", "processor");
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().message,
            "the profile 'example' is published, not measured on this machine; create one with "
            "tare machine measure");
}

}  // namespace
}  // namespace tare::machine_profile
