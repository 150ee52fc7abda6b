// affinity_test.cc: tests pinning to a core, and restoring the previous affinity.
#include "machine/host/affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace tare::host {
namespace {

TEST(PinnedThread, RunsOnOneProcessorAndRestoresTheAffinity) {
  const auto before = AllowedProcessors().value();
  {
    const auto pinned = PinnedThread::To(before.back());
    ASSERT_TRUE(pinned);
    EXPECT_EQ(AllowedProcessors().value(), std::vector<unsigned>{before.back()});
  }
  EXPECT_EQ(AllowedProcessors().value(), before);
}

TEST(PinnedThread, RestoresOnceAfterAMove) {
  const auto before = AllowedProcessors().value();
  auto first = PinnedThread::To(before.front());
  {
    const PinnedThread second = std::move(*first);
    EXPECT_EQ(AllowedProcessors().value().size(), 1u);
  }
  EXPECT_EQ(AllowedProcessors().value(), before);
}

TEST(PinnedThread, ToNothingChangesNothing) {
  const auto before = AllowedProcessors().value();
  const auto pinned = PinnedThread::To(std::nullopt);
  EXPECT_TRUE(pinned);
  EXPECT_EQ(AllowedProcessors().value(), before);
}

TEST(PinnedThread, NamesTheAllowedProcessorsWhenThereIsNoSuch) {
  const auto before = AllowedProcessors().value();
  for (unsigned processor : {1023u, 1024u, 4'000'000'000u}) {
    const auto pinned = PinnedThread::To(processor);
    ASSERT_FALSE(pinned) << processor;
    EXPECT_EQ(pinned.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(pinned.error().message, ::testing::HasSubstr("allowed here: "));
  }
  EXPECT_EQ(AllowedProcessors().value(), before);
}

}  // namespace
}  // namespace tare::host
