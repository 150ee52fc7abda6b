// affinity_test.cc: tests pinning to a core, and restoring the previous affinity.
#include "machine/host/affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace tare::host {
namespace {

TEST(Pinned, HoldsTheThreadOnOneProcessorAndGivesBackTheRest) {
  const auto before = AllowedProcessors().value();
  {
    const auto pinned = Pinned::To(before.back());
    ASSERT_TRUE(pinned);
    EXPECT_EQ(AllowedProcessors().value(), std::vector<unsigned>{before.back()});
  }
  EXPECT_EQ(AllowedProcessors().value(), before);
}

TEST(Pinned, GivesBackOnceAfterAMove) {
  const auto before = AllowedProcessors().value();
  auto first = Pinned::To(before.front());
  {
    const Pinned second = std::move(*first);
    EXPECT_EQ(AllowedProcessors().value().size(), 1u);
  }
  EXPECT_EQ(AllowedProcessors().value(), before);
}

TEST(Pinned, ToNothingChangesNothing) {
  const auto before = AllowedProcessors().value();
  const auto pinned = Pinned::To(std::nullopt);
  EXPECT_TRUE(pinned);
  EXPECT_EQ(AllowedProcessors().value(), before);
}

TEST(Pinned, NamesTheAllowedProcessorsWhenThereIsNoSuch) {
  const auto before = AllowedProcessors().value();
  for (unsigned processor : {1023u, 1024u, 4'000'000'000u}) {
    const auto pinned = Pinned::To(processor);
    ASSERT_FALSE(pinned) << processor;
    EXPECT_EQ(pinned.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(pinned.error().message, ::testing::HasSubstr("allowed here: "));
  }
  EXPECT_EQ(AllowedProcessors().value(), before);
}

}  // namespace
}  // namespace tare::host
