// mpi_otf2_test.cc: archives of OTF2 that are written, read back, and written by others.
#include "measure/mpi/mpi_otf2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/private_directory.h"
#include "format/otf2_archive.h"
#include "measure/mpi/mpi_matching.h"
#include "tests/unit/format/mpi_file.h"

namespace tare::mpi {
namespace {

using format::MpiEvent;
using format::MpiFileBuilder;
using format::MpiRank;
using testing::HasSubstr;

#ifdef TARE_HAVE_OTF2

MpiRank Built(MpiFileBuilder& file) {
  const std::string bytes = file.Bytes();
  auto reader = format::MpiRankReader::From(format::BytesOf(bytes), "file");
  EXPECT_TRUE(reader);
  return format::ReadMpiRank(std::move(*reader));
}

// Each kind of call that OTF2 has events for, and some that it has none for.
std::vector<MpiRank> EveryKindOfCall() {
  std::vector<MpiRank> ranks;
  for (std::uint32_t r = 0; r < 2; ++r) {
    const auto peer = static_cast<std::int32_t>(1 - r);
    MpiFileBuilder file(r, 2);
    file.header().start_ns = 1'000'000 + r * 40;
    file.Predefined();
    file.Event(TARE_MPI_F_Init, 0, 0);
    if (r == 0) {
      file.Send(peer, 4, 100).Receive(peer, 5, 50);
    } else {
      file.Receive(peer, 4, 100).Send(peer, 5, 50);
    }
    file.Event(TARE_MPI_F_Sendrecv, TARE_MPI_CPU | TARE_MPI_PEER | TARE_MPI_TAG | TARE_MPI_SENT |
                                        TARE_MPI_RECEIVED | TARE_MPI_SOURCE | TARE_MPI_RECV_TAG)
        .Unsigned(77)
        .Signed(peer)
        .Signed(6)
        .Unsigned(24)
        .Unsigned(24)
        .Signed(peer)
        .Signed(6);
    // A receive from any source, a send, and the wait for both.
    file.Event(TARE_MPI_F_Irecv,
               TARE_MPI_SENT | TARE_MPI_NEW_REQUEST | TARE_MPI_ANY_SOURCE | TARE_MPI_ANY_TAG)
        .Unsigned(1000)
        .Unsigned(1);
    file.Event(TARE_MPI_F_Isend,
               TARE_MPI_PEER | TARE_MPI_TAG | TARE_MPI_SENT | TARE_MPI_NEW_REQUEST)
        .Signed(peer)
        .Signed(9)
        .Unsigned(800)
        .Unsigned(2);
    file.Event(TARE_MPI_F_Waitall, TARE_MPI_COMPLETIONS)
        .Unsigned(2)
        .Signed(0)
        .Unsigned(1)
        .Signed(peer)
        .Signed(9)
        .Unsigned(800)
        .Signed(0)
        .Unsigned(0);
    // Collectives: blocking with a root, nonblocking and its wait, and one that makes a
    // communicator of both.
    file.Event(TARE_MPI_F_Bcast, TARE_MPI_SENT | TARE_MPI_RECEIVED | TARE_MPI_ROOT)
        .Unsigned(r == 1 ? 64 : 0)
        .Unsigned(r == 1 ? 0 : 64)
        .Signed(1);
    file.Event(TARE_MPI_F_Iallreduce, TARE_MPI_SENT | TARE_MPI_RECEIVED | TARE_MPI_NEW_REQUEST)
        .Unsigned(8)
        .Unsigned(8)
        .Unsigned(3);
    file.Event(TARE_MPI_F_Wait, TARE_MPI_COMPLETIONS).Unsigned(1).Signed(2).Unsigned(0);
    file.Byte(TARE_MPI_DEFINE_COMM)
        .Unsigned(2)
        .Unsigned(TARE_MPI_COMM_INTRA)
        .Unsigned(1)
        .Unsigned(1)
        .Signed(1)
        .Signed(-1)
        .Unsigned(2);
    file.Event(TARE_MPI_F_Comm_split, TARE_MPI_NEW_COMM).Unsigned(2);
    file.Event(TARE_MPI_F_Barrier, TARE_MPI_COMM).Unsigned(2);
    file.Event(TARE_MPI_F_Finalize, 0);
    ranks.push_back(Built(file));
  }
  return ranks;
}

class Otf2 : public testing::Test {
 protected:
  Otf2() {
    auto made = PrivateDirectory::MakeOnDisk();
    EXPECT_TRUE(made);
    directory_.emplace(std::move(*made));
  }
  std::filesystem::path Archive() const { return directory_->path() / "archive"; }

  std::optional<PrivateDirectory> directory_;
};

TEST_F(Otf2, AnArchiveReadBackIsTheSameTrace) {
  auto joined = JoinMpiRanks(EveryKindOfCall());
  ASSERT_TRUE(joined);
  std::int32_t core = 2;
  for (MpiRank& rank : joined->trace.ranks) {
    for (std::size_t i = 1; i < rank.events.size(); ++i) rank.events[i].core = core++ / 3;
  }
  ASSERT_TRUE(WriteOtf2(joined->trace, Archive()));
  const auto read = ReadMpiDirectory(Archive());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->caveats.empty());
  ASSERT_EQ(read->trace.ranks.size(), 2u);
  EXPECT_EQ(read->trace.communicators, joined->trace.communicators);
  for (std::size_t r = 0; r < 2; ++r) {
    const MpiRank& was = joined->trace.ranks[r];
    const MpiRank& is = read->trace.ranks[r];
    EXPECT_TRUE(is.outcome.complete) << is.outcome.reason;
    EXPECT_EQ(is.header.host, "host");
    EXPECT_EQ(is.header.boot, was.header.boot);
    EXPECT_FALSE(is.header.boot.empty());
    EXPECT_EQ(is.header.program, "/bin/ring");
    EXPECT_EQ(read->trace.clocks[r].offset_ns, joined->trace.clocks[r].offset_ns);
    ASSERT_EQ(is.events.size(), was.events.size());
    for (std::size_t i = 0; i < was.events.size(); ++i) {
      EXPECT_EQ(is.events[i], was.events[i])
          << "rank " << r << ": " << format::MpiFunctionName(was.events[i].function);
    }
    EXPECT_EQ(is.completions, was.completions);
  }
}

TEST_F(Otf2, OpenMpThreadsAreLocationsAndCallsStayTheSame) {
  std::vector<MpiRank> ranks = EveryKindOfCall();
  // A region of two threads around a call of the first one, in rank 0.
  MpiFileBuilder file(0, 2);
  file.Byte(TARE_MPI_OPENMP_BLOCK).Unsigned(0).Signed(20).Unsigned(6);
  file.OpenMp(TARE_OPENMP_FORK, 0, 0).Unsigned(1).Unsigned(0);
  file.OpenMp(TARE_OPENMP_BEGIN, 5, 0).Unsigned(1).Unsigned(0).Unsigned(2);
  file.OpenMp(TARE_OPENMP_ARRIVE, 400, 0).Unsigned(TARE_OPENMP_IMPLICIT);
  file.OpenMp(TARE_OPENMP_RELEASE, 10, 0).Unsigned(TARE_OPENMP_IMPLICIT);
  file.OpenMp(TARE_OPENMP_END, 0, 0).Unsigned(1);
  file.OpenMp(TARE_OPENMP_JOIN, 5, 0).Unsigned(1);
  file.Byte(TARE_MPI_OPENMP_BLOCK).Unsigned(1).Signed(30).Unsigned(2);
  file.OpenMp(TARE_OPENMP_BEGIN, 0, 0).Unsigned(1).Unsigned(1).Unsigned(2);
  file.OpenMp(TARE_OPENMP_ARRIVE, 50, 0).Unsigned(TARE_OPENMP_IMPLICIT);
  ranks[0].openmp = Built(file).openmp;
  auto plain = JoinMpiRanks(EveryKindOfCall());
  auto joined = JoinMpiRanks(std::move(ranks));
  ASSERT_TRUE(joined && plain);
  const auto without = WriteOtf2(plain->trace, directory_->path() / "plain");
  const auto written = WriteOtf2(joined->trace, Archive());
  ASSERT_TRUE(written && without);
  EXPECT_EQ(written->locations, without->locations + 1);
  EXPECT_EQ(written->events, without->events + 8);  // a region and a wait of each thread
  const auto read = ReadMpiDirectory(Archive());
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->trace.ranks[0].events.size(), joined->trace.ranks[0].events.size());
  for (std::size_t i = 0; i < read->trace.ranks[0].events.size(); ++i) {
    const MpiEvent& event = read->trace.ranks[0].events[i];
    EXPECT_EQ(event.function, joined->trace.ranks[0].events[i].function);
    EXPECT_EQ(event.start_ns, joined->trace.ranks[0].events[i].start_ns);
    EXPECT_EQ(event.end_ns, joined->trace.ranks[0].events[i].end_ns);
  }
}

TEST_F(Otf2, MessagesAndCollectivesMatchAsBefore) {
  auto joined = JoinMpiRanks(EveryKindOfCall());
  ASSERT_TRUE(joined);
  ASSERT_TRUE(WriteOtf2(joined->trace, Archive()));
  const auto read = ReadOtf2(Archive() / "traces.otf2");
  ASSERT_TRUE(read);
  const Matching before = MatchMpiTrace(joined->trace);
  const Matching after = MatchMpiTrace(read->trace);
  EXPECT_EQ(before.messages.size(), 6u);
  EXPECT_EQ(after.messages.size(), before.messages.size());
  EXPECT_EQ(after.message_bytes, before.message_bytes);
  EXPECT_EQ(after.collectives, before.collectives);
  EXPECT_TRUE(after.problems.empty());
}

// What another tool writes: a clock of another rate that does not begin at 0, regions of the
// program, MPI_COMM_SELF for all ranks, requests of any number, no attributes, and no MPI_Init.
void WriteLikeAnotherTool(const std::filesystem::path& directory) {
  auto archive = format::Otf2Archive::Create(directory);
  ASSERT_TRUE(archive);
  constexpr OTF2_RegionRef kMain = 70;
  constexpr OTF2_RegionRef kSend = 71;
  constexpr OTF2_RegionRef kIrecv = 72;
  constexpr OTF2_RegionRef kWait = 73;
  constexpr OTF2_RegionRef kAllreduce = 74;
  constexpr OTF2_CommRef kWorld = 5;
  constexpr OTF2_CommRef kSelf = 6;
  constexpr std::uint64_t kRequest = 0x7fff00000010;
  const std::array<OTF2_LocationRef, 2> locations = {900, 901};
  std::array<std::uint64_t, 2> counts = {};
  for (std::size_t r = 0; r < 2; ++r) {
    OTF2_EvtWriter* const to = archive->EventWriter(locations[r]);
    std::uint64_t now = 1000;
    const auto enter = [&](OTF2_RegionRef region) {
      archive->Call(OTF2_EvtWriter_Enter(to, nullptr, now += 10, region));
    };
    const auto leave = [&](OTF2_RegionRef region) {
      archive->Call(OTF2_EvtWriter_Leave(to, nullptr, now += 10, region));
    };
    enter(kMain);
    if (r == 0) {
      enter(kSend);
      archive->Call(OTF2_EvtWriter_MpiSend(to, nullptr, now, 1, kWorld, 3, 4096));
      leave(kSend);
    } else {
      enter(kIrecv);
      archive->Call(OTF2_EvtWriter_MpiIrecvRequest(to, nullptr, now, kRequest));
      leave(kIrecv);
      enter(kWait);
      archive->Call(OTF2_EvtWriter_MpiIrecv(to, nullptr, now, 0, kWorld, 3, 4096, kRequest));
      leave(kWait);
    }
    for (const OTF2_CommRef communicator : {kSelf, kWorld}) {
      enter(kAllreduce);
      archive->Call(OTF2_EvtWriter_MpiCollectiveBegin(to, nullptr, now));
      archive->Call(OTF2_EvtWriter_MpiCollectiveEnd(to, nullptr, now, OTF2_COLLECTIVE_OP_ALLREDUCE,
                                                    communicator, OTF2_UNDEFINED_UINT32, 8, 8));
      leave(kAllreduce);
    }
    leave(kMain);
    counts[r] = archive->CloseEventWriter(to);
  }
  archive->BeginDefinitions(locations, 2000, 0);
  OTF2_GlobalDefWriter* const to = archive->Definitions();
  // 10 ns a tick: the writer's own clock is overwritten.
  archive->Call(OTF2_GlobalDefWriter_WriteClockProperties(to, 100'000'000, 1000, 2000, 0));
  archive->DefineRegion(kMain, "main", OTF2_PARADIGM_USER);
  archive->DefineRegion(kSend, "MPI_Send", OTF2_PARADIGM_MPI);
  archive->DefineRegion(kIrecv, "MPI_Irecv", OTF2_PARADIGM_MPI);
  archive->DefineRegion(kWait, "MPI_Wait", OTF2_PARADIGM_MPI);
  archive->DefineRegion(kAllreduce, "MPI_Allreduce", OTF2_PARADIGM_MPI);
  archive->Call(OTF2_GlobalDefWriter_WriteSystemTreeNode(
      to, 3, archive->Text("node7"), archive->Text("node"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (std::uint32_t r = 0; r < 2; ++r) {
    archive->Call(OTF2_GlobalDefWriter_WriteLocationGroup(to, r, archive->Text("process"),
                                                          OTF2_LOCATION_GROUP_TYPE_PROCESS, 3,
                                                          OTF2_UNDEFINED_LOCATION_GROUP));
    archive->Call(OTF2_GlobalDefWriter_WriteLocation(to, locations[r], archive->Text("thread"),
                                                     OTF2_LOCATION_TYPE_CPU_THREAD, counts[r], r));
  }
  const auto group = [&](OTF2_GroupRef self, OTF2_GroupType type,
                         std::vector<std::uint64_t> members) {
    archive->Call(OTF2_GlobalDefWriter_WriteGroup(
        to, self, archive->Text(""), type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
        static_cast<std::uint32_t>(members.size()), members.data()));
  };
  group(1, OTF2_GROUP_TYPE_COMM_LOCATIONS, {900, 901});
  group(2, OTF2_GROUP_TYPE_COMM_GROUP, {0, 1});
  group(3, OTF2_GROUP_TYPE_COMM_SELF, {});
  archive->Call(OTF2_GlobalDefWriter_WriteComm(to, kWorld, archive->Text("MPI_COMM_WORLD"), 2,
                                               OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  archive->Call(OTF2_GlobalDefWriter_WriteComm(to, kSelf, archive->Text("MPI_COMM_SELF"), 3,
                                               OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  ASSERT_TRUE(archive->Close());
}

TEST_F(Otf2, AnArchiveOfAnotherToolIsRead) {
  WriteLikeAnotherTool(Archive());
  const auto read = ReadMpiDirectory(Archive());
  ASSERT_TRUE(read) << read.error().message;
  const format::MpiTrace& trace = read->trace;
  ASSERT_EQ(trace.ranks.size(), 2u);
  EXPECT_EQ(trace.ranks[1].header.host, "node7");
  EXPECT_TRUE(trace.ranks[0].outcome.complete);
  const auto& events = trace.ranks[1].events;
  ASSERT_EQ(events.size(), 6u);  // with MPI_Init and MPI_Finalize
  EXPECT_EQ(events[1].function, TARE_MPI_F_Irecv);
  EXPECT_EQ(events[1].peer, 0);
  EXPECT_EQ(events[1].tag, 3);
  EXPECT_EQ(events[2].burst_cpu_ns, 100u);  // ten ticks between calls
  EXPECT_EQ(events[2].end_ns - events[2].start_ns, 100);
  const Matching matching = MatchMpiTrace(trace);
  ASSERT_EQ(matching.messages.size(), 1u);
  EXPECT_EQ(matching.message_bytes, 4096u);
  EXPECT_EQ(matching.collectives, 3u);  // one of both, and one of each alone
  EXPECT_TRUE(matching.problems.empty());
  ASSERT_EQ(read->caveats.size(), 1u);
  EXPECT_EQ(read->caveats[0].key, CaveatId::kNoCpuTime);
}

TEST_F(Otf2, AnArchiveWithoutMpiIsRefused) {
  auto archive = format::Otf2Archive::Create(Archive());
  ASSERT_TRUE(archive);
  archive->BeginDefinitions({}, 10, 0);
  ASSERT_TRUE(archive->Close());
  const auto read = ReadMpiDirectory(Archive());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("is not of an MPI program"));
}

TEST_F(Otf2, AFileThatIsNoArchiveIsRefused) {
  const auto path = directory_->path() / "false.otf2";
  std::ofstream(path) << "not an archive";
  const auto read = ReadMpiDirectory(path);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("not an OTF2 archive"));
}

TEST_F(Otf2, MissingEventsAreNoticed) {
  auto joined = JoinMpiRanks(EveryKindOfCall());
  ASSERT_TRUE(joined);
  ASSERT_TRUE(WriteOtf2(joined->trace, Archive()));
  ASSERT_TRUE(std::filesystem::remove(Archive() / "traces" / "1.evt"));
  const auto read = ReadMpiDirectory(Archive());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kFormat);
}

TEST_F(Otf2, EventsThatAreCutAreRefused) {
  auto joined = JoinMpiRanks(EveryKindOfCall());
  ASSERT_TRUE(joined);
  ASSERT_TRUE(WriteOtf2(joined->trace, Archive()));
  const auto file = Archive() / "traces" / "1.evt";
  const std::uintmax_t size = std::filesystem::file_size(file);
  // The last bytes mark the end of the file: without them nothing is missing.
  for (std::uintmax_t bytes = size - 16; bytes < size; bytes -= std::min(bytes, size / 40)) {
    std::filesystem::resize_file(file, bytes);
    const auto read = ReadMpiDirectory(Archive());
    ASSERT_FALSE(read) << bytes << " of " << size << " bytes";
    EXPECT_EQ(read.error().kind, ErrorKind::kFormat);
    if (bytes == 0) break;
  }
}

#else

TEST(Otf2, IsUnsupportedWithoutItsLibrary) {
  const auto read = ReadOtf2("traces.otf2");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kUnsupported);
}

#endif

}  // namespace
}  // namespace tare::mpi
