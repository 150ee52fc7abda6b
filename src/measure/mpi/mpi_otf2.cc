// mpi_otf2.cc: writes OTF2 archives, where the library is installed.
#include "measure/mpi/mpi_otf2.h"

#include "format/otf2_archive.h"

#ifdef TARE_HAVE_OTF2

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "measure/mpi/mpi_otf2_fields.h"
#include "measure/mpi/mpi_otf2_openmp.h"

namespace tare::mpi {
namespace {

using format::MpiEvent;
using format::MpiRank;

// References of groups: 0 is all locations, the communicators follow.
constexpr OTF2_GroupRef kLocations = 0;

OTF2_CollectiveOp CollectiveOf(format::MpiOperation operation) {
  switch (operation) {
    case TARE_MPI_BCAST:
      return OTF2_COLLECTIVE_OP_BCAST;
    case TARE_MPI_GATHER:
      return OTF2_COLLECTIVE_OP_GATHER;
    case TARE_MPI_GATHERV:
      return OTF2_COLLECTIVE_OP_GATHERV;
    case TARE_MPI_SCATTER:
      return OTF2_COLLECTIVE_OP_SCATTER;
    case TARE_MPI_SCATTERV:
      return OTF2_COLLECTIVE_OP_SCATTERV;
    case TARE_MPI_ALLGATHER:
      return OTF2_COLLECTIVE_OP_ALLGATHER;
    case TARE_MPI_ALLGATHERV:
      return OTF2_COLLECTIVE_OP_ALLGATHERV;
    case TARE_MPI_ALLTOALL:
      return OTF2_COLLECTIVE_OP_ALLTOALL;
    case TARE_MPI_ALLTOALLV:
      return OTF2_COLLECTIVE_OP_ALLTOALLV;
    case TARE_MPI_REDUCE:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case TARE_MPI_ALLREDUCE:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case TARE_MPI_REDUCE_SCATTER:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case TARE_MPI_SCAN:
      return OTF2_COLLECTIVE_OP_SCAN;
    case TARE_MPI_EXSCAN:
      return OTF2_COLLECTIVE_OP_EXSCAN;
    default:
      return OTF2_COLLECTIVE_OP_BARRIER;
  }
}

// Collectives that OTF2 has an operation for.
bool IsOtf2Collective(format::MpiOperation operation) {
  return operation >= TARE_MPI_BARRIER && operation <= TARE_MPI_EXSCAN;
}

class Otf2Writer {
 public:
  Otf2Writer(const format::MpiTrace& trace, format::Otf2Archive& archive)
      : trace_(trace), archive_(archive) {
    for (const format::MpiCommunicator& communicator : trace.communicators) {
      auto& places = places_.emplace_back();
      for (std::size_t i = 0; i < communicator.members.size(); ++i) {
        places.try_emplace(communicator.members[i], static_cast<std::uint32_t>(i));
      }
    }
  }

  Otf2Written Write() {
    const std::unique_ptr<OTF2_AttributeList, DeletedAttributes> attributes(
        OTF2_AttributeList_New());
    attributes_ = attributes.get();
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) WriteRank(r);
    std::vector<OTF2_LocationRef> locations;
    for (const auto& [key, events] : locations_) locations.push_back(LocationOf(key));
    archive_.BeginDefinitions(locations, last_, StartOfDay());
    WriteDefinitions();
    return written_;
  }

 private:
  struct DeletedAttributes {
    void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
  };
  using Key = std::pair<std::uint32_t, std::uint16_t>;  // rank, thread

  // The first threads come first, so that they are the ranks of MPI_COMM_WORLD.
  OTF2_LocationRef LocationOf(const Key& key) const {
    return key.first + std::uint64_t{key.second} * trace_.ranks.size();
  }

  void Call(OTF2_ErrorCode code) { archive_.Call(code); }
  OTF2_StringRef Text(const std::string& text) { return archive_.Text(text); }

  // The rank in the communicator.
  std::optional<std::uint32_t> PlaceOf(std::uint32_t communicator, std::int32_t rank) const {
    const auto& places = places_[communicator];
    const auto found = places.find(rank);
    if (rank < 0 || found == places.end()) return std::nullopt;
    return found->second;
  }

  void WriteRank(std::uint32_t number) {
    const MpiRank& rank = trace_.ranks[number];
    std::map<std::uint16_t, OTF2_EvtWriter*> writers;
    // Nonblocking calls by request.
    std::unordered_map<std::uint32_t, const MpiEvent*> posted;
    locations_[{number, 0}];
    for (const MpiEvent& event : rank.events) {
      if (event.request != 0 && event.error == 0) posted[event.request] = &event;
    }
    std::map<std::uint16_t, std::int32_t> cores;  // of the call before
    const auto writer_of = [&](std::uint16_t thread) {
      OTF2_EvtWriter*& writer = writers[thread];
      if (writer == nullptr) writer = archive_.EventWriter(LocationOf({number, thread}));
      return writer;
    };
    const std::int64_t offset = trace_.clocks[number].offset_ns;
    OpenMpOtf2Spans spans(rank, offset, openmp_regions_);
    for (const MpiEvent& event : rank.events) {
      OTF2_EvtWriter* const writer = writer_of(event.thread);
      const auto start =
          static_cast<OTF2_TimeStamp>(std::max<std::int64_t>(0, event.start_ns + offset));
      const auto end =
          static_cast<OTF2_TimeStamp>(std::max<std::int64_t>(0, event.end_ns + offset));
      last_ = std::max<std::uint64_t>(last_, end);
      spans.WriteUntil(event.thread, static_cast<std::int64_t>(start),
                       static_cast<std::int64_t>(end), archive_, writer);
      const auto core = cores.try_emplace(event.thread, TARE_MPI_NO_CORE).first;
      AddAttributes(event, std::exchange(core->second, event.core));
      Call(OTF2_EvtWriter_Enter(writer, attributes_, start, event.function));
      if (event.thread == 0) WriteMeaning(rank, event, writer, start, end, posted);
      Call(OTF2_EvtWriter_Leave(writer, nullptr, end, event.function));
    }
    for (const std::uint16_t thread : spans.Threads()) {
      last_ = std::max(last_, spans.Finish(thread, archive_, writer_of(thread)));
    }
    for (const auto& [thread, writer] : writers) {
      const std::uint64_t events = archive_.CloseEventWriter(writer);
      locations_[{number, thread}] = events;
      written_.events += events;
    }
  }

  void WriteMeaning(const MpiRank& rank, const MpiEvent& event, OTF2_EvtWriter* writer,
                    OTF2_TimeStamp start, OTF2_TimeStamp end,
                    const std::unordered_map<std::uint32_t, const MpiEvent*>& posted) {
    if (event.error != 0) return;
    const std::uint32_t communicator = event.communicator;
    if (event.operation == TARE_MPI_SEND || event.operation == TARE_MPI_SENDRECV) {
      if (const auto peer = PlaceOf(communicator, event.peer)) {
        const auto tag = static_cast<std::uint32_t>(event.tag);
        Call(event.request == 0
                 ? OTF2_EvtWriter_MpiSend(writer, nullptr, start, *peer, communicator, tag,
                                          event.bytes)
                 : OTF2_EvtWriter_MpiIsend(writer, nullptr, start, *peer, communicator, tag,
                                           event.bytes, event.request));
      }
    }
    if (event.operation == TARE_MPI_SENDRECV) {
      WriteReceive(writer, end, communicator, event.source, event.receive_tag, event.bytes_received,
                   0);
    }
    if (event.operation == TARE_MPI_RECV) {
      if (event.request == 0) {
        WriteReceive(writer, end, communicator, event.peer, event.tag, event.bytes_received, 0);
      } else {
        Call(OTF2_EvtWriter_MpiIrecvRequest(writer, nullptr, start, event.request));
      }
    }
    if (IsOtf2Collective(event.operation)) {
      if (event.request == 0) {
        Call(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, start));
        Call(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, end, CollectiveOf(event.operation),
                                             communicator, RootOf(event), event.bytes,
                                             event.bytes_received));
      } else {
        Call(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, nullptr, start, event.request));
      }
    }
    for (const format::MpiCompletion& done : rank.CompletionsOf(event)) {
      if (const auto found = posted.find(done.request); found != posted.end()) {
        WriteCompletion(writer, end, *found->second, done);
      }
    }
  }

  std::uint32_t RootOf(const MpiEvent& event) const {
    return PlaceOf(event.communicator, event.root).value_or(OTF2_UNDEFINED_UINT32);
  }

  void WriteCompletion(OTF2_EvtWriter* writer, OTF2_TimeStamp end, const MpiEvent& posted,
                       const format::MpiCompletion& done) {
    if (posted.operation == TARE_MPI_RECV) {
      if (done.is_cancelled || done.source < 0) {
        Call(OTF2_EvtWriter_MpiRequestCancelled(writer, nullptr, end, done.request));
      } else {
        WriteReceive(writer, end, posted.communicator, done.source, done.tag, done.bytes,
                     done.request);
      }
    } else if (posted.operation == TARE_MPI_SEND) {
      if (posted.peer >= 0) {
        Call(OTF2_EvtWriter_MpiIsendComplete(writer, nullptr, end, done.request));
      }
    } else if (IsOtf2Collective(posted.operation)) {
      Call(OTF2_EvtWriter_NonBlockingCollectiveComplete(
          writer, nullptr, end, CollectiveOf(posted.operation), posted.communicator, RootOf(posted),
          posted.bytes, posted.bytes_received, done.request));
    }
  }

  // What a reader finds without our attributes.
  MpiEvent WithoutAttributes(const MpiEvent& event) const {
    MpiEvent seen;
    if (event.thread != 0 || event.error != 0) return seen;
    const std::uint32_t communicator = event.communicator;
    const bool sends = event.operation == TARE_MPI_SEND || event.operation == TARE_MPI_SENDRECV;
    if (sends && PlaceOf(communicator, event.peer)) {
      seen.communicator = communicator;
      seen.peer = event.peer;
      seen.tag = event.tag;
      seen.bytes = event.bytes;
      seen.request = event.request;
    }
    if (event.operation == TARE_MPI_SENDRECV && PlaceOf(communicator, event.source)) {
      seen.communicator = communicator;
      seen.source = event.source;
      seen.receive_tag = event.receive_tag;
      seen.bytes_received = event.bytes_received;
    }
    if (event.operation == TARE_MPI_RECV && event.request != 0) seen.request = event.request;
    if (event.operation == TARE_MPI_RECV && event.request == 0 &&
        PlaceOf(communicator, event.peer)) {
      seen.communicator = communicator;
      seen.peer = event.peer;
      seen.tag = event.tag;
      seen.bytes_received = event.bytes_received;
    }
    if (IsOtf2Collective(event.operation)) {
      seen.request = event.request;
      if (event.request == 0) {
        seen.communicator = communicator;
        if (PlaceOf(communicator, event.root)) seen.root = event.root;
        seen.bytes = event.bytes;
        seen.bytes_received = event.bytes_received;
      }
    }
    return seen;
  }

  void AddAttributes(const MpiEvent& event, std::int32_t core_before) {
    Call(OTF2_AttributeList_RemoveAllAttributes(attributes_));
    MpiEvent seen = WithoutAttributes(event);
    seen.core = core_before;
    for (std::size_t i = 0; i < kOtf2Fields.size(); ++i) {
      const Otf2Field& field = kOtf2Fields[i];
      // The CPU time is always there, so that a reader need not take the time between calls.
      if (i != kOtf2CpuField && field.get(event) == field.get(seen)) continue;
      Call(OTF2_AttributeList_AddUint64(attributes_, static_cast<OTF2_AttributeRef>(i),
                                        field.get(event)));
    }
  }

  void WriteReceive(OTF2_EvtWriter* writer, OTF2_TimeStamp time, std::uint32_t communicator,
                    std::int32_t source, std::int32_t tag, std::uint64_t bytes,
                    std::uint32_t request) {
    const auto peer = PlaceOf(communicator, source);
    if (!peer) return;
    const auto written_tag = static_cast<std::uint32_t>(tag);
    Call(request == 0 ? OTF2_EvtWriter_MpiRecv(writer, nullptr, time, *peer, communicator,
                                               written_tag, bytes)
                      : OTF2_EvtWriter_MpiIrecv(writer, nullptr, time, *peer, communicator,
                                                written_tag, bytes, request));
  }

  // The time of day at which the first rank began, or 0.
  std::uint64_t StartOfDay() const {
    std::uint64_t utc = 0;
    for (const MpiRank& rank : trace_.ranks) {
      if (rank.header.start_utc_ns != 0 && (utc == 0 || rank.header.start_utc_ns < utc)) {
        utc = rank.header.start_utc_ns;
      }
    }
    return utc;
  }

  void WriteDefinitions() {
    for (int f = 0; f < TARE_MPI_FUNCTION_COUNT; ++f) {
      const auto function = static_cast<format::MpiFunction>(f);
      archive_.DefineRegion(static_cast<OTF2_RegionRef>(f),
                            std::string(format::MpiFunctionName(function)), OTF2_PARADIGM_MPI,
                            std::string(format::MpiFunctionCode(function)));
    }
    openmp_regions_.Define(archive_);
    for (std::size_t i = 0; i < kOtf2Fields.size(); ++i) {
      Call(OTF2_GlobalDefWriter_WriteAttribute(
          archive_.Definitions(), static_cast<OTF2_AttributeRef>(i),
          Text(std::string(kOtf2Fields[i].name)), Text(""), OTF2_TYPE_UINT64));
    }
    WriteLocations();
    WriteCommunicators();
  }

  void WriteLocations() {
    Call(OTF2_GlobalDefWriter_WriteSystemTreeNode(
        archive_.Definitions(), 0, Text("job"), Text("machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) {
      const std::string host = Printable(trace_.ranks[r].header.host);
      const auto [found, is_new] =
          hosts.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
      if (is_new) {
        Call(OTF2_GlobalDefWriter_WriteSystemTreeNode(archive_.Definitions(), found->second,
                                                      Text(host), Text("node"), 0));
        OTF2_AttributeValue boot;
        boot.stringRef = Text(Printable(trace_.ranks[r].header.boot));
        Call(OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(
            archive_.Definitions(), found->second, Text(kOtf2Boot), OTF2_TYPE_STRING, boot));
      }
      Call(OTF2_GlobalDefWriter_WriteLocationGroup(
          archive_.Definitions(), r, Text(fmt::format("MPI Rank {}", r)),
          OTF2_LOCATION_GROUP_TYPE_PROCESS, found->second, OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (const auto& [key, events] : locations_) {
      const std::string name =
          key.second == 0 ? std::string("Master thread") : fmt::format("Thread {}", key.second);
      Call(OTF2_GlobalDefWriter_WriteLocation(archive_.Definitions(), LocationOf(key), Text(name),
                                              OTF2_LOCATION_TYPE_CPU_THREAD, events, key.first));
    }
    written_.locations = locations_.size();
  }

  void WriteCommunicators() {
    std::vector<std::uint64_t> all(trace_.ranks.size());
    for (std::size_t r = 0; r < all.size(); ++r) all[r] = r;
    Call(OTF2_GlobalDefWriter_WriteGroup(archive_.Definitions(), kLocations, Text("MPI locations"),
                                         OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE,
                                         static_cast<std::uint32_t>(all.size()), all.data()));
    for (std::uint32_t c = 0; c < trace_.communicators.size(); ++c) {
      const format::MpiCommunicator& communicator = trace_.communicators[c];
      std::vector<std::uint64_t> members;
      for (const std::int32_t member : communicator.members) {
        if (member >= 0) members.push_back(static_cast<std::uint64_t>(member));
      }
      const OTF2_StringRef name =
          Text(c == TARE_MPI_WORLD
                   ? std::string("MPI_COMM_WORLD")
                   : fmt::format("{} {}", kOtf2CommunicatorNames[communicator.kind].name, c));
      Call(OTF2_GlobalDefWriter_WriteGroup(
          archive_.Definitions(), c + 1, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
          OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()), members.data()));
      Call(OTF2_GlobalDefWriter_WriteComm(archive_.Definitions(), c, name, c + 1,
                                          communicator.parent.value_or(OTF2_UNDEFINED_COMM),
                                          OTF2_COMM_FLAG_NONE));
    }
  }

  const format::MpiTrace& trace_;
  format::Otf2Archive& archive_;
  std::vector<std::unordered_map<std::int32_t, std::uint32_t>> places_;
  std::map<Key, std::uint64_t> locations_;  // number of events
  OpenMpOtf2Regions openmp_regions_{TARE_MPI_FUNCTION_COUNT};
  OTF2_AttributeList* attributes_ = nullptr;
  std::uint64_t last_ = 0;
  Otf2Written written_;
};

}  // namespace

Result<Otf2Written> WriteOtf2(const format::MpiTrace& trace,
                              const std::filesystem::path& directory) {
  TRY(auto archive, format::Otf2Archive::Create(directory));
  if (!trace.ranks.empty()) {
    archive.SetProperty(kOtf2Program, Printable(trace.ranks.front().header.program));
  }
  const Otf2Written written = Otf2Writer(trace, archive).Write();
  TRY_VOID(archive.Close());
  return written;
}

}  // namespace tare::mpi

#else

namespace tare::mpi {

Result<Otf2Written> WriteOtf2(const format::MpiTrace&, const std::filesystem::path&) {
  return std::unexpected(format::Otf2Missing());
}

}  // namespace tare::mpi

#endif
