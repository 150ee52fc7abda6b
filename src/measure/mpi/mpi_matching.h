// mpi_matching.h: which receive gets which message, and whether collective calls match.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/mpi_trace.h"

namespace tare::mpi {

// A message and its receive. Times are those of the processes' own clocks.
struct MatchedMessage {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint32_t send_event = 0;     // index into the events of the source
  std::uint32_t receive_event = 0;  // where it was posted, in the events of the destination
  std::int64_t send_start_ns = 0;
  std::int64_t receive_end_ns = 0;  // when the receive was complete
  std::uint64_t bytes = 0;
  std::uint64_t bytes_received = 0;
};

struct Matching {
  std::vector<MatchedMessage> messages;
  std::uint64_t message_bytes = 0;
  std::uint64_t unmatched_sends = 0;
  std::uint64_t unmatched_receives = 0;
  std::uint64_t size_differs = 0;  // messages whose receive reports another size
  std::uint64_t collectives = 0;   // counted once per communicator
  std::uint64_t unmatched_collectives = 0;
  std::vector<std::string> problems;  // one sentence each, the first kMaxProblems
};
inline constexpr std::size_t kMaxProblems = 20;

// Needs a joined trace. Messages match in the order in which sends and receives were posted, by
// communicator, ranks and tag (MPI-3.1, section 3.5).
Matching MatchMpiTrace(const format::MpiTrace& trace);

}  // namespace tare::mpi
