// run_conditions_test.cc: tests what is fixed in every run.
#include "analysis/why/run_conditions.h"

#include <gtest/gtest.h>

namespace tare::why {
namespace {

// Lazy binding during main would make every count depend on the processor's features.
TEST(FixedSetup, FunctionsOfLibrariesAreBoundBeforeMainAtEveryLevel) {
  const auto program = run::Resolve({{"/bin/true"}});
  ASSERT_TRUE(program);
  const auto setup = FixedSetup::Make(*program, {}, {});
  ASSERT_TRUE(setup) << setup.error().message;
  for (const Levels& levels : {Levels{}, Levels{{Factor::kDispatch, 1}}}) {
    const auto conditions = setup->At(levels);
    ASSERT_TRUE(conditions) << conditions.error().message;
    EXPECT_TRUE(conditions->setting.environment.bind_now);
    EXPECT_EQ(conditions->setting.environment.pin_dispatch, levels.empty());
  }
}

}  // namespace
}  // namespace tare::why
