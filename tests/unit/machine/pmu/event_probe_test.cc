// event_probe_test.cc: tests kernels that allow all events, none, or some.
#include "machine/pmu/event_probe.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cerrno>
#include <set>

namespace tare::pmu {
namespace {

using testing::HasSubstr;

TEST(KnownEvents, EachHasItsOwnNameAndCode) {
  std::set<std::string_view> names;
  std::set<std::pair<std::uint32_t, std::uint64_t>> codes;
  for (const EventRow& row : KnownEvents()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(codes.insert({row.type, row.config}).second) << row.name;
  }
}

TEST(KnownEvents, CacheCodesAreBuiltAsTheManualSays) {
  // perf_event_open(2): cache id | operation << 8 | result << 16; L1D 0, read 0, miss 1.
  for (const EventRow& row : KnownEvents()) {
    if (row.name == "L1-dcache-load-misses") {
      EXPECT_EQ(row.config, 0x10000U);
    }
    if (row.name == "dTLB-loads") {
      EXPECT_EQ(row.config, 3U);
    }
  }
}

std::string Why(int error, bool with_kernel, std::optional<std::int64_t> paranoid,
                bool filtered = false) {
  return WhyNotOpened(error, EventClass::kHardware, with_kernel,
                      {.paranoid = paranoid, .filtered = filtered});
}

TEST(WhyNotOpened, NamesTheSettingThatForbids) {
  EXPECT_THAT(Why(EACCES, false, 3), HasSubstr("perf_event_paranoid=3 does not allow"));
  EXPECT_THAT(Why(EPERM, false, 4), HasSubstr("perf_event_paranoid=4"));
  EXPECT_THAT(Why(EACCES, true, 2), HasSubstr("kernel mode"));
}

TEST(WhyNotOpened, TheFilterIsBlamedWhenTheSettingIsNot) {
  EXPECT_THAT(Why(EPERM, false, 2, true), HasSubstr("seccomp"));
  EXPECT_THAT(Why(EPERM, false, std::nullopt, true), HasSubstr("seccomp"));
  EXPECT_THAT(Why(EPERM, false, 1), HasSubstr("CAP_PERFMON"));
}

TEST(WhyNotOpened, OtherErrorsAreDistinguished) {
  EXPECT_EQ(Why(ENOENT, false, 1), "this machine exposes no such counter");
  EXPECT_EQ(WhyNotOpened(ENOENT, EventClass::kSoftware, false, {}),
            "this kernel does not know the event");
  EXPECT_EQ(Why(ENOSYS, false, 1), "the kernel was built without perf events");
  EXPECT_THAT(Why(ENOSYS, false, 1, true), HasSubstr("seccomp"));
  std::set<std::string> reasons;
  for (int error : {ENOENT, EACCES, ENOSYS, EOPNOTSUPP, EINVAL, EMFILE, ENOMEM, EBUSY, E2BIG}) {
    EXPECT_TRUE(reasons.insert(Why(error, false, 1)).second) << error;
  }
  EXPECT_NE(Why(EIO, false, 1), "") << "errors without a row have words too";
}

TEST(ProbeEvents, AKernelWithoutCountersGivesTheReasonForEach) {
  const auto events = ProbeEvents({}, [](const EventCode&) { return -ENOENT; });
  ASSERT_EQ(events.size(), KnownEvents().size());
  for (const ProbedEvent& event : events) {
    EXPECT_FALSE(event.OpensAtAll());
    EXPECT_EQ(event.user.error_number, ENOENT);
    EXPECT_NE(event.with_kernel.reason, "");
  }
}

TEST(ProbeEvents, UserModeIsTriedAloneAndThenTogetherWithTheKernel) {
  std::vector<bool> kernel;
  ProbeEvents({}, [&](const EventCode& code) {
    EXPECT_TRUE(code.user);
    kernel.push_back(code.kernel);
    return -EACCES;
  });
  ASSERT_EQ(kernel.size(), 2 * KnownEvents().size());
  for (std::size_t i = 0; i < kernel.size(); ++i) EXPECT_EQ(kernel[i], i % 2 == 1);
}

TEST(ProbeEvents, ADescriptorThatIsNoEventIsNotSaidToCount) {
  const auto events = ProbeEvents({}, [](const EventCode&) { return ::open("/dev/null", O_RDWR); });
  for (const ProbedEvent& event : events) {
    EXPECT_TRUE(event.user.opens);
    EXPECT_EQ(event.user.test.works, Works::kNotTested) << event.row.name;
    EXPECT_NE(event.user.test.reason, "");
  }
}

TEST(ProbeEvents, OnThisMachineSoftwareEventsOpenOrSayWhyNot) {
  for (const ProbedEvent& event : ProbeEvents({})) {
    SCOPED_TRACE(event.row.name);
    EXPECT_EQ(event.user.opens, event.user.reason.empty()) << event.user.reason;
    EXPECT_EQ(event.user.opens, event.user.error_number == 0);
    EXPECT_EQ(event.with_kernel.opens, event.with_kernel.reason.empty());
    if (event.user.test.works == Works::kCounts) {
      ASSERT_TRUE(event.user.test.counted && event.user.test.min_count);
      EXPECT_GE(*event.user.test.counted, *event.user.test.min_count);
    }
  }
}

TEST(EventCount, PageFaultsAreCountedToThePage) {
  EventCode code;
  code.type = PERF_TYPE_SOFTWARE;
  code.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
  const int descriptor = OpenForThisThread(code);
  if (descriptor < 0) GTEST_SKIP() << WhyNotOpened(-descriptor, EventClass::kSoftware, false, {});
  const EventHandle event(descriptor);
  const EventRow row{.name = "minor-faults",
                     .event_class = EventClass::kSoftware,
                     .type = code.type,
                     .config = code.config,
                     .workload = Workload::kTouchPages};
  const SelfTest test = TestEvent(row, event);
  EXPECT_EQ(test.works, Works::kCounts) << test.reason;
  // A page of code may be new, too.
  EXPECT_GE(test.counted, test.min_count);
  EXPECT_LE(test.counted, test.min_count.value() + 16);
}

TEST(EventHandle, AFailedOpeningIsNotOpenAndGivesNoCount) {
  const EventHandle event(-ENOENT);
  EXPECT_FALSE(event.IsOpen());
  EXPECT_FALSE(event.Start());
  EXPECT_FALSE(event.Stop());
  EXPECT_EQ(event.Read().has_value(), false);
}

TEST(Permissions, ComeFromTheConditions) {
  host::Conditions conditions = host::ReadConditions({.root = "/nonexistent"}, {});
  EXPECT_EQ(PermissionsOf(conditions).paranoid, std::nullopt);
  EXPECT_FALSE(PermissionsOf(conditions).filtered);
  conditions.perf_event_paranoid = 2;
  conditions.seccomp = host::Seccomp::kFilter;
  EXPECT_EQ(PermissionsOf(conditions).paranoid, 2);
  EXPECT_TRUE(PermissionsOf(conditions).filtered);
}

}  // namespace
}  // namespace tare::pmu
