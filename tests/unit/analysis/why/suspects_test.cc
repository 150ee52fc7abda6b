// suspects_test.cc: what is left when everything that can be held is held.
#include "analysis/why/suspects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

namespace tare::why {
namespace {

std::vector<Factor> FactorsOf(const std::vector<Suspect>& suspects) {
  std::vector<Factor> factors;
  for (const Suspect& suspect : suspects) factors.push_back(suspect.factor);
  return factors;
}

TEST(SuspectsOf, ThreadsAreNamedAndWhatIsHeldIsNot) {
  format::Tape tape;
  tape.asked = {{format::TapeKind::kTime, 5}, {format::TapeKind::kThread, 2}};
  tape.calls = {{SYS_getpid, 1}};
  EXPECT_THAT(FactorsOf(SuspectsOf(tape, {{Factor::kTime}, {Factor::kProcessId}})),
              testing::ElementsAre(Factor::kThreads));
}

TEST(SuspectsOf, AnIdThatCouldNotBeHeldIsASuspect) {
  format::Tape tape;
  tape.calls = {{SYS_getpid, 3}};
  const auto suspects = SuspectsOf(tape, {});
  EXPECT_THAT(FactorsOf(suspects), testing::ElementsAre(Factor::kProcessId));
  EXPECT_THAT(suspects[0].evidence, testing::HasSubstr("3 times"));
}

TEST(SuspectsOf, WhatHasNoNameIsCalledSo) {
  EXPECT_THAT(FactorsOf(SuspectsOf(format::Tape{}, {})), testing::ElementsAre(Factor::kUnnamed));
  EXPECT_THAT(FactorsOf(SuspectsOf(std::nullopt, {})), testing::ElementsAre(Factor::kUnnamed));
}

}  // namespace
}  // namespace tare::why
