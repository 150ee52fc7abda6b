// mpi_otf2.cc: writes OTF2 archives, where the library is installed.
#include "measure/mpi/mpi_otf2.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/printable.h"

#ifdef TARE_HAVE_OTF2

#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tare::mpi {
namespace {

using format::MpiEvent;
using format::MpiRank;

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr std::uint64_t kEventChunk = std::uint64_t{1} << 20;
constexpr std::uint64_t kDefinitionChunk = std::uint64_t{4} << 20;
// References of groups: 0 is all locations, the communicators follow.
constexpr OTF2_GroupRef kLocations = 0;

OTF2_FlushType BeforeFlush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_TimeStamp AfterFlush(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }

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
  Otf2Writer(const format::MpiTrace& trace, OTF2_Archive* archive)
      : trace_(trace), archive_(archive) {
    for (const format::MpiCommunicator& communicator : trace.communicators) {
      auto& places = places_.emplace_back();
      for (std::size_t i = 0; i < communicator.members.size(); ++i) {
        places.try_emplace(communicator.members[i], static_cast<std::uint32_t>(i));
      }
    }
  }

  Result<Otf2Written> Write() {
    static constexpr OTF2_FlushCallbacks kFlush = {BeforeFlush, AfterFlush};
    Call(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
    Call(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    Call(OTF2_Archive_OpenEvtFiles(archive_));
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) WriteRank(r);
    Call(OTF2_Archive_CloseEvtFiles(archive_));
    Call(OTF2_Archive_OpenDefFiles(archive_));
    for (const auto& [key, events] : locations_) {
      OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, LocationOf(key));
      Call(OTF2_Archive_CloseDefWriter(archive_, writer));
    }
    Call(OTF2_Archive_CloseDefFiles(archive_));
    WriteDefinitions();
    if (error_ != OTF2_SUCCESS) {
      return Fail(ErrorKind::kIo, fmt::format("cannot write the OTF2 archive: {}",
                                              OTF2_Error_GetDescription(error_)));
    }
    return written_;
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint16_t>;  // rank, thread

  // The first threads come first, so that they are the ranks of MPI_COMM_WORLD.
  OTF2_LocationRef LocationOf(const Key& key) const {
    return key.first + std::uint64_t{key.second} * trace_.ranks.size();
  }

  void Call(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && error_ == OTF2_SUCCESS) error_ = code;
  }

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
    std::unordered_map<std::uint32_t, const MpiEvent*> receives;  // by request
    std::unordered_map<std::uint32_t, bool> sends;
    locations_[{number, 0}];
    for (const MpiEvent& event : rank.events) {
      if (event.request == 0) continue;
      if (event.operation == TARE_MPI_RECV) receives[event.request] = &event;
      if (event.operation == TARE_MPI_SEND) sends[event.request] = event.peer >= 0;
    }
    for (const MpiEvent& event : rank.events) {
      OTF2_EvtWriter*& writer = writers[event.thread];
      if (writer == nullptr) {
        writer = OTF2_Archive_GetEvtWriter(archive_, LocationOf({number, event.thread}));
      }
      const std::int64_t offset = trace_.clocks[number].offset_ns;
      const auto start =
          static_cast<OTF2_TimeStamp>(std::max<std::int64_t>(0, event.start_ns + offset));
      const auto end =
          static_cast<OTF2_TimeStamp>(std::max<std::int64_t>(0, event.end_ns + offset));
      last_ = std::max<std::uint64_t>(last_, end);
      Call(OTF2_EvtWriter_Enter(writer, nullptr, start, event.function));
      if (event.thread == 0) WriteMeaning(rank, event, writer, start, end, receives, sends);
      Call(OTF2_EvtWriter_Leave(writer, nullptr, end, event.function));
    }
    for (const auto& [thread, writer] : writers) {
      std::uint64_t events = 0;
      Call(OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
      Call(OTF2_Archive_CloseEvtWriter(archive_, writer));
      locations_[{number, thread}] = events;
      written_.events += events;
    }
  }

  void WriteMeaning(const MpiRank& rank, const MpiEvent& event, OTF2_EvtWriter* writer,
                    OTF2_TimeStamp start, OTF2_TimeStamp end,
                    const std::unordered_map<std::uint32_t, const MpiEvent*>& receives,
                    const std::unordered_map<std::uint32_t, bool>& sends) {
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
    if (IsOtf2Collective(event.operation) && event.request == 0) {
      Call(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, start));
      const auto root = PlaceOf(communicator, event.root);
      Call(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, end, CollectiveOf(event.operation),
                                           communicator, root.value_or(OTF2_UNDEFINED_UINT32),
                                           event.bytes, event.bytes_received));
    }
    for (const format::MpiCompletion& done : rank.CompletionsOf(event)) {
      if (const auto posted = receives.find(done.request); posted != receives.end()) {
        if (done.is_cancelled || done.source < 0) {
          Call(OTF2_EvtWriter_MpiRequestCancelled(writer, nullptr, end, done.request));
        } else {
          WriteReceive(writer, end, posted->second->communicator, done.source, done.tag, done.bytes,
                       done.request);
        }
      } else if (const auto sent = sends.find(done.request); sent != sends.end() && sent->second) {
        Call(OTF2_EvtWriter_MpiIsendComplete(writer, nullptr, end, done.request));
      }
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

  OTF2_StringRef Text(const std::string& text) {
    const auto [found, is_new] =
        strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
    if (is_new) {
      Call(OTF2_GlobalDefWriter_WriteString(definitions_, found->second, text.c_str()));
    }
    return found->second;
  }

  void WriteDefinitions() {
    definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
    std::uint64_t utc = 0;
    for (const MpiRank& rank : trace_.ranks) {
      if (rank.header.start_utc_ns != 0 && (utc == 0 || rank.header.start_utc_ns < utc)) {
        utc = rank.header.start_utc_ns;
      }
    }
    Call(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, kNsPerSecond, 0, last_ + 1, utc));
    for (int f = 0; f < TARE_MPI_FUNCTION_COUNT; ++f) {
      const auto function = static_cast<format::MpiFunction>(f);
      const OTF2_StringRef name = Text(std::string(format::MpiFunctionName(function)));
      Call(OTF2_GlobalDefWriter_WriteRegion(
          definitions_, static_cast<OTF2_RegionRef>(f), name, name, Text(""),
          OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, Text(""), 0, 0));
    }
    WriteLocations();
    WriteCommunicators();
  }

  void WriteLocations() {
    Call(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, 0, Text("job"), Text("machine"),
                                                  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) {
      const std::string host = Printable(trace_.ranks[r].header.host);
      const auto [found, is_new] =
          hosts.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
      if (is_new) {
        Call(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, found->second, Text(host),
                                                      Text("node"), 0));
      }
      Call(OTF2_GlobalDefWriter_WriteLocationGroup(
          definitions_, r, Text(fmt::format("MPI Rank {}", r)), OTF2_LOCATION_GROUP_TYPE_PROCESS,
          found->second, OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (const auto& [key, events] : locations_) {
      const std::string name =
          key.second == 0 ? std::string("Master thread") : fmt::format("Thread {}", key.second);
      Call(OTF2_GlobalDefWriter_WriteLocation(definitions_, LocationOf(key), Text(name),
                                              OTF2_LOCATION_TYPE_CPU_THREAD, events, key.first));
    }
    written_.locations = locations_.size();
  }

  void WriteCommunicators() {
    std::vector<std::uint64_t> all(trace_.ranks.size());
    for (std::size_t r = 0; r < all.size(); ++r) all[r] = r;
    Call(OTF2_GlobalDefWriter_WriteGroup(definitions_, kLocations, Text("MPI locations"),
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
          Text(c == TARE_MPI_WORLD                         ? std::string("MPI_COMM_WORLD")
               : communicator.kind == TARE_MPI_COMM_WINDOW ? fmt::format("window {}", c)
                                                           : fmt::format("communicator {}", c));
      Call(OTF2_GlobalDefWriter_WriteGroup(
          definitions_, c + 1, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
          OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()), members.data()));
      Call(OTF2_GlobalDefWriter_WriteComm(definitions_, c, name, c + 1,
                                          communicator.parent.value_or(OTF2_UNDEFINED_COMM),
                                          OTF2_COMM_FLAG_NONE));
    }
  }

  const format::MpiTrace& trace_;
  OTF2_Archive* archive_;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::vector<std::unordered_map<std::int32_t, std::uint32_t>> places_;
  std::map<Key, std::uint64_t> locations_;  // number of events
  std::map<std::string, OTF2_StringRef> strings_;
  std::uint64_t last_ = 0;
  OTF2_ErrorCode error_ = OTF2_SUCCESS;
  Otf2Written written_;
};

// OTF2 prints errors by itself otherwise.
OTF2_ErrorCode QuietError(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                          const char*, va_list) {
  return code;
}

}  // namespace

bool HasOtf2() { return true; }

Result<Otf2Written> WriteOtf2(const format::MpiTrace& trace,
                              const std::filesystem::path& directory) {
  std::error_code error;
  if (std::filesystem::exists(directory, error)) {
    return Fail(ErrorKind::kUsage, fmt::format("{} exists; name a new directory for the archive",
                                               Printable(directory.string())));
  }
  OTF2_Error_RegisterCallback(QuietError, nullptr);
  OTF2_Archive* archive =
      OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventChunk,
                        kDefinitionChunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == nullptr) {
    return Fail(ErrorKind::kIo,
                fmt::format("cannot create the OTF2 archive {}", Printable(directory.string())));
  }
  auto written = Otf2Writer(trace, archive).Write();
  if (OTF2_Archive_Close(archive) != OTF2_SUCCESS && written) {
    return Fail(ErrorKind::kIo,
                fmt::format("cannot write the OTF2 archive {}", Printable(directory.string())));
  }
  return written;
}

}  // namespace tare::mpi

#else

namespace tare::mpi {

bool HasOtf2() { return false; }

Result<Otf2Written> WriteOtf2(const format::MpiTrace&, const std::filesystem::path&) {
  return Fail(ErrorKind::kUnsupported,
              "this tare was built without OTF2; install libotf2-trace-dev and build it again");
}

}  // namespace tare::mpi

#endif
