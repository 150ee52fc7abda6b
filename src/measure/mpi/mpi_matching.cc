// mpi_matching.cc: matches messages channel by channel and collectives communicator by
// communicator.
#include "measure/mpi/mpi_matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tare::mpi {
namespace {

using format::MpiEvent;
using format::MpiRank;

// Communicator, source, destination, tag.
using Channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>;

// One side of a message.
struct End {
  std::uint32_t event = 0;
  std::int64_t time_ns = 0;  // start of the send, end of the receive
  std::uint64_t bytes = 0;
};

struct Traffic {
  std::vector<End> sends;
  std::vector<End> receives;
};

class Matcher {
 public:
  explicit Matcher(const format::MpiTrace& trace) : trace_(trace) {}

  Matching Match() {
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) AddRank(r);
    for (const auto& [channel, traffic] : channels_) MatchChannel(channel, traffic);
    MatchCollectives();
    return std::move(result_);
  }

 private:
  void Problem(std::string sentence) {
    if (result_.problems.size() < kMaxProblems) result_.problems.push_back(std::move(sentence));
  }

  void AddSend(std::uint32_t rank, std::uint32_t index, const MpiEvent& event) {
    if (event.peer < 0) return;
    channels_[{event.communicator, rank, static_cast<std::uint32_t>(event.peer), event.tag}]
        .sends.push_back({index, event.start_ns, event.bytes});
  }

  void AddReceive(std::uint32_t rank, std::uint32_t communicator, std::int32_t source,
                  std::int32_t tag, End end) {
    if (source < 0) return;
    channels_[{communicator, static_cast<std::uint32_t>(source), rank, tag}].receives.push_back(
        end);
  }

  void AddRank(std::uint32_t number) {
    const MpiRank& rank = trace_.ranks[number];
    // When nonblocking receives were complete, by request.
    struct Arrival {
      format::MpiCompletion completion;
      std::int64_t time_ns;
    };
    std::unordered_map<std::uint32_t, Arrival> arrivals;
    for (const MpiEvent& event : rank.events) {
      for (const format::MpiCompletion& done : rank.CompletionsOf(event)) {
        if (done.is_receive) arrivals.insert_or_assign(done.request, Arrival{done, event.end_ns});
      }
    }
    for (std::uint32_t i = 0; i < rank.events.size(); ++i) {
      const MpiEvent& event = rank.events[i];
      if (event.error != 0) continue;
      switch (event.operation) {
        case TARE_MPI_SEND:
          AddSend(number, i, event);
          break;
        case TARE_MPI_SENDRECV:
          AddSend(number, i, event);
          AddReceive(number, event.communicator, event.source, event.receive_tag,
                     {i, event.end_ns, event.bytes_received});
          break;
        case TARE_MPI_RECV:
          if (event.request == 0) {
            AddReceive(number, event.communicator, event.peer, event.tag,
                       {i, event.end_ns, event.bytes_received});
          } else if (const auto arrival = arrivals.find(event.request); arrival != arrivals.end()) {
            const auto& done = arrival->second.completion;
            AddReceive(number, event.communicator, done.source, done.tag,
                       {i, arrival->second.time_ns, done.bytes});
          }
          break;
        default:
          break;
      }
    }
  }

  void MatchChannel(const Channel& channel, const Traffic& traffic) {
    const auto& [communicator, source, destination, tag] = channel;
    const std::size_t pairs = std::min(traffic.sends.size(), traffic.receives.size());
    for (std::size_t i = 0; i < pairs; ++i) {
      const End& send = traffic.sends[i];
      const End& receive = traffic.receives[i];
      result_.messages.push_back({source, destination, send.event, receive.event, send.time_ns,
                                  receive.time_ns, send.bytes, receive.bytes});
      result_.message_bytes += send.bytes;
      if (send.bytes != receive.bytes) {
        ++result_.size_differs;
        Problem(fmt::format("rank {} sent {} bytes to rank {} (tag {}), which received {}", source,
                            send.bytes, destination, tag, receive.bytes));
      }
    }
    const std::size_t sends = traffic.sends.size() - pairs;
    const std::size_t receives = traffic.receives.size() - pairs;
    result_.unmatched_sends += sends;
    result_.unmatched_receives += receives;
    if (sends > 0) {
      Problem(fmt::format("{} {} from rank {} to rank {} (tag {}) {} no receive", sends,
                          sends == 1 ? "message" : "messages", source, destination, tag,
                          sends == 1 ? "has" : "have"));
    }
    if (receives > 0) {
      Problem(fmt::format("{} {} of rank {} from rank {} (tag {}) {} no send", receives,
                          receives == 1 ? "receive" : "receives", destination, source, tag,
                          receives == 1 ? "has" : "have"));
    }
  }

  // The n-th collective of each member must be the same operation with the same root.
  void MatchCollectives() {
    struct Call {
      format::MpiOperation operation;
      std::int32_t root;
    };
    std::map<std::uint32_t, std::map<std::uint32_t, std::vector<Call>>> calls;
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) {
      for (const MpiEvent& event : trace_.ranks[r].events) {
        if (event.error != 0 || !format::IsCollective(event.operation)) continue;
        if (event.function == TARE_MPI_F_Comm_create_group) continue;
        calls[event.communicator][r].push_back({event.operation, event.root});
      }
    }
    for (const auto& [index, by_rank] : calls) {
      const format::MpiCommunicator& communicator = trace_.communicators[index];
      std::vector<std::int32_t> members = communicator.members;
      members.insert(members.end(), communicator.remote_members.begin(),
                     communicator.remote_members.end());
      const bool is_inter = communicator.kind == TARE_MPI_COMM_INTER;
      const auto& [reference_rank, reference] = *by_rank.begin();
      std::size_t longest = 0;
      std::size_t matched = reference.size();
      for (const std::int32_t member : members) {
        if (member < 0) continue;
        const auto found = by_rank.find(static_cast<std::uint32_t>(member));
        const std::size_t own = found == by_rank.end() ? 0 : found->second.size();
        longest = std::max(longest, own);
        std::size_t same = 0;
        while (same < std::min(own, reference.size()) &&
               found->second[same].operation == reference[same].operation &&
               (is_inter || found->second[same].root == reference[same].root)) {
          ++same;
        }
        if (same < own && same < reference.size()) {
          Problem(fmt::format(
              "collective {} on a communicator of {} ranks is {} in rank {} and {} in rank {}",
              same + 1, members.size(), format::MpiOperationName(reference[same].operation),
              reference_rank, format::MpiOperationName(found->second[same].operation), member));
        } else if (own < reference.size()) {
          Problem(
              fmt::format("rank {} made {} of {} collective calls on a communicator of {} ranks; "
                          "the next is {}",
                          member, own, reference.size(), members.size(),
                          format::MpiOperationName(reference[own].operation)));
        }
        matched = std::min(matched, same);
      }
      result_.collectives += matched;
      result_.unmatched_collectives += std::max(longest, reference.size()) - matched;
    }
  }

  const format::MpiTrace& trace_;
  std::map<Channel, Traffic> channels_;
  Matching result_;
};

}  // namespace

Matching MatchMpiTrace(const format::MpiTrace& trace) { return Matcher(trace).Match(); }

}  // namespace tare::mpi
