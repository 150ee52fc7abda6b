// mpi_trace.h: the calls of MPI processes and the computation between them, as a reader returns
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/mpi_openmp.h"
#include "format/mpi_wire.h"

namespace tare::format {

// tare_mpi_function and tare_mpi_operation are documented in mpi_wire.h.
using MpiFunction = tare_mpi_function;
using MpiOperation = tare_mpi_operation;

// "MPI_Isend"; events without a function have names such as "poll".
std::string_view MpiFunctionName(MpiFunction function);
// Different for each function: "MPI_Isend", and "MPI_Poll" where there is none of this name.
std::string_view MpiFunctionCode(MpiFunction function);
// The function with this code.
std::optional<MpiFunction> ParseMpiFunction(std::string_view code);
MpiOperation OperationOf(MpiFunction function);
// "send", "allreduce"
std::string_view MpiOperationName(MpiOperation operation);
// All members of the communicator call it.
bool IsCollective(MpiOperation operation);

// A request that a wait or a test completed. Sends have only `request`.
struct MpiCompletion {
  std::uint32_t request = 0;
  bool is_receive = false;
  bool is_cancelled = false;
  std::int32_t source = TARE_MPI_NO_RANK;  // what arrived
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const MpiCompletion&, const MpiCompletion&) = default;
};

// The increase of a counter of a program built by tare-cc, during the burst before an event.
struct MpiCounterDelta {
  std::uint32_t slot = 0;
  std::uint64_t increase = 0;

  friend bool operator==(const MpiCounterDelta&, const MpiCounterDelta&) = default;
};

// A part of one of the side arrays of MpiRank.
struct MpiRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  friend bool operator==(const MpiRange&, const MpiRange&) = default;
};

// A call. Ranks are those of MPI_COMM_WORLD. A persistent request gives a send or receive with a
// request of its own for each start.
struct MpiEvent {
  MpiFunction function = TARE_MPI_F_Init;
  MpiOperation operation = TARE_MPI_INIT;
  std::uint16_t thread = 0;
  bool any_source = false;
  bool any_tag = false;
  // Index into the communicators of the MpiRank, or of the MpiTrace once joined. For operations on
  // windows the window's.
  std::uint32_t communicator = TARE_MPI_WORLD;
  std::uint32_t request = 0;             // of a nonblocking call; 0: blocking
  std::int32_t peer = TARE_MPI_NO_RANK;  // destination, source or target
  std::int32_t tag = 0;
  std::int32_t source = TARE_MPI_NO_RANK;  // of the receiving half of a Sendrecv
  std::int32_t receive_tag = 0;            // likewise
  std::int32_t root = TARE_MPI_NO_RANK;    // of a rooted collective
  std::uint32_t new_communicator = 0;      // that the call created; 0: none for this process
  std::uint32_t error = 0;                 // error code that the call returned
  std::int32_t core = TARE_MPI_NO_CORE;    // on which the call returned
  std::uint64_t count = 0;                 // of merged polls
  // Point-to-point: the message. Of a receive, `bytes_received` arrived; it is 0 if the receive is
  // nonblocking (the completion has it), and `bytes` is the size of the buffer.
  // Collective: what this process contributes (to all others in total) and what it gets.
  std::uint64_t bytes = 0;
  std::uint64_t bytes_received = 0;
  // Since this process called MPI_Init (see MpiRankHeader::start_ns and ClockAlignment).
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t burst_cpu_ns = 0;  // CPU time of this thread since its event before
  // The same with each parallel region at the CPU time of its critical path instead of this
  // thread's; 0: there were none. Set when ranks are joined.
  std::uint64_t burst_path_ns = 0;
  MpiRange completions;  // in MpiRank::completions
  MpiRange list;         // in MpiRank::lists: bytes per member, or ranks of a group
  MpiRange counters;     // in MpiRank::counters

  friend bool operator==(const MpiEvent&, const MpiEvent&) = default;
};

struct MpiCommunicator {
  tare_mpi_comm_kind kind = TARE_MPI_COMM_INTRA;
  std::optional<std::uint32_t> parent;       // index
  std::vector<std::int32_t> members;         // ranks, in the order of the communicator
  std::vector<std::int32_t> remote_members;  // of an intercommunicator
  std::vector<std::int32_t> sources;         // neighbors of this process, of a topology
  std::vector<std::int32_t> destinations;

  friend bool operator==(const MpiCommunicator&, const MpiCommunicator&) = default;
};

// Counters of a module built by tare-cc: slots [first_slot, first_slot + slots).
struct MpiCounterModule {
  std::uint32_t first_slot = 0;
  std::uint32_t slots = 0;
  std::string path;

  friend bool operator==(const MpiCounterModule&, const MpiCounterModule&) = default;
};

struct MpiCallInProgress {
  MpiFunction function;
  std::uint32_t communicator;
  std::int32_t peer;
  std::int32_t tag;
  std::int64_t start_ns;
};

struct MpiRankHeader {
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  std::uint64_t run = 0;
  std::uint64_t job = 0;
  std::uint32_t job_number = 1;
  std::uint32_t architecture = 0;
  std::uint32_t thread_level = 0;
  std::uint64_t process = 0;
  std::uint64_t start_ns = 0;      // CLOCK_MONOTONIC of this host at MPI_Init
  std::uint64_t start_utc_ns = 0;  // CLOCK_REALTIME
  std::uint64_t started_ns = 0;    // CLOCK_MONOTONIC when the process was started; 0: unknown
  bool is_without_mpi = false;     // OpenMP only; times count from the start of the process
  tare_mpi_openmp openmp = TARE_MPI_OPENMP_NONE;
  std::string boot;  // hosts with the same value share a clock
  std::string host;
  std::string library;
  std::string build_id;
  std::string program;
};

// How a process ended, and how far its file could be read.
struct MpiRankOutcome {
  tare_mpi_state state = TARE_MPI_RUNNING;
  // MPI_Finalize returned (or a process without MPI exited), the file is whole, nothing was lost.
  bool complete = false;
  std::string reason;  // why it is not complete, starting with "incomplete: "
  std::uint64_t lost = 0;
  std::int64_t end_ns = 0;                       // when the file was sealed, if it was
  std::optional<MpiCallInProgress> in_progress;  // the call in which the process ended
};

// Reads one file event by event, so that memory does not grow with the calls (communicators,
// counter modules and OpenMP events are kept). Returns exactly the records before the first damage.
class MpiRankReader {
 public:
  // Fails on files that are not of this format, have another version, or are truncated within the
  // header.
  static Result<MpiRankReader> Open(const std::filesystem::path& path);
  // `bytes` must outlive the reader; `name` is used in messages.
  static Result<MpiRankReader> From(std::span<const std::byte> bytes, const std::string& name);
  MpiRankReader(MpiRankReader&&) noexcept;
  MpiRankReader& operator=(MpiRankReader&&) noexcept;
  ~MpiRankReader();

  const MpiRankHeader& Header() const;
  // Communicators and modules defined so far: before the event that uses them.
  const std::vector<MpiCommunicator>& Communicators() const;
  const std::vector<MpiCounterModule>& Modules() const;
  // OpenMP events so far; all after Next() has returned nullptr.
  const OpenMpTrace& OpenMp() const;

  // Returns the next event, or nullptr if there are no more. Valid until the next call. Its ranges
  // are in the following arrays, which hold those of this event only.
  const MpiEvent* Next();
  std::span<const MpiCompletion> Completions() const;
  std::span<const std::uint64_t> List() const;
  std::span<const MpiCounterDelta> Counters() const;

  // Valid after Next() has returned nullptr.
  const MpiRankOutcome& Outcome() const;

 private:
  struct State;
  explicit MpiRankReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// All events of one process.
struct MpiRank {
  MpiRankHeader header;
  MpiRankOutcome outcome;
  std::vector<MpiCommunicator> communicators;  // empty once joined
  std::vector<MpiCounterModule> modules;
  std::vector<MpiEvent> events;  // by end, as they were written
  std::vector<MpiCompletion> completions;
  std::vector<std::uint64_t> lists;
  std::vector<MpiCounterDelta> counters;
  OpenMpTrace openmp;

  std::span<const MpiCompletion> CompletionsOf(const MpiEvent& event) const {
    return std::span(completions).subspan(event.completions.first, event.completions.count);
  }
  std::span<const std::uint64_t> ListOf(const MpiEvent& event) const {
    return std::span(lists).subspan(event.list.first, event.list.count);
  }
  std::span<const MpiCounterDelta> CountersOf(const MpiEvent& event) const {
    return std::span(counters).subspan(event.counters.first, event.counters.count);
  }
};

Result<MpiRank> ReadMpiRank(const std::filesystem::path& path);
MpiRank ReadMpiRank(MpiRankReader reader);

// When a process called MPI_Init on the common clock: time = offset_ns + event time, plus or minus
// uncertainty_ns. Processes of the same host have no uncertainty among each other.
struct MpiClockAlignment {
  std::int64_t offset_ns = 0;
  std::uint64_t uncertainty_ns = 0;
};

// One MPI job: all ranks, with the communicators that they share. Rank r is element r. The first
// MPI_Init is at 0 on the common clock. measure/mpi joins it from files.
struct MpiTrace {
  std::vector<MpiRank> ranks;
  std::vector<MpiClockAlignment> clocks;  // by rank
  // 0 is MPI_COMM_WORLD. MPI_COMM_SELF has one entry per process.
  std::vector<MpiCommunicator> communicators;  // neighbors of topologies are in `neighbors`
  struct Neighbors {
    std::vector<std::int32_t> sources;
    std::vector<std::int32_t> destinations;
  };
  // By communicator and rank, for topologies.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Neighbors> neighbors;
};

}  // namespace tare::format
