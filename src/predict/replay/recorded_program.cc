// recorded_program.cc: resolves wildcards, requests and collectives of a trace.
#include "predict/replay/recorded_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

namespace tare::replay {
namespace {

using format::MpiEvent;

constexpr std::uint64_t kPicosecondsPerNanosecond = 1000;
// Tags of programs are not negative.
constexpr std::int32_t kPostTag = -2'000'000'000;
constexpr std::int32_t kCompleteTag = -2'000'000'001;

class RankConverter {
 public:
  // `cores`: those of the rank's host that are worth remembering.
  RankConverter(const format::MpiTrace& trace, std::uint32_t rank, BurstTime burst_time,
                std::span<const double> factors, std::span<const std::int32_t> cores,
                TraceProgram& result)
      : trace_(&trace),
        source_(&trace.ranks[rank]),
        rank_(static_cast<std::int32_t>(rank)),
        burst_time_(burst_time),
        factors_(factors),
        cores_(cores),
        result_(&result),
        builder_(result.program, rank_) {}

  void Convert() {
    for (const format::MpiCompletion& completion : source_->completions) {
      completions_.try_emplace(completion.request, &completion);
    }
    bool started = false;
    std::int64_t before = 0;
    for (const MpiEvent& event : source_->events) {
      if (!started) {
        started = event.operation == TARE_MPI_INIT;
        before = event.end_ns;
        if (started) Move(event, event.end_ns);
        continue;
      }
      const std::int64_t last = before;
      if (event.thread == 0) {
        Burst(event, before);
        before = event.end_ns;
      }
      if (event.operation == TARE_MPI_FINALIZE) break;
      Call(event);
      if (event.thread == 0) Move(event, last);
    }
    // What nobody waited for is complete when MPI_Finalize returns.
    for (auto& [request, range] : requests_) Wait(range);
    for (const std::uint64_t request : one_sided_) builder_.Wait(request);
  }

 private:
  struct Started {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };

  void Burst(const MpiEvent& event, std::int64_t before) {
    const auto wall =
        static_cast<std::uint64_t>(std::max<std::int64_t>(event.start_ns - before, 0));
    // A clock of processor time can run ahead of the other by its resolution.
    const std::uint64_t cpu = event.burst_path_ns != 0 ? event.burst_path_ns : event.burst_cpu_ns;
    result_->wall += static_cast<double>(wall) * 1e-9;
    result_->cpu += static_cast<double>(cpu) * 1e-9;
    const std::uint64_t nanoseconds = burst_time_ == BurstTime::kCpu ? cpu : wall;
    const auto index = static_cast<std::size_t>(&event - source_->events.data());
    if (index >= factors_.size()) return AddNanoseconds(nanoseconds);
    AddNanoseconds(static_cast<std::uint64_t>(
        std::llround(static_cast<double>(nanoseconds) * factors_[index])));
  }

  // Between two returns of calls it is unknown when the rank moved: in the middle.
  void Move(const MpiEvent& event, std::int64_t before) {
    const auto core = std::ranges::find(cores_, event.core) - cores_.begin();
    if (core == std::ssize(cores_) || event.core == core_) return;
    core_ = event.core;
    const auto rank = static_cast<std::size_t>(rank_);
    const std::int64_t offset = rank < trace_->clocks.size() ? trace_->clocks[rank].offset_ns : 0;
    const std::int64_t middle = before + (event.end_ns - before) / 2;
    result_->program.moves.push_back({static_cast<double>(offset + middle) * 1e-9,
                                      static_cast<std::uint32_t>(rank),
                                      static_cast<std::uint32_t>(core)});
  }

  void AddNanoseconds(std::uint64_t nanoseconds) {
    if (nanoseconds == 0) return;
    constexpr std::uint64_t kMaxNanoseconds = std::uint64_t{1} << 50;  // 13 days
    builder_.Add({.kind = ActionKind::kCompute,
                  .amount = std::min(nanoseconds, kMaxNanoseconds) * kPicosecondsPerNanosecond});
  }

  void Skip(const MpiEvent& event, std::string_view why) {
    if (result_->skipped++ > 0) return;
    result_->first_skipped = fmt::format("{} {}", format::MpiFunctionName(event.function), why);
  }

  bool Exists(std::int32_t peer) const {
    return peer >= 0 && peer < static_cast<std::int32_t>(trace_->ranks.size());
  }

  void Remember(std::uint32_t request, std::uint64_t count) {
    requests_[request] = {builder_.Requests() - count, count};
  }

  void Wait(Started& started) {
    for (std::uint64_t i = 0; i < started.count; ++i) builder_.Wait(started.first + i);
    started.count = 0;
  }

  void SendCall(const MpiEvent& event) {
    if (!Exists(event.peer)) return;
    const bool synchronous =
        event.function == TARE_MPI_F_Ssend || event.function == TARE_MPI_F_Issend;
    const std::uint64_t request =
        builder_.StartSend(event.peer, event.bytes, event.tag, event.communicator, synchronous);
    if (event.request != 0) {
      Remember(event.request, 1);
    } else {
      builder_.Wait(request);
    }
  }

  void ReceiveCall(const MpiEvent& event) {
    if (event.request == 0) {
      if (Exists(event.peer)) builder_.Receive(event.peer, event.tag, event.communicator);
      return;
    }
    std::int32_t source = event.peer;
    std::int32_t tag = event.tag;
    const auto completion = completions_.find(event.request);
    if (completion != completions_.end()) {
      if (completion->second->is_cancelled) return;
      if (completion->second->is_receive) {
        source = completion->second->source;
        tag = completion->second->tag;
      }
    } else if (event.any_source || event.any_tag) {
      Skip(event, "from any source, which nobody waited for");
      return;
    }
    if (!Exists(source)) return;
    builder_.StartReceive(source, tag, event.communicator);
    Remember(event.request, 1);
  }

  void BothCall(const MpiEvent& event) {
    const std::uint64_t first = builder_.Requests();
    if (Exists(event.source)) {
      builder_.StartReceive(event.source, event.receive_tag, event.communicator);
    }
    if (Exists(event.peer))
      builder_.StartSend(event.peer, event.bytes, event.tag, event.communicator);
    Started both{first, builder_.Requests() - first};
    if (event.request != 0) {
      requests_[event.request] = both;
    } else {
      Wait(both);
    }
  }

  void Completions(const MpiEvent& event) {
    for (const format::MpiCompletion& completion : source_->CompletionsOf(event)) {
      if (const auto at = requests_.find(completion.request); at != requests_.end()) {
        Wait(at->second);
        requests_.erase(at);
      }
    }
  }

  void AddCollective(const MpiEvent& event, Collective collective, std::uint64_t bytes,
                     bool irregular = false) {
    AddCollectiveOf(event, event.communicator, collective, bytes, irregular);
  }

  void AddCollectiveOf(const MpiEvent& event, std::uint32_t communicator, Collective collective,
                       std::uint64_t bytes, bool irregular) {
    const MessageProgram& program = result_->program;
    if (communicator >= trace_->communicators.size() ||
        trace_->communicators[communicator].kind == TARE_MPI_COMM_INTER) {
      return Skip(event, "on an intercommunicator");
    }
    if (program.PlaceOf(communicator, rank_) < 0) {
      return Skip(event, "on a communicator without this rank");
    }
    Action action{
        .kind = event.request != 0 ? ActionKind::kStartCollective : ActionKind::kCollective,
        .collective = collective,
        .synchronous = irregular,
        .communicator = communicator,
        .tag = numbers_[communicator]++,
        .amount = bytes};
    if (event.root != TARE_MPI_NO_RANK) {
      const std::int32_t root = program.PlaceOf(communicator, event.root);
      if (root < 0) return Skip(event, "with a root outside of the communicator");
      action.peer = root;
    }
    const auto list = source_->ListOf(event);
    if (collective == Collective::kAlltoall && !list.empty() &&
        list.size() == static_cast<std::size_t>(program.SizeOf(communicator))) {
      action.has_list = true;
      action.amount = result_->program.lists.size();
      result_->program.lists.insert(result_->program.lists.end(), list.begin(), list.end());
    }
    builder_.Add(action);
    if (event.request != 0) Remember(event.request, 1);
  }

  std::uint64_t PerMember(const MpiEvent& event, std::uint64_t bytes) const {
    if (event.communicator >= trace_->communicators.size()) return bytes;
    const auto size = static_cast<std::uint64_t>(result_->program.SizeOf(event.communicator));
    return bytes / std::max<std::uint64_t>(size, 1);
  }

  void NeighborCall(const MpiEvent& event) {
    const auto found =
        trace_->neighbors.find({event.communicator, static_cast<std::uint32_t>(rank_)});
    if (found == trace_->neighbors.end()) return Skip(event, "without known neighbors");
    const auto& [sources, destinations] = found->second;
    const std::int32_t tag = -1 - numbers_[event.communicator]++;
    const std::uint64_t first = builder_.Requests();
    for (const std::int32_t source : sources) {
      if (Exists(source)) builder_.StartReceive(source, tag, event.communicator);
    }
    const auto list = source_->ListOf(event);
    for (std::size_t i = 0; i < destinations.size(); ++i) {
      const std::uint64_t bytes =
          list.size() == destinations.size() ? list[i] : event.bytes / destinations.size();
      if (Exists(destinations[i])) {
        builder_.StartSend(destinations[i], bytes, tag, event.communicator);
      }
    }
    Started all{first, builder_.Requests() - first};
    if (event.request != 0) {
      requests_[event.request] = all;
    } else {
      Wait(all);
    }
  }

  void OneSided(const MpiEvent& event) {
    if (!Exists(event.peer)) return;
    const bool gets = event.operation == TARE_MPI_GET ||
                      (event.operation == TARE_MPI_ACCUMULATE && event.bytes_received > 0);
    const std::uint64_t request =
        gets ? builder_.Get(event.peer, std::max(event.bytes, event.bytes_received))
             : builder_.Put(event.peer, event.bytes);
    if (event.request != 0) {
      requests_[event.request] = {request, 1};
    } else {
      one_sided_.push_back(request);
    }
  }

  void FinishOneSided() {
    for (const std::uint64_t request : one_sided_) builder_.Wait(request);
    one_sided_.clear();
  }

  // Post and complete tell the ranks of a group; start and wait hear from them.
  void Tell(const MpiEvent& event, std::span<const std::uint64_t> group, std::int32_t tag) {
    for (const std::uint64_t rank : group) {
      if (rank < trace_->ranks.size()) {
        builder_.Send(static_cast<std::int32_t>(rank), 0, tag, event.communicator);
      }
    }
  }
  void Hear(const MpiEvent& event, std::span<const std::uint64_t> group, std::int32_t tag) {
    for (const std::uint64_t rank : group) {
      if (rank < trace_->ranks.size()) {
        builder_.Receive(static_cast<std::int32_t>(rank), tag, event.communicator);
      }
    }
  }

  void Window(const MpiEvent& event) {
    const auto list = source_->ListOf(event);
    switch (event.operation) {
      case TARE_MPI_POST:
        exposed_[event.communicator].assign(list.begin(), list.end());
        return Tell(event, list, kPostTag);
      case TARE_MPI_START:
        accessed_[event.communicator].assign(list.begin(), list.end());
        return Hear(event, list, kPostTag);
      case TARE_MPI_COMPLETE:
        FinishOneSided();
        return Tell(event, accessed_[event.communicator], kCompleteTag);
      case TARE_MPI_WIN_WAIT:
        return Hear(event, exposed_[event.communicator], kCompleteTag);
      default:
        return;
    }
  }

  void Call(const MpiEvent& event) {
    if (event.error != 0) return;
    switch (event.operation) {
      case TARE_MPI_SEND:
        return SendCall(event);
      case TARE_MPI_RECV:
        return ReceiveCall(event);
      case TARE_MPI_SENDRECV:
        return BothCall(event);
      case TARE_MPI_WAIT:
        return Completions(event);
      case TARE_MPI_BARRIER:
      case TARE_MPI_WIN_CREATE:
      case TARE_MPI_WIN_FREE:
        return AddCollective(event, Collective::kBarrier, 0);
      case TARE_MPI_FENCE:
        FinishOneSided();
        return AddCollective(event, Collective::kBarrier, 0);
      case TARE_MPI_BCAST:
        return AddCollective(event, Collective::kBroadcast,
                             std::max(event.bytes, event.bytes_received));
      case TARE_MPI_GATHER:
        return AddCollective(event, Collective::kGather, event.bytes);
      case TARE_MPI_GATHERV:
        return AddCollective(event, Collective::kGather, event.bytes, true);
      case TARE_MPI_SCATTER:
      case TARE_MPI_SCATTERV:
        return AddCollective(event, Collective::kScatter,
                             event.bytes > 0 ? PerMember(event, event.bytes) : event.bytes_received,
                             event.operation == TARE_MPI_SCATTERV);
      case TARE_MPI_ALLGATHER:
      case TARE_MPI_ALLGATHERV:
        return AddCollective(event, Collective::kAllgather, PerMember(event, event.bytes_received));
      case TARE_MPI_ALLTOALL:
      case TARE_MPI_ALLTOALLV:
        return AddCollective(event, Collective::kAlltoall, PerMember(event, event.bytes),
                             event.operation == TARE_MPI_ALLTOALLV);
      case TARE_MPI_REDUCE:
        return AddCollective(event, Collective::kReduce, event.bytes);
      case TARE_MPI_ALLREDUCE:
        return AddCollective(event, Collective::kAllreduce, event.bytes);
      case TARE_MPI_REDUCE_SCATTER:
        return AddCollective(event, Collective::kReduceScatter, event.bytes);
      case TARE_MPI_SCAN:
      case TARE_MPI_EXSCAN:
        return AddCollective(event, Collective::kScan, event.bytes);
      case TARE_MPI_NEIGHBOR_ALLGATHER:
      case TARE_MPI_NEIGHBOR_ALLTOALL:
        return NeighborCall(event);
      case TARE_MPI_COMMUNICATOR:
        return CreateCommunicator(event);
      case TARE_MPI_PUT:
      case TARE_MPI_GET:
      case TARE_MPI_ACCUMULATE:
        return OneSided(event);
      case TARE_MPI_UNLOCK:
      case TARE_MPI_FLUSH:
        return FinishOneSided();
      case TARE_MPI_POST:
      case TARE_MPI_START:
      case TARE_MPI_COMPLETE:
      case TARE_MPI_WIN_WAIT:
        return Window(event);
      case TARE_MPI_IO:
        if (event.thread != 0) return;
        return AddNanoseconds(
            static_cast<std::uint64_t>(std::max<std::int64_t>(event.end_ns - event.start_ns, 0)));
      default:
        return;
    }
  }

  // The members agree on a number.
  void CreateCommunicator(const MpiEvent& event) {
    constexpr std::uint64_t kAgreement = 8;
    const std::uint32_t made = event.new_communicator;
    const bool by_members = made > 0 && made < trace_->communicators.size() &&
                            trace_->communicators[made].kind == TARE_MPI_COMM_GROUP;
    AddCollectiveOf(event, by_members ? made : event.communicator, Collective::kAllreduce,
                    kAgreement, false);
  }

  const format::MpiTrace* trace_;
  const format::MpiRank* source_;
  std::int32_t rank_;
  BurstTime burst_time_;
  std::span<const double> factors_;  // by event
  std::span<const std::int32_t> cores_;
  std::int32_t core_ = TARE_MPI_NO_CORE;
  TraceProgram* result_;
  RankBuilder builder_;
  std::unordered_map<std::uint32_t, const format::MpiCompletion*> completions_;
  std::map<std::uint32_t, Started> requests_;
  std::vector<std::uint64_t> one_sided_;
  std::unordered_map<std::uint32_t, std::int32_t> numbers_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> exposed_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> accessed_;
};

// From the last return from MPI_Init, which is the start, to the last call of MPI_Finalize.
double RecordedSeconds(const format::MpiTrace& trace, double& start_seconds) {
  std::int64_t start = INT64_MIN;
  std::int64_t end = INT64_MIN;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const std::int64_t offset = rank < trace.clocks.size() ? trace.clocks[rank].offset_ns : 0;
    for (const MpiEvent& event : trace.ranks[rank].events) {
      if (event.operation == TARE_MPI_INIT) start = std::max(start, offset + event.end_ns);
      const bool last = event.operation == TARE_MPI_FINALIZE;
      end = std::max(end, offset + (last ? event.start_ns : event.end_ns));
      if (last) break;
    }
  }
  start_seconds = start != INT64_MIN ? static_cast<double>(start) * 1e-9 : 0;
  return end > start && start != INT64_MIN ? static_cast<double>(end - start) * 1e-9 : 0;
}

bool IsEverybody(std::span<const std::int32_t> members, std::size_t ranks) {
  if (members.size() != ranks) return false;
  for (std::size_t i = 0; i < ranks; ++i) {
    if (members[i] != static_cast<std::int32_t>(i)) return false;
  }
  return true;
}

// The cores of each node that had more ranks than cores; empty: each rank had one, or it is
// unknown.
std::vector<std::vector<std::int32_t>> SharedCores(const format::MpiTrace& trace,
                                                   std::span<const std::uint32_t> nodes) {
  const std::size_t count = std::size_t{*std::ranges::max_element(nodes)} + 1;
  std::vector<std::set<std::int32_t>> found(count);
  std::vector<std::size_t> ranks(count);
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    ++ranks[nodes[rank]];
    for (const MpiEvent& event : trace.ranks[rank].events) {
      if (event.thread == 0) found[nodes[rank]].insert(event.core);
    }
  }
  std::vector<std::vector<std::int32_t>> cores(count);
  for (std::size_t node = 0; node < count; ++node) {
    if (found[node].size() >= ranks[node] || found[node].contains(TARE_MPI_NO_CORE)) continue;
    cores[node].assign(found[node].begin(), found[node].end());
  }
  return cores;
}

}  // namespace

Result<TraceProgram> ProgramOf(const format::MpiTrace& trace, BurstTime burst_time,
                               std::span<const std::vector<double>> factors) {
  TraceProgram result;
  MessageProgram& program = result.program;
  const std::size_t ranks = trace.ranks.size();
  if (ranks == 0) return Fail(ErrorKind::kFormat, "the trace has no ranks");
  program.ranks.resize(ranks);
  program.communicators.clear();
  for (const format::MpiCommunicator& communicator : trace.communicators) {
    program.communicators.push_back(IsEverybody(communicator.members, ranks)
                                        ? Communicator{}
                                        : CommunicatorOf(communicator.members));
  }
  if (program.communicators.empty()) program.communicators.emplace_back();
  std::map<std::pair<std::string, std::string>, std::uint32_t> nodes;
  for (const format::MpiRank& rank : trace.ranks) {
    const auto [node, added] = nodes.try_emplace({rank.header.boot, rank.header.host},
                                                 static_cast<std::uint32_t>(nodes.size()));
    program.nodes.push_back(node->second);
  }
  const auto cores = SharedCores(trace, program.nodes);
  for (const auto& of_node : cores) {
    program.cores = std::max(program.cores, static_cast<std::uint32_t>(of_node.size()));
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto own = rank < factors.size() ? std::span(factors[rank]) : std::span<const double>();
    RankConverter(trace, rank, burst_time, own, cores[program.nodes[rank]], result).Convert();
  }
  double start = 0;
  program.recorded = RecordedSeconds(trace, start);
  for (CoreMove& move : program.moves) move.seconds -= start;
  std::ranges::stable_sort(program.moves, {}, &CoreMove::seconds);
  if (const auto checked = CheckProgram(program); !checked) return std::unexpected(checked.error());
  return result;
}

}  // namespace tare::replay
