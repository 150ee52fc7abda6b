// mpi_otf2_location.h: turns the events of one location of an OTF2 archive into calls.
#pragma once

#include "measure/mpi/mpi_otf2_communicators.h"

#ifdef TARE_HAVE_OTF2

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "format/mpi_trace.h"

namespace tare::mpi {

// What the readers of all locations share.
struct ArchiveContext {
  const Otf2Definitions& definitions;
  Otf2Communicators& communicators;
  std::unordered_map<OTF2_RegionRef, format::MpiFunction> functions;
  std::vector<std::pair<OTF2_AttributeRef, const Otf2Field*>> fields;
  bool lacks_cpu_time = false;
  bool has_calls = false;
};

// What OTF2 says of a collective call.
struct CollectiveSizes {
  OTF2_CommRef communicator;
  std::uint32_t root;
  std::uint64_t sent;
  std::uint64_t received;
};

// The calls of one location.
class LocationReader {
  using MpiEvent = format::MpiEvent;
  using MpiRank = format::MpiRank;

 public:
  LocationReader(ArchiveContext& context, MpiRank& rank, std::uint32_t number, std::uint16_t thread)
      : context_(context), rank_(rank), number_(number), thread_(thread) {}

  void Enter(OTF2_TimeStamp time, OTF2_RegionRef region, const OTF2_AttributeList* attributes) {
    if (is_open_) {
      if (region == region_) ++depth_;
      return;
    }
    const auto function = context_.functions.find(region);
    if (function == context_.functions.end()) return;
    region_ = region;
    Open(function->second, Nanoseconds(time));
    for (const auto& [reference, field] : context_.fields) {
      std::uint64_t value = 0;
      if (OTF2_AttributeList_GetUint64(attributes, reference, &value) != OTF2_SUCCESS) continue;
      given_.emplace_back(field, value);
    }
  }

  void Leave(OTF2_TimeStamp time, OTF2_RegionRef region) {
    if (!is_open_ || region != region_) return;
    if (depth_ > 0) {
      --depth_;
      return;
    }
    Close(Nanoseconds(time));
  }

  // Calls `change` with the open call, or with one of `function` if there is none.
  template <typename Change>
  void InCall(OTF2_TimeStamp time, format::MpiFunction function, const Change& change) {
    const bool alone = !is_open_;
    if (alone) Open(function, Nanoseconds(time));
    change(event_);
    if (alone) Close(Nanoseconds(time));
  }

  void Send(OTF2_TimeStamp time, std::uint32_t to, OTF2_CommRef communicator, std::uint32_t tag,
            std::uint64_t bytes, std::optional<std::uint64_t> request) {
    InCall(time, request ? TARE_MPI_F_Isend : TARE_MPI_F_Send, [&](MpiEvent& event) {
      event.communicator = context_.communicators.IndexOf(communicator, number_);
      event.peer = context_.communicators.RankAt(communicator, number_, to);
      event.tag = static_cast<std::int32_t>(tag);
      event.bytes = bytes;
      if (request) event.request = RequestOf(*request);
    });
  }

  void Receive(OTF2_TimeStamp time, std::uint32_t from, OTF2_CommRef communicator,
               std::uint32_t tag, std::uint64_t bytes) {
    InCall(time, TARE_MPI_F_Recv, [&](MpiEvent& event) {
      const std::int32_t source = context_.communicators.RankAt(communicator, number_, from);
      event.communicator = context_.communicators.IndexOf(communicator, number_);
      event.bytes_received = bytes;
      if (event.operation == TARE_MPI_SENDRECV) {
        event.source = source;
        event.receive_tag = static_cast<std::int32_t>(tag);
      } else {
        event.peer = source;
        event.tag = static_cast<std::int32_t>(tag);
      }
    });
  }

  void Post(OTF2_TimeStamp time, format::MpiFunction function, std::uint64_t request) {
    InCall(time, function, [&](MpiEvent& event) { event.request = RequestOf(request); });
  }

  void CompleteReceive(OTF2_TimeStamp time, std::uint32_t from, OTF2_CommRef communicator,
                       std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
    const std::int32_t source = context_.communicators.RankAt(communicator, number_, from);
    format::MpiCompletion done{.request = Known(request), .is_receive = true, .source = source};
    done.tag = static_cast<std::int32_t>(tag);
    done.bytes = bytes;
    if (MpiEvent* const posted = Posted(done.request)) {
      posted->communicator = context_.communicators.IndexOf(communicator, number_);
      // An archive of another tool does not say what the receive was posted for.
      if (!posted_by_us_.contains(done.request)) {
        posted->peer = source;
        posted->tag = done.tag;
      }
    }
    Complete(time, done);
  }

  void CompleteSend(OTF2_TimeStamp time, std::uint64_t request) {
    Complete(time, {.request = Known(request)});
  }
  void Cancel(OTF2_TimeStamp time, std::uint64_t request) {
    Complete(time, {.request = Known(request), .is_cancelled = true});
  }

  void CompleteCollective(OTF2_TimeStamp time, const CollectiveSizes& sizes,
                          std::uint64_t request) {
    const std::uint32_t known = Known(request);
    if (MpiEvent* const posted = Posted(known)) Describe(*posted, sizes);
    Complete(time, {.request = known});
  }

  void Collective(OTF2_TimeStamp time, OTF2_CollectiveOp operation, const CollectiveSizes& sizes) {
    InCall(time, FunctionOf(operation), [&](MpiEvent& event) {
      if (format::IsCollective(event.operation)) Describe(event, sizes);
    });
  }

 private:
  // Times of the archive; the first MPI_Init is not yet known.
  std::int64_t Nanoseconds(OTF2_TimeStamp time) const {
    constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
    const std::uint64_t rate = context_.definitions.ticks_per_second;
    const std::uint64_t offset = context_.definitions.clock_offset;
    const std::uint64_t ticks = time >= offset ? time - offset : 0;
    const double rest = static_cast<double>(ticks % rate) *
                        (static_cast<double>(kNanosecondsPerSecond) / static_cast<double>(rate));
    const std::uint64_t whole =
        rate == kNanosecondsPerSecond
            ? ticks
            : ticks / rate * kNanosecondsPerSecond + static_cast<std::uint64_t>(std::llround(rest));
    constexpr std::uint64_t kMaxNs = std::uint64_t{1} << 60;
    return static_cast<std::int64_t>(std::min(whole, kMaxNs));
  }

  void Open(format::MpiFunction function, std::int64_t time) {
    is_open_ = true;
    depth_ = 0;
    given_.clear();
    event_ = {};
    event_.function = function;
    event_.operation = format::OperationOf(function);
    event_.thread = thread_;
    event_.start_ns = time;
    event_.completions.first = static_cast<std::uint32_t>(rank_.completions.size());
  }

  void Close(std::int64_t time) {
    is_open_ = false;
    context_.has_calls = true;
    event_.end_ns = std::max(time, event_.start_ns);
    event_.burst_cpu_ns = has_before_ && event_.start_ns > before_
                              ? static_cast<std::uint64_t>(event_.start_ns - before_)
                              : 0;
    bool has_cpu_time = false;
    event_.core = core_;
    for (const auto& [field, value] : given_) {
      field->set(event_, value);
      has_cpu_time = has_cpu_time || field == &kOtf2Fields[kOtf2CpuField];
    }
    core_ = event_.core;
    event_.communicator = Existing(event_.communicator);
    event_.new_communicator = Existing(event_.new_communicator);
    if (!has_cpu_time) context_.lacks_cpu_time = true;
    event_.completions.count =
        static_cast<std::uint32_t>(rank_.completions.size()) - event_.completions.first;
    has_before_ = true;
    before_ = event_.end_ns;
    if (event_.request != 0) {
      posted_[event_.request] = rank_.events.size();
      if (!given_.empty()) posted_by_us_.insert(event_.request);
    }
    rank_.events.push_back(event_);
  }

  std::uint32_t Existing(std::uint32_t communicator) const {
    return context_.communicators.Exists(communicator) ? communicator : TARE_MPI_WORLD;
  }

  void Describe(MpiEvent& event, const CollectiveSizes& sizes) {
    event.communicator = context_.communicators.IndexOf(sizes.communicator, number_);
    if (sizes.root != OTF2_UNDEFINED_UINT32 && IsRooted(event.operation)) {
      event.root = context_.communicators.RankAt(sizes.communicator, number_, sizes.root);
    }
    event.bytes = sizes.sent;
    event.bytes_received = sizes.received;
  }

  static bool IsRooted(format::MpiOperation operation) {
    switch (operation) {
      case TARE_MPI_BCAST:
      case TARE_MPI_GATHER:
      case TARE_MPI_GATHERV:
      case TARE_MPI_SCATTER:
      case TARE_MPI_SCATTERV:
      case TARE_MPI_REDUCE:
        return true;
      default:
        return false;
    }
  }

  static format::MpiFunction FunctionOf(OTF2_CollectiveOp operation) {
    constexpr auto kRows = std::to_array<std::pair<OTF2_CollectiveOp, format::MpiFunction>>({
        {OTF2_COLLECTIVE_OP_BCAST, TARE_MPI_F_Bcast},
        {OTF2_COLLECTIVE_OP_GATHER, TARE_MPI_F_Gather},
        {OTF2_COLLECTIVE_OP_GATHERV, TARE_MPI_F_Gatherv},
        {OTF2_COLLECTIVE_OP_SCATTER, TARE_MPI_F_Scatter},
        {OTF2_COLLECTIVE_OP_SCATTERV, TARE_MPI_F_Scatterv},
        {OTF2_COLLECTIVE_OP_ALLGATHER, TARE_MPI_F_Allgather},
        {OTF2_COLLECTIVE_OP_ALLGATHERV, TARE_MPI_F_Allgatherv},
        {OTF2_COLLECTIVE_OP_ALLTOALL, TARE_MPI_F_Alltoall},
        {OTF2_COLLECTIVE_OP_ALLTOALLV, TARE_MPI_F_Alltoallv},
        {OTF2_COLLECTIVE_OP_ALLTOALLW, TARE_MPI_F_Alltoallw},
        {OTF2_COLLECTIVE_OP_REDUCE, TARE_MPI_F_Reduce},
        {OTF2_COLLECTIVE_OP_ALLREDUCE, TARE_MPI_F_Allreduce},
        {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, TARE_MPI_F_Reduce_scatter},
        {OTF2_COLLECTIVE_OP_SCAN, TARE_MPI_F_Scan},
        {OTF2_COLLECTIVE_OP_EXSCAN, TARE_MPI_F_Exscan},
    });
    for (const auto& [known, function] : kRows) {
      if (known == operation) return function;
    }
    return TARE_MPI_F_Barrier;
  }

  // Requests of an archive are any numbers, which may be used again.
  std::uint32_t RequestOf(std::uint64_t request) {
    const bool fits = request <= UINT32_MAX && request > last_request_;
    last_request_ = fits ? static_cast<std::uint32_t>(request) : last_request_ + 1;
    requests_[request] = last_request_;
    return last_request_;
  }
  std::uint32_t Known(std::uint64_t request) const {
    const auto found = requests_.find(request);
    return found == requests_.end() ? 0 : found->second;
  }
  MpiEvent* Posted(std::uint32_t request) {
    const auto found = posted_.find(request);
    return found == posted_.end() ? nullptr : &rank_.events[found->second];
  }

  void Complete(OTF2_TimeStamp time, const format::MpiCompletion& done) {
    if (done.request == 0) return;
    InCall(time, TARE_MPI_F_Wait, [&](MpiEvent&) { rank_.completions.push_back(done); });
  }

  ArchiveContext& context_;
  MpiRank& rank_;
  std::uint32_t number_;
  std::uint16_t thread_;
  bool is_open_ = false;
  std::uint32_t depth_ = 0;
  OTF2_RegionRef region_ = OTF2_UNDEFINED_REGION;
  MpiEvent event_;
  std::vector<std::pair<const Otf2Field*, std::uint64_t>> given_;  // attributes of the call
  std::int32_t core_ = TARE_MPI_NO_CORE;
  bool has_before_ = false;
  std::int64_t before_ = 0;
  std::uint32_t last_request_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> requests_;
  std::unordered_map<std::uint32_t, std::size_t> posted_;
  std::unordered_set<std::uint32_t> posted_by_us_;
};

}  // namespace tare::mpi

#endif
