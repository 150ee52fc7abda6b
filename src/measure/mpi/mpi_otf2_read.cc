// mpi_otf2_read.cc: reads OTF2 archives, where the library is installed.
#include <system_error>

#include "format/otf2_archive.h"
#include "measure/mpi/mpi_otf2.h"

#ifdef TARE_HAVE_OTF2

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "measure/mpi/mpi_otf2_location.h"

namespace tare::mpi {
namespace {

using format::MpiEvent;
using format::MpiRank;

// More ranks than any machine has processes: a damaged number.
constexpr std::size_t kMaxOtf2Ranks = std::size_t{1} << 24;
constexpr std::size_t kMaxOtf2Threads = std::size_t{1} << 16;

LocationReader& In(void* data) { return *static_cast<LocationReader*>(data); }

using Attributes = OTF2_AttributeList;

OTF2_CallbackCode OnEnter(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                          Attributes* attributes, OTF2_RegionRef region) {
  In(data).Enter(time, region, attributes);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnLeave(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                          Attributes*, OTF2_RegionRef region) {
  In(data).Leave(time, region);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnSend(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                         Attributes*, std::uint32_t to, OTF2_CommRef communicator,
                         std::uint32_t tag, std::uint64_t bytes) {
  In(data).Send(time, to, communicator, tag, bytes, std::nullopt);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnIsend(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                          Attributes*, std::uint32_t to, OTF2_CommRef communicator,
                          std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
  In(data).Send(time, to, communicator, tag, bytes, request);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnSendComplete(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                                 Attributes*, std::uint64_t request) {
  In(data).CompleteSend(time, request);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnReceivePosted(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                                  Attributes*, std::uint64_t request) {
  In(data).Post(time, TARE_MPI_F_Irecv, request);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnReceive(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                            Attributes*, std::uint32_t from, OTF2_CommRef communicator,
                            std::uint32_t tag, std::uint64_t bytes) {
  In(data).Receive(time, from, communicator, tag, bytes);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnReceiveComplete(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t,
                                    void* data, Attributes*, std::uint32_t from,
                                    OTF2_CommRef communicator, std::uint32_t tag,
                                    std::uint64_t bytes, std::uint64_t request) {
  In(data).CompleteReceive(time, from, communicator, tag, bytes, request);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnCancelled(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                              Attributes*, std::uint64_t request) {
  In(data).Cancel(time, request);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnCollective(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                               Attributes*, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                               std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
  In(data).Collective(time, operation, {communicator, root, sent, received});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnCollectivePosted(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t,
                                     void* data, Attributes*, std::uint64_t request) {
  In(data).Post(time, TARE_MPI_F_Ibarrier, request);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnCollectiveComplete(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t,
                                       void* data, Attributes*, OTF2_CollectiveOp,
                                       OTF2_CommRef communicator, std::uint32_t root,
                                       std::uint64_t sent, std::uint64_t received,
                                       std::uint64_t request) {
  In(data).CompleteCollective(time, {communicator, root, sent, received}, request);
  return OTF2_CALLBACK_SUCCESS;
}

struct DeletedCallbacks {
  void operator()(OTF2_EvtReaderCallbacks* callbacks) const {
    OTF2_EvtReaderCallbacks_Delete(callbacks);
  }
};
using CallbacksPointer = std::unique_ptr<OTF2_EvtReaderCallbacks, DeletedCallbacks>;

CallbacksPointer EventCallbacks() {
  CallbacksPointer made(OTF2_EvtReaderCallbacks_New());
  OTF2_EvtReaderCallbacks* const to = made.get();
  OTF2_EvtReaderCallbacks_SetEnterCallback(to, OnEnter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(to, OnLeave);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(to, OnSend);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(to, OnIsend);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(to, OnSendComplete);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(to, OnReceivePosted);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(to, OnReceive);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(to, OnReceiveComplete);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(to, OnCancelled);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(to, OnCollective);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(to, OnCollectivePosted);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(to, OnCollectiveComplete);
  return made;
}

// The locations of each rank, its first thread first.
Result<std::vector<std::vector<OTF2_LocationRef>>> LocationsOf(
    const Otf2Definitions& definitions, const std::filesystem::path& anchor) {
  const auto refuse = [&](std::string_view why) {
    return Fail(ErrorKind::kFormat, fmt::format("{}: {}", Printable(anchor.string()), why));
  };
  if (!definitions.ranks) {
    return refuse("this OTF2 archive is not of an MPI program: it defines no locations of MPI");
  }
  if (definitions.ticks_per_second == 0) {
    return refuse("this OTF2 archive has no clock, so its times mean nothing");
  }
  const auto& first = definitions.groups.at(*definitions.ranks).members;
  if (first.empty() || first.size() > kMaxOtf2Ranks) {
    return refuse(fmt::format("this OTF2 archive has {} MPI ranks", first.size()));
  }
  std::unordered_map<OTF2_LocationGroupRef, std::size_t> rank_of;
  std::vector<std::vector<OTF2_LocationRef>> locations(first.size());
  for (std::size_t rank = 0; rank < first.size(); ++rank) {
    const auto known = definitions.locations.find(first[rank]);
    if (known == definitions.locations.end()) {
      return refuse(fmt::format("rank {} is location {}, which is not defined", rank, first[rank]));
    }
    locations[rank].push_back(first[rank]);
    rank_of.try_emplace(known->second.process, rank);
  }
  for (const auto& [reference, location] : definitions.locations) {
    const auto rank = rank_of.find(location.process);
    if (rank == rank_of.end() || reference == first[rank->second]) continue;
    if (locations[rank->second].size() < kMaxOtf2Threads) {
      locations[rank->second].push_back(reference);
    }
  }
  return locations;
}

// Makes the times of a rank count from its MPI_Init, and returns when that was.
std::int64_t CountFromInit(MpiRank& rank) {
  std::int64_t start = rank.events.empty() ? 0 : rank.events.front().start_ns;
  for (const MpiEvent& event : rank.events) {
    if (event.operation != TARE_MPI_INIT) continue;
    start = event.start_ns;
    break;
  }
  for (MpiEvent& event : rank.events) {
    event.start_ns -= start;
    event.end_ns -= start;
  }
  return start;
}

// An archive need not have MPI_Init and MPI_Finalize, although the program called them.
void AddInitAndFinalize(MpiRank& rank) {
  const auto has = [&rank](format::MpiOperation operation) {
    return std::ranges::any_of(
        rank.events, [operation](const MpiEvent& event) { return event.operation == operation; });
  };
  const bool has_init = has(TARE_MPI_INIT);
  const bool has_end = has(TARE_MPI_FINALIZE);
  rank.outcome.state = TARE_MPI_RUNNING;
  if (rank.events.empty()) {
    rank.outcome.reason = "incomplete: the archive has no MPI calls of it";
    return;
  }
  if (has_init && !has_end) {
    rank.outcome.reason = "incomplete: the archive ends before MPI_Finalize";
    return;
  }
  const auto call = [](format::MpiFunction function, std::int64_t time) {
    MpiEvent event;
    event.function = function;
    event.operation = format::OperationOf(function);
    event.start_ns = event.end_ns = time;
    return event;
  };
  if (!has_init) {
    const MpiEvent init = call(TARE_MPI_F_Init, rank.events.front().start_ns);
    rank.events.insert(rank.events.begin(), init);
  }
  if (!has_end) rank.events.push_back(call(TARE_MPI_F_Finalize, rank.events.back().end_ns));
  rank.outcome.state = TARE_MPI_FINALIZED;
  rank.outcome.complete = true;
}

class ArchiveReader {
 public:
  ArchiveReader(OTF2_Reader* reader, const std::filesystem::path& anchor,
                const Otf2Definitions& definitions)
      : reader_(reader), anchor_(anchor), definitions_(definitions) {}

  Result<JoinedTrace> Read(const std::vector<std::vector<OTF2_LocationRef>>& locations) {
    JoinedTrace joined;
    format::MpiTrace& trace = joined.trace;
    Otf2Communicators communicators(definitions_, locations.size(), trace);
    ArchiveContext context{definitions_, communicators, {}, {}};
    for (const auto& [reference, region] : definitions_.regions) {
      auto function = format::ParseMpiFunction(definitions_.Text(region.canonical));
      if (!function) function = format::ParseMpiFunction(definitions_.Text(region.name));
      if (function) context.functions[reference] = *function;
    }
    for (const auto& [reference, name] : definitions_.attributes) {
      for (const Otf2Field& field : kOtf2Fields) {
        if (definitions_.Text(name) == field.name) context.fields.emplace_back(reference, &field);
      }
    }
    TRY_VOID(OpenLocations(locations));
    trace.ranks.resize(locations.size());
    const std::string program = Program();
    for (std::uint32_t r = 0; r < locations.size(); ++r) {
      MpiRank& rank = trace.ranks[r];
      rank.header.rank = r;
      rank.header.size = static_cast<std::uint32_t>(locations.size());
      const Otf2Definitions::Host host = definitions_.HostOf(locations[r].front());
      rank.header.host = host.name;
      rank.header.boot = host.boot;
      rank.header.start_utc_ns = definitions_.utc_ns;
      rank.header.program = program;
      for (std::size_t thread = 0; thread < locations[r].size(); ++thread) {
        LocationReader calls(context, rank, r, static_cast<std::uint16_t>(thread));
        TRY_VOID(ReadLocation(locations[r][thread], calls));
      }
      std::ranges::stable_sort(rank.events, {}, &MpiEvent::end_ns);
      AddInitAndFinalize(rank);
    }
    if (!context.has_calls) {
      return Fail(ErrorKind::kFormat, fmt::format("{}: this OTF2 archive has no calls of MPI",
                                                  Printable(anchor_.string())));
    }
    SetClocks(trace);
    StateIncompleteRanks(joined);
    if (context.lacks_cpu_time) {
      joined.caveats.push_back({CaveatId::kNoCpuTime, Printable(anchor_.filename().string())});
    }
    return joined;
  }

 private:
  // Local definitions translate numbers of a location to those of the archive.
  Result<void> OpenLocations(const std::vector<std::vector<OTF2_LocationRef>>& locations) {
    for (const auto& threads : locations) {
      for (const OTF2_LocationRef location : threads) {
        const OTF2_ErrorCode code = OTF2_Reader_SelectLocation(reader_, location);
        if (code != OTF2_SUCCESS) return Otf2Damaged(anchor_, code);
      }
    }
    const bool has_definitions = OTF2_Reader_OpenDefFiles(reader_) == OTF2_SUCCESS;
    const OTF2_ErrorCode code = OTF2_Reader_OpenEvtFiles(reader_);
    if (code != OTF2_SUCCESS) return Otf2Damaged(anchor_, code);
    if (!has_definitions) return {};
    for (const auto& threads : locations) {
      for (const OTF2_LocationRef location : threads) {
        OTF2_DefReader* const definitions = OTF2_Reader_GetDefReader(reader_, location);
        if (definitions == nullptr) continue;
        std::uint64_t read = 0;
        const OTF2_ErrorCode result =
            OTF2_Reader_ReadAllLocalDefinitions(reader_, definitions, &read);
        OTF2_Reader_CloseDefReader(reader_, definitions);
        if (result != OTF2_SUCCESS) return Otf2Damaged(anchor_, result);
      }
    }
    OTF2_Reader_CloseDefFiles(reader_);
    return {};
  }

  Result<void> ReadLocation(OTF2_LocationRef location, LocationReader& calls) {
    const std::uint64_t expected = definitions_.locations.at(location).events;
    if (expected == 0) return {};
    OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader_, location);
    if (events == nullptr) return Missing(location);
    const CallbacksPointer callbacks = EventCallbacks();
    OTF2_ErrorCode code =
        OTF2_Reader_RegisterEvtCallbacks(reader_, events, callbacks.get(), &calls);
    std::uint64_t read = 0;
    if (code == OTF2_SUCCESS) code = OTF2_Reader_ReadAllLocalEvents(reader_, events, &read);
    OTF2_Reader_CloseEvtReader(reader_, events);
    if (code != OTF2_SUCCESS) return Otf2Damaged(anchor_, code);
    if (read < expected) return Missing(location);
    return {};
  }

  Result<void> Missing(OTF2_LocationRef location) const {
    return Fail(ErrorKind::kFormat, fmt::format("{}: events of location {} are missing",
                                                Printable(anchor_.string()), location));
  }

  std::string Program() const {
    char* text = nullptr;
    if (OTF2_Reader_GetProperty(reader_, kOtf2Program, &text) != OTF2_SUCCESS) return "";
    std::string program = text == nullptr ? "" : text;
    std::free(text);
    return program;
  }

  static void SetClocks(format::MpiTrace& trace) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    trace.clocks.resize(trace.ranks.size());
    for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
      if (trace.ranks[r].events.empty()) continue;
      trace.clocks[r].offset_ns = CountFromInit(trace.ranks[r]);
      first = std::min(first, trace.clocks[r].offset_ns);
    }
    for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
      if (!trace.ranks[r].events.empty()) trace.clocks[r].offset_ns -= first;
    }
  }

  OTF2_Reader* reader_;
  const std::filesystem::path& anchor_;
  const Otf2Definitions& definitions_;
};

}  // namespace

Result<JoinedTrace> ReadOtf2(const std::filesystem::path& anchor) {
  format::SilenceOtf2();
  const Otf2ReaderPointer reader(OTF2_Reader_Open(anchor.c_str()));
  if (reader == nullptr) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{}: not an OTF2 archive, or one of a version that the OTF2 library "
                            "does not read",
                            Printable(anchor.string())));
  }
  const OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
  if (code != OTF2_SUCCESS) return Otf2Damaged(anchor, code);
  TRY(const auto definitions, ReadOtf2Definitions(reader.get(), anchor));
  TRY(const auto locations, LocationsOf(definitions, anchor));
  return ArchiveReader(reader.get(), anchor, definitions).Read(locations);
}

}  // namespace tare::mpi

#else

namespace tare::mpi {

Result<JoinedTrace> ReadOtf2(const std::filesystem::path&) {
  return std::unexpected(format::Otf2Missing());
}

}  // namespace tare::mpi

#endif

namespace tare::mpi {

std::optional<std::filesystem::path> FindOtf2(const std::filesystem::path& path) {
  constexpr std::string_view kSuffix = ".otf2";
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) {
    return path.extension() == kSuffix ? std::optional(path) : std::nullopt;
  }
  std::optional<std::filesystem::path> found;
  for (std::filesystem::directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    if (ParseMpiFileName(at->path())) return std::nullopt;
    if (at->path().extension() == kSuffix && !found) found = at->path();
  }
  return found;
}

}  // namespace tare::mpi
