// discover_test.cc: tests which discovery requests are rejected, and that discovery can be
// interrupted.
#include "machine/survey/discover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::survey {
namespace {

using ::testing::HasSubstr;

DiscoverConfig SmallConfig() {
  DiscoverConfig config;
  config.quick = true;
  config.max_bytes = 32 << 20;
  return config;
}

TEST(Discover, RefusesTooLittleMemory) {
  DiscoverConfig config = SmallConfig();
  config.max_bytes = 1 << 20;
  const auto found = Discover(config, {}, NoProgress);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(found.error().message, HasSubstr("32 MiB"));
}

TEST(Discover, RefusesACoreThatIsNotThere) {
  DiscoverConfig config = SmallConfig();
  config.core = 1'000'000;
  const auto found = Discover(config, {}, NoProgress);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, ErrorKind::kUsage);
}

TEST(Discover, StopsOnRequestAndNeverGoesBack) {
  double last = 0;
  int calls = 0;
  bool rising = true;
  const auto found = Discover(SmallConfig(), {}, [&](double fraction, std::string_view) {
    rising = rising && fraction >= last;
    last = fraction;
    return ++calls < 4;
  });
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, ErrorKind::kInterrupted);
  EXPECT_TRUE(rising);
}

}  // namespace
}  // namespace tare::survey
