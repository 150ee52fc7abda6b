// suspects_test.cc: tests the suspects that remain when everything that can be fixed is fixed.
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

TEST(SuspectsOf, ThreadsAreNamedAndFixedFactorsAreNot) {
  format::SystemLog system_log;
  system_log.requests = {{format::SystemLogKind::kTime, 5}, {format::SystemLogKind::kThread, 2}};
  system_log.calls = {{SYS_getpid, 1}};
  EXPECT_THAT(FactorsOf(SuspectsOf(system_log, {{Factor::kTime}, {Factor::kProcessId}})),
              testing::ElementsAre(Factor::kThreads));
}

TEST(SuspectsOf, AnIdThatCannotBeFixedIsASuspect) {
  format::SystemLog system_log;
  system_log.calls = {{SYS_getpid, 3}};
  const auto suspects = SuspectsOf(system_log, {});
  EXPECT_THAT(FactorsOf(suspects), testing::ElementsAre(Factor::kProcessId));
  EXPECT_THAT(suspects[0].evidence, testing::HasSubstr("3 times"));
}

TEST(SuspectsOf, WhatHasNoNameIsCalledSo) {
  EXPECT_THAT(FactorsOf(SuspectsOf(format::SystemLog{}, {})),
              testing::ElementsAre(Factor::kUnnamed));
  EXPECT_THAT(FactorsOf(SuspectsOf(std::nullopt, {})), testing::ElementsAre(Factor::kUnnamed));
}

}  // namespace
}  // namespace tare::why
