// openmp_regions_test.cc: regions, waiting and critical paths of events that are written by hand.
#include "measure/mpi/openmp_regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "measure/mpi/openmp_places.h"
#include "measure/mpi/openmp_summary.h"

namespace tare::mpi {
namespace {

using format::OpenMpEvent;

// Appends events of one thread; all time but waiting is CPU time.
class Thread {
 public:
  Thread(format::OpenMpTrace& trace, std::uint16_t number) : trace_(trace), number_(number) {}

  Thread& At(std::int64_t time) {
    wall_ = static_cast<std::uint64_t>(time - time_);
    time_ = time;
    return *this;
  }
  Thread& Fork(std::uint64_t region, std::uint32_t place = 0) {
    return Add({.kind = TARE_OPENMP_FORK, .place = place, .region = region});
  }
  Thread& Join(std::uint64_t region) { return Add({.kind = TARE_OPENMP_JOIN, .region = region}); }
  Thread& Begin(std::uint64_t region, std::uint32_t index, std::uint32_t threads) {
    return Add({.kind = TARE_OPENMP_BEGIN, .index = index, .threads = threads, .region = region});
  }
  Thread& End(std::uint64_t region) { return Add({.kind = TARE_OPENMP_END, .region = region}); }
  Thread& Arrive(tare_openmp_wait wait) { return Add({.kind = TARE_OPENMP_ARRIVE, .wait = wait}); }
  Thread& Release(tare_openmp_wait wait) {
    return Add({.kind = TARE_OPENMP_RELEASE, .wait = wait});
  }
  Thread& Task() { return Add({.kind = TARE_OPENMP_TASK}); }
  Thread& Resume() { return Add({.kind = TARE_OPENMP_RESUME}); }

 private:
  Thread& Add(OpenMpEvent event) {
    event.thread = number_;
    event.time_ns = time_;
    event.cpu_ns = wall_;
    wall_ = 0;
    trace_.events.push_back(event);
    return *this;
  }

  format::OpenMpTrace& trace_;
  std::uint16_t number_;
  std::int64_t time_ = 0;
  std::uint64_t wall_ = 0;
};

// Thread 0 works for 100 and 300 ns, thread 1 for 200 and 50 ns; a barrier is between.
format::OpenMpTrace TwoPhases() {
  format::OpenMpTrace trace;
  Thread(trace, 0)
      .At(1000)
      .Fork(1)
      .At(1010)
      .Begin(1, 0, 2)
      .At(1110)
      .Arrive(TARE_OPENMP_EXPLICIT)
      .At(1220)
      .Release(TARE_OPENMP_EXPLICIT)
      .At(1520)
      .Arrive(TARE_OPENMP_IMPLICIT)
      .At(1530)
      .Release(TARE_OPENMP_IMPLICIT)
      .End(1)
      .At(1540)
      .Join(1);
  // libomp 14 reports that a worker leaves the last barrier when the next region needs it.
  Thread(trace, 1)
      .At(1015)
      .Begin(1, 1, 2)
      .At(1215)
      .Arrive(TARE_OPENMP_EXPLICIT)
      .At(1220)
      .Release(TARE_OPENMP_EXPLICIT)
      .At(1270)
      .Arrive(TARE_OPENMP_IMPLICIT)
      .At(9000)
      .Release(TARE_OPENMP_IMPLICIT)
      .End(1);
  return trace;
}

TEST(OpenMpRegions, WaitingEndsWithTheRegionAndPhasesTakeTheSlowestMember) {
  const OpenMpRegions found = FindOpenMpRegions(TwoPhases());
  ASSERT_EQ(found.regions.size(), 1u);
  const OpenMpRegion& region = found.regions[0];
  EXPECT_EQ(region.threads, 2u);
  EXPECT_EQ(region.start_ns, 1000);
  EXPECT_EQ(region.end_ns, 1540);
  EXPECT_EQ(region.master_cpu_ns, 540u);
  EXPECT_EQ(region.max_work_ns, 400u);
  EXPECT_EQ(region.mean_work_ns, 325);
  EXPECT_EQ(region.path_ns, 500u);  // 200 + 300
  ASSERT_EQ(found.members.size(), 2u);
  EXPECT_EQ(found.members[0].work_ns, 400u);
  EXPECT_EQ(found.members[0].waiting_ns, 110u + 20);
  EXPECT_EQ(found.members[1].work_ns, 250u);
  EXPECT_EQ(found.members[1].waiting_ns, 5u + 270);
  ASSERT_EQ(found.waits.size(), 4u);
  EXPECT_EQ(found.waits[0].kind, WaitKind::kExplicit);
  EXPECT_EQ(found.waits[1].kind, WaitKind::kRegionEnd);
  EXPECT_EQ(found.waits[3].kind, WaitKind::kRegionEnd);
  EXPECT_EQ(found.waits[3].end_ns, 1540);
}

TEST(OpenMpRegions, AThreadThatStillWaitsAtTheEndOfItsRegionCountsTheSame) {
  format::OpenMpTrace trace = TwoPhases();
  trace.events.pop_back();  // the end of thread 1
  trace.events.pop_back();  // and its release
  const OpenMpRegions found = FindOpenMpRegions(trace);
  ASSERT_EQ(found.members.size(), 2u);
  EXPECT_EQ(found.members[1].waiting_ns, 5u + 270);
  EXPECT_EQ(found.regions[0].path_ns, 500u);
}

TEST(OpenMpRegions, ARegionThatDidNotEndIsNotThere) {
  format::OpenMpTrace trace = TwoPhases();
  std::erase_if(trace.events,
                [](const OpenMpEvent& event) { return event.kind == TARE_OPENMP_JOIN; });
  const OpenMpRegions found = FindOpenMpRegions(trace);
  EXPECT_TRUE(found.regions.empty());
  EXPECT_TRUE(found.members.empty());
  EXPECT_TRUE(found.waits.empty());
}

TEST(OpenMpRegions, TasksAreWorkAlthoughTheThreadWaits) {
  format::OpenMpTrace trace;
  // The thread waits for 10 ns, executes a task for 50 ns that waits for 20 ns itself, and waits
  // for 5 ns.
  Thread(trace, 0)
      .At(0)
      .Fork(1)
      .Begin(1, 0, 1)
      .At(100)
      .Arrive(TARE_OPENMP_TASKWAIT)
      .At(110)
      .Task()
      .At(120)
      .Arrive(TARE_OPENMP_TASKGROUP)
      .At(140)
      .Release(TARE_OPENMP_TASKGROUP)
      .At(160)
      .Resume()
      .At(165)
      .Release(TARE_OPENMP_TASKWAIT)
      .At(200)
      .End(1)
      .Join(1);
  const OpenMpRegions found = FindOpenMpRegions(trace);
  ASSERT_EQ(found.members.size(), 1u);
  EXPECT_EQ(found.members[0].waiting_ns, 10u + 20 + 5);
  EXPECT_EQ(found.members[0].work_ns, 100u + 10 + 20 + 35);
  ASSERT_EQ(found.waits.size(), 2u);
  EXPECT_EQ(found.waits[0].WaitedNs(), 15u);
  EXPECT_EQ(found.waits[1].WaitedNs(), 20u);
}

TEST(OpenMpRegions, TimeOfNestedRegionsCountsOnce) {
  format::OpenMpTrace trace;
  Thread(trace, 0)
      .At(0)
      .Fork(1)
      .Begin(1, 0, 1)
      .At(100)
      .Fork(2)
      .Begin(2, 0, 2)
      .At(150)
      .Arrive(TARE_OPENMP_IMPLICIT)
      .At(200)
      .Release(TARE_OPENMP_IMPLICIT)
      .End(2)
      .Join(2)
      .At(300)
      .End(1)
      .Join(1);
  Thread(trace, 1).At(100).Begin(2, 1, 2).At(200).Arrive(TARE_OPENMP_IMPLICIT);
  const OpenMpRegions found = FindOpenMpRegions(trace);
  ASSERT_EQ(found.regions.size(), 2u);
  EXPECT_FALSE(found.regions[0].is_nested);
  EXPECT_TRUE(found.regions[1].is_nested);
  format::MpiTrace whole;
  whole.ranks.resize(1);
  whole.ranks[0].openmp = trace;
  whole.ranks[0].header.openmp = TARE_MPI_OPENMP_OMPT;
  const OpenMpTotals totals = SummariseOpenMp(whole).all;
  EXPECT_EQ(totals.regions, 2u);
  EXPECT_EQ(totals.barriers, 1u);
  EXPECT_EQ(totals.threads, 2u);
  EXPECT_DOUBLE_EQ(totals.seconds, 300e-9);
  EXPECT_DOUBLE_EQ(totals.thread_seconds, 400e-9);
  EXPECT_DOUBLE_EQ(totals.work_seconds, 350e-9);
  EXPECT_DOUBLE_EQ(totals.waiting_seconds, 50e-9);
}

TEST(OpenMpRegions, EventsWithoutTheirCounterpartAndTooDeepOnesAreIgnored) {
  format::OpenMpTrace trace;
  Thread(trace, 0)
      .At(10)
      .Release(TARE_OPENMP_EXPLICIT)
      .Resume()
      .Task()
      .End(3)
      .Join(4)
      .Arrive(TARE_OPENMP_EXPLICIT);
  Thread deep(trace, 1);
  for (std::uint64_t i = 1; i < 1000; ++i) deep.Fork(i).Begin(i, 0, 1);
  for (std::uint64_t i = 999; i > 0; --i) deep.End(i).Join(i);
  // Two levels per region, 256 in all.
  EXPECT_EQ(FindOpenMpRegions(trace).regions.size(), 128u);
}

// MPI_Init, a burst with the region, a call, and MPI_Finalize.
format::MpiRank RankWithRegion() {
  format::MpiRank rank;
  rank.openmp = TwoPhases();
  const auto call = [&rank](format::MpiFunction function, std::int64_t start, std::uint64_t cpu) {
    format::MpiEvent event;
    event.function = function;
    event.operation = format::OperationOf(function);
    event.start_ns = start;
    event.end_ns = start + 10;
    event.burst_cpu_ns = cpu;
    rank.events.push_back(event);
  };
  call(TARE_MPI_F_Init, 0, 0);
  call(TARE_MPI_F_Barrier, 2000, 900);
  call(TARE_MPI_F_Finalize, 3000, 990);
  return rank;
}

TEST(ParallelBursts, TakeTheCriticalPathInsteadOfTheFirstThread) {
  format::MpiRank rank = RankWithRegion();
  PriceParallelBursts(rank);
  EXPECT_EQ(rank.events[0].burst_path_ns, 0u);
  EXPECT_EQ(rank.events[1].burst_path_ns, 900u - 540 + 500);
  EXPECT_EQ(rank.events[2].burst_path_ns, 0u);
}

TEST(ParallelBursts, ARegionThatCallsMpiCountsWithTheFirstThreadAlone) {
  format::MpiRank rank = RankWithRegion();
  rank.events[1].start_ns = 1300;
  PriceParallelBursts(rank);
  for (const auto& event : rank.events) EXPECT_EQ(event.burst_path_ns, 0u);
}

TEST(PlaceNames, APlaceWithoutItsBinaryIsAnAddress) {
  PlaceNames names;
  PlaceOpenMp place;
  EXPECT_EQ(names.NameOf(place), "unknown");
  place.is_known = true;
  place.place = {0x1a40, "/nowhere/heat"};
  EXPECT_EQ(names.NameOf(place), "heat+0x1a40");
}

}  // namespace
}  // namespace tare::mpi
