// ledger_test.cc: tests that differences of synthetic tallies get the right cause.
#include "measure/count/ledger.h"

#include <gmock/gmock.h>

#include <map>

namespace tare::count {
namespace {

using testing::HasSubstr;

class LedgerOf : public testing::Test {
 protected:
  void Put(Tally& tally, const engine::FunctionKey& key, const std::string& name,
           std::uint64_t count, const Place* place = nullptr) {
    FunctionTally& function = tally.functions[key];
    function.function = name;
    function.place = place;
    function.metrics.Add(Metric::kInstructions, count);
    tally.total.Add(Metric::kInstructions, count);
  }

  std::map<Cause, std::int64_t> Causes() {
    std::map<Cause, std::int64_t> amounts;
    const Ledger ledger = Explain(reference_, engine_, evidence_);
    for (const LedgerEntry& entry : ledger.entries) amounts[entry.cause] = entry.difference;
    return amounts;
  }

  const engine::FunctionKey loader_{"/lib/ld-linux-x86-64.so.2", 0x100};
  const engine::FunctionKey copy_{"/lib/libc.so.6", 0x200};
  const engine::FunctionKey hash_{"/bin/program", 0x300};
  const engine::FunctionKey compare_{"/bin/program", 0x400};
  Tally reference_;
  Tally engine_;
  Evidence evidence_;
};

TEST_F(LedgerOf, EqualTalliesIsEmpty) {
  Put(reference_, hash_, "hash", 10);
  Put(engine_, hash_, "hash", 10);
  const Ledger ledger = Explain(reference_, engine_, evidence_);
  EXPECT_EQ(ledger.total, 0);
  EXPECT_EQ(ledger.unexplained, 0);
  EXPECT_TRUE(ledger.entries.empty());
}

TEST_F(LedgerOf, DifferencesAddUpToTheTotal) {
  Place variant;
  variant.dispatched = true;
  variant.dispatched_name = "memcpy";
  Put(reference_, loader_, "start", 100);
  Put(engine_, loader_, "start", 107);
  Put(engine_, copy_, "sub_200", 50, &variant);
  Put(engine_, {"[vdso]", 0}, "[vdso]", 5);
  Put(reference_, hash_, "hash", 9);
  const Ledger ledger = Explain(reference_, engine_, evidence_);
  EXPECT_EQ(ledger.total, 7 + 50 + 5 - 9);
  const auto causes = Causes();
  EXPECT_EQ(causes.at(Cause::kStartUp), 7);
  EXPECT_EQ(causes.at(Cause::kDispatch), 50);
  EXPECT_EQ(causes.at(Cause::kVdso), 5);
  EXPECT_EQ(causes.at(Cause::kUnexplained), -9);
  EXPECT_EQ(ledger.unexplained, -9);
  EXPECT_THAT(ledger.entries.front().where, HasSubstr("a memcpy"));
}

TEST_F(LedgerOf, WhatMovesWithAddressesIsNamedSo) {
  Put(reference_, hash_, "hash", 10);
  Put(engine_, hash_, "hash", 14);
  evidence_.addresses = {hash_};
  EXPECT_EQ(Causes().at(Cause::kAddresses), 4);
}

TEST_F(LedgerOf, X87ArithmeticExplainsWhatNothingElseDoes) {
  for (Tally* tally : {&reference_, &engine_}) {
    Put(*tally, hash_, "halve", tally == &reference_ ? 53 : 64);
    tally->functions[hash_].metrics.Add(Metric::kX87, 20);
    Put(*tally, compare_, "integers", tally == &reference_ ? 10 : 12);
  }
  EXPECT_EQ(Causes(), (std::map<Cause, std::int64_t>{{Cause::kUnexplained, 13}}));
  evidence_.x87_precision = true;
  EXPECT_EQ(Causes(),
            (std::map<Cause, std::int64_t>{{Cause::kX87Precision, 11}, {Cause::kUnexplained, 2}}));
  evidence_.addresses = {hash_};
  EXPECT_EQ(Causes().at(Cause::kAddresses), 11);
}

TEST_F(LedgerOf, WhatX87CodeCallsFollowsIt) {
  for (Tally* tally : {&reference_, &engine_}) {
    Put(*tally, hash_, "halve", 10);
    tally->functions[hash_].metrics.Add(Metric::kX87, 20);
    tally->calls[hash_] = {compare_};
    Put(*tally, compare_, "store", tally == &reference_ ? 10 : 12);
  }
  evidence_.x87_precision = true;
  EXPECT_EQ(Causes().at(Cause::kX87Precision), 2);
}

// A program's loop calls read by its stub, and both run once for each part that arrives.
TEST_F(LedgerOf, PartialTransfersExplainWhatDoesNotRepeatAroundSystemCalls) {
  const engine::FunctionKey stub{"/bin/program", 0x500};
  for (Tally* tally : {&reference_, &engine_}) {
    const std::uint64_t reads = tally == &reference_ ? 5 : 8;
    Put(*tally, hash_, "sum", 10 * reads);
    Put(*tally, stub, "read@plt", reads);
    Put(*tally, copy_, "read", 7 * reads);
    tally->functions[copy_].metrics.Add(Metric::kSystemCalls, reads);
    tally->stubs[stub] = "read";
    tally->calls[hash_] = {stub};
    Put(*tally, compare_, "elsewhere", tally == &reference_ ? 10 : 12);
  }
  evidence_.unrepeatable = {hash_, stub, copy_, compare_};
  EXPECT_EQ(Causes(), (std::map<Cause, std::int64_t>{{Cause::kUnrepeatable, 3 * 18 + 2}}));
  evidence_.partial_transfers = true;
  EXPECT_EQ(Causes(), (std::map<Cause, std::int64_t>{{Cause::kPartialTransfers, 3 * 18},
                                                     {Cause::kUnrepeatable, 2}}));
}

TEST_F(LedgerOf, WhatDoesNotRepeatIsNamedSoFirst) {
  Put(reference_, hash_, "hash", 10);
  Put(engine_, hash_, "hash", 14);
  evidence_.addresses = {hash_};
  evidence_.unrepeatable = {hash_};
  EXPECT_EQ(Causes().at(Cause::kUnrepeatable), 4);
}

TEST_F(LedgerOf, AtomicsOfSeveralThreadsAreNamedSo) {
  Put(reference_, hash_, "lock", 10);
  Put(engine_, hash_, "lock", 14);
  engine_.functions[hash_].metrics.Add(Metric::kAtomics, 2);
  engine_.processes = engine_.threads = 1;
  EXPECT_EQ(Causes().at(Cause::kUnexplained), 4);
  engine_.threads = 3;
  EXPECT_EQ(Causes().at(Cause::kThreads), 4);
}

TEST_F(LedgerOf, CalleesOfAMoverGoWithIt) {
  const engine::FunctionKey stub{"/bin/program", 0x500};
  Put(reference_, hash_, "hash", 10);
  Put(engine_, hash_, "hash", 10);
  Put(reference_, compare_, "compare", 10);
  Put(engine_, compare_, "compare", 12);
  Put(reference_, stub, "memcpy@plt", 4);
  Put(engine_, stub, "memcpy@plt", 8);
  Put(reference_, copy_, "memcpy", 100);
  Put(engine_, copy_, "memcpy", 130);
  reference_.calls[hash_] = {compare_, stub};
  reference_.stubs[stub] = "memcpy";
  EXPECT_EQ(Causes().at(Cause::kUnexplained), 2 + 4 + 30);
  evidence_.addresses = {hash_};
  EXPECT_EQ(Causes().at(Cause::kAddresses), 2 + 4 + 30);
}

TEST_F(LedgerOf, ACallerOfAChangedFunctionIsIncluded) {
  Put(reference_, hash_, "hash", 10);
  Put(engine_, hash_, "hash", 12);
  reference_.calls[hash_] = {compare_};
  evidence_.addresses = {compare_};
  EXPECT_EQ(Causes().at(Cause::kAddresses), 2);
}

TEST_F(LedgerOf, OppositeDifferencesDoNotHideEachOther) {
  Put(reference_, hash_, "hash", 10);
  Put(engine_, hash_, "hash", 13);
  Put(reference_, compare_, "compare", 10);
  Put(engine_, compare_, "compare", 7);
  const Ledger ledger = Explain(reference_, engine_, evidence_);
  EXPECT_EQ(ledger.total, 0);
  EXPECT_EQ(ledger.unexplained, 0);
  EXPECT_EQ(ledger.unexplained_moves, 6u);
}

TEST_F(LedgerOf, WhatHasNoCountersIsUninstrumented) {
  const engine::FunctionKey runtime{"/bin/program", 0x500};
  Put(reference_, copy_, "memcpy", 700);
  Put(reference_, hash_, "hash", 90);
  Put(engine_, hash_, "hash", 90);
  Put(reference_, runtime, "tare_counters_claim", 30);
  engine::Coverage coverage;
  coverage.objects = {"/bin/program"};
  coverage.functions[hash_] = {90, 90};
  evidence_.coverage = &coverage;
  EXPECT_EQ(Causes(), (std::map<Cause, std::int64_t>{{Cause::kUninstrumented, -700},
                                                     {Cause::kInstrumentation, -30}}));
}

TEST_F(LedgerOf, BoundsExplainOnlyWhatIsWithinThem) {
  Put(reference_, hash_, "hash", 95);
  Put(engine_, hash_, "hash", 90);
  Put(reference_, compare_, "compare", 10);
  Put(engine_, compare_, "compare", 12);
  engine::Coverage coverage;
  coverage.functions[hash_] = {80, 100};
  coverage.functions[compare_] = {11, 13};
  evidence_.coverage = &coverage;
  EXPECT_EQ(Causes(),
            (std::map<Cause, std::int64_t>{{Cause::kBounds, -5}, {Cause::kUnexplained, 2}}));
}

}  // namespace
}  // namespace tare::count
