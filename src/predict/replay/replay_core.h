// replay_core.h: the event loop that both engines share: ranks, requests, matching, collectives.
// Only the time of a message on its way is the engine's.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <type_traits>

#include "base/check.h"
#include "predict/replay/message_costs.h"
#include "predict/replay/message_table.h"
#include "predict/replay/replay.h"
#include "predict/replay/shared_core.h"

namespace tare::replay {

// A message within a node takes nothing that others share.
template <typename Core>
void ArriveWithin(Core& core, std::uint32_t message, std::uint64_t bytes, Picoseconds start) {
  const MessageCosts& costs = core.Within();
  const Picoseconds transmission = costs.Transmission(bytes);
  core.Arrived(message, start + costs.latency + transmission, costs.latency, transmission, 0,
               false);
}

// `Transport` is the engine: Start(core, message, from, to, bytes, start) brings `bytes` from one
// node to another from `start` on and calls core.Arrived, now or later. `Queue` is EventQueue, with
// which actors proceed in order of time, or WindowQueue, with which they do not.
template <typename Path, typename Transport, typename Queue = EventQueue>
class ReplayCore {
 public:
  ReplayCore(const MessageProgram& program, const Network& network,
             std::vector<std::uint32_t> nodes, const ReplayOptions& options, Transport& transport,
             Queue queue = Queue())
      : program_(&program),
        network_(&network),
        options_(&options),
        transport_(&transport),
        nodes_(std::move(nodes)),
        between_(network.between),
        within_(network.within),
        table_(messages_),
        queue_(std::move(queue)) {
    ranks_.resize(program.ranks.size());
    PrepareCores();
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      ranks_[rank].rank = static_cast<std::int32_t>(rank);
      if constexpr (Path::kTracks) {
        ranks_[rank].path.node = rank;
        parts_.push_back({kNoIndex, static_cast<std::int32_t>(rank), 0});
      }
      if (!SharesCore(rank)) queue_.Push(0, rank);
    }
    for (std::uint32_t core = 0; core < cores_.size(); ++core) Schedule(core, 0);
  }

  const Network& TheNetwork() const { return *network_; }
  const MessageCosts& Between() const { return between_; }
  const MessageCosts& Within() const { return within_; }
  bool HasNext() const { return !queue_.IsEmpty() && !failed_; }
  Picoseconds NextTime() const { return queue_.Top().time; }

  // Everything that happens up to and including `limit`.
  void RunUntil(Picoseconds limit) {
    while (HasNext() && queue_.Top().time <= limit) {
      const auto [time, id] = queue_.Top();
      queue_.Pop();
      if (id >= kFirstCore) {
        RunCore(id - kFirstCore, time, limit);
      } else {
        Run(id, limit);
      }
      CountTurn();
    }
  }

  // All that happens, window by window. The transport keeps messages until the end of a window, and
  // delivers them in Flush.
  void RunWindows() {
    constexpr std::size_t kAhead = 6;
    while (!failed_ && queue_.Advance()) {
      const auto& active = queue_.Active();
      for (std::size_t i = 0; i < active.size() && !failed_; ++i) {
        if (i + 2 * kAhead < active.size()) PrefetchActor(active[i + 2 * kAhead]);
        if (i + kAhead < active.size()) PrefetchWork(active[i + kAhead]);
        Run(active[i], kMaxTime);
        CountTurn();
      }
      transport_->Flush(*this);
    }
  }

  // For a transport that soon delivers messages: the message itself, and later who waits for it.
  void PrefetchMessage(std::uint32_t index) const {
    const char* const message = reinterpret_cast<const char*>(&messages_[index]);
    __builtin_prefetch(message);
    __builtin_prefetch(message + sizeof(Message) - 1);
  }
  void PrefetchReceiver(std::uint32_t index) const {
    const std::uint32_t receiver = messages_[index].receiver;
    if (receiver != kNoIndex) PrefetchActor(receiver);
  }

  // Of the message that the transport starts.
  const MessageOrder& Order() const { return order_; }

  // The last byte of the message is there. The parts of the time since its start are for the path.
  void Arrived(std::uint32_t index, Picoseconds time, Picoseconds latency, Picoseconds transmission,
               Picoseconds queueing, bool between) {
    Message& message = messages_[index];
    message.arrival = time;
    if constexpr (Path::kTracks) {
      message.path.latency += latency;
      message.path.transmission += transmission;
      message.path.queueing += queueing;
      if (between) {
        ++message.path.messages;
        message.path.bytes += message.bytes;
      }
    }
    if (message.sender != kNoIndex) {
      const Picoseconds partner = message.one_sided ? message.send_ready : message.receive_ready;
      Complete(message.sender, message.sender_request, time, partner, message);
    }
    if (message.receiver != kNoIndex) {
      Complete(message.receiver, message.receiver_request, time, message.send_ready, message);
    }
    if (message.one_sided || message.receiver != kNoIndex) Free(index);
  }

  Result<ReplayResult> Finish() {
    if (stopped_) return Stopped();
    if (failed_) {
      return Fail(
          ErrorKind::kUsage,
          "the replay takes longer than 46 days of simulated time; check latency, bandwidth "
          "and processor ratio");
    }
    for (const Actor& actor : ranks_) {
      if (!actor.done) return Deadlock();
    }
    ReplayResult result;
    Picoseconds last = 0;
    std::size_t latest = 0;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (ranks_[i].clock > last) {
        last = ranks_[i].clock;
        latest = i;
      }
    }
    result.seconds = ToSeconds(last);
    result.ranks.reserve(ranks_.size());
    for (const Actor& actor : ranks_) {
      result.ranks.push_back({ToSeconds(actor.compute), ToSeconds(actor.wait + last - actor.clock),
                              ToSeconds(actor.transfer), ToSeconds(actor.clock)});
    }
    result.events = events_;
    result.messages = message_count_;
    table_.ForEach([&](std::uint32_t index) {
      const Message& message = messages_[index];
      if (result.unmatched++ > 0) return;
      result.first_unmatched = fmt::format("rank {} to rank {}, tag {}, {} bytes", message.key.from,
                                           message.key.to, message.key.tag, message.bytes);
    });
    if constexpr (Path::kTracks) result.path = PathOf(ranks_[latest], last);
    return result;
  }

 private:
  struct Request {
    Picoseconds done = kUnknownTime;
    Picoseconds partner = 0;  // when the other side was ready
    bool receives = false;
    bool within = false;
    bool waited = false;
    [[no_unique_address]] Path path;
  };

  // A rank, or a nonblocking collective of a rank.
  struct Actor {
    Picoseconds clock = 0;
    std::uint64_t next = 0;  // action
    std::vector<Request> requests;
    std::vector<Request> own;  // of blocking calls and collectives: numbers from kOwn
    std::uint64_t base = 0;    // the number of requests[0]
    std::uint32_t front = 0;   // requests before it were waited for
    std::int32_t step = -1;    // of the current collective; -1: none
    std::uint64_t wait_from = 0;
    std::uint64_t wait_to = 0;
    std::uint64_t reduced = 0;  // bytes to combine after the wait
    std::int32_t rank = 0;
    std::uint32_t owner = kNoIndex;  // of a nonblocking collective
    std::uint64_t owner_request = 0;
    Action collective;  // the current one, if `step` is not -1
    bool blocked = false;
    bool done = false;
    Picoseconds to_compute = 0;  // what is left of a burst; of ranks that share cores
    Picoseconds compute = 0;
    Picoseconds wait = 0;
    Picoseconds transfer = 0;
    [[no_unique_address]] Path path;
  };

  // Another type than Path: two members of one empty type would take space.
  struct ReceivePath : Path {
    ReceivePath() = default;
    ReceivePath& operator=(const Path& path) {
      Path::operator=(path);
      return *this;
    }
  };

  struct Message {
    MessageKey key;
    std::uint32_t next = kNoIndex;
    std::uint32_t last = kNoIndex;
    std::uint64_t bytes = 0;
    Picoseconds send_ready = kUnknownTime;
    Picoseconds receive_ready = kUnknownTime;
    Picoseconds arrival = kUnknownTime;
    std::uint64_t sender_request = 0;
    std::uint64_t receiver_request = 0;
    std::uint32_t sender = kNoIndex;  // waits until the message arrived
    std::uint32_t receiver = kNoIndex;
    bool eager = true;
    bool one_sided = false;
    [[no_unique_address]] Path path;
    [[no_unique_address]] ReceivePath receive_path;  // of the receiver, when it was ready
  };

  struct PathPart {
    std::uint32_t before;
    std::int32_t rank;
    Picoseconds from;
  };
  static constexpr std::uint64_t kOwn = std::uint64_t{1} << 62;
  // Only actors that proceed in order of time can share cores.
  static constexpr bool kMayShare = std::is_same_v<Queue, EventQueue>;
  static constexpr std::uint32_t kFirstCore = std::uint32_t{1} << 31;  // in the queue
  static constexpr std::size_t kMaxParts = 64'000'000;

  Actor& At(std::uint32_t id) {
    return id < ranks_.size() ? ranks_[id] : collectives_[id - ranks_.size()];
  }
  // With many ranks, each visit of one would wait for memory several times.
  void PrefetchActor(std::uint32_t id) const {
    if (id >= ranks_.size()) return;
    const char* const actor = reinterpret_cast<const char*>(&ranks_[id]);
    for (std::size_t line = 0; line < sizeof(Actor); line += 64) __builtin_prefetch(actor + line);
    __builtin_prefetch(&program_->ranks[id]);
  }
  // What an actor that is in the cache refers to.
  void PrefetchWork(std::uint32_t id) const {
    if (id >= ranks_.size()) return;
    const Actor& actor = ranks_[id];
    __builtin_prefetch(actor.own.data());
    __builtin_prefetch(actor.requests.data() + actor.front);
    const Action* const next = program_->ranks[id].data() + actor.next;
    // A visit takes about ten actions.
    for (std::size_t line = 0; line < 4; ++line) {
      __builtin_prefetch(reinterpret_cast<const char*>(next) + line * 64);
    }
  }
  void CountTurn() {
    if (((++turns_) & 0xfffff) == 0 && options_->stop && options_->stop()) {
      failed_ = true;
      stopped_ = true;
    }
  }
  bool IsWithin(std::int32_t a, std::int32_t b) const {
    return nodes_[static_cast<std::size_t>(a)] == nodes_[static_cast<std::size_t>(b)];
  }

  void PrepareCores();
  bool SharesCore(std::uint32_t id) const {
    if constexpr (!kMayShare) return false;
    return id < seats_.size() && seats_[id].core != kNoIndex;
  }
  // A core continues at this time, unless it does before.
  void Schedule(std::uint32_t core, Picoseconds time);
  void RunCore(std::uint32_t index, Picoseconds now, Picoseconds limit);
  // What a blocked rank waits for is there at this time.
  void MakeReady(std::uint32_t id, Picoseconds time);
  // When a blocked rank can continue, as far as it is known.
  Picoseconds ReadyTime(std::uint32_t id);
  // A rank that could continue at ReadyTime has the core at `time`.
  void Resume(std::uint32_t id, Picoseconds time);
  void CopyMessages(std::uint32_t id);
  void Leave(std::uint32_t id);
  // All that are due at `now`. Returns false if none is.
  bool MoveRanks(Picoseconds now);
  void Seize(std::uint32_t id, std::uint32_t core, Picoseconds ready, Picoseconds now);
  // Returns false if others have the core next.
  bool ComputeTurn(std::uint32_t id);

  std::uint32_t NewMessage() {
    if (free_ != kNoIndex) {
      const std::uint32_t index = free_;
      free_ = messages_[index].next;
      if (free_ != kNoIndex) PrefetchMessage(free_);
      messages_[index] = Message{};
      return index;
    }
    messages_.emplace_back();
    return static_cast<std::uint32_t>(messages_.size() - 1);
  }
  void Free(std::uint32_t index) {
    messages_[index].next = free_;
    free_ = index;
  }

  // Requests of the program count its nonblocking calls; blocking calls have `own` ones.
  std::uint64_t NewRequest(Actor& actor, bool own) {
    if (own) {
      actor.own.emplace_back();
      return kOwn + actor.own.size() - 1;
    }
    actor.requests.emplace_back();
    return actor.base + actor.requests.size() - 1;
  }
  Request& RequestAt(Actor& actor, std::uint64_t number) {
    return number >= kOwn ? actor.own[number - kOwn] : actor.requests[number - actor.base];
  }
  void Forget(Actor& actor) {
    if (actor.wait_to > kOwn) {
      actor.own.clear();
      return;
    }
    while (actor.front < actor.requests.size() && actor.requests[actor.front].waited) ++actor.front;
    if (actor.front == actor.requests.size()) {
      actor.base += actor.front;
      actor.requests.clear();
      actor.front = 0;
    } else if (actor.front >= 64 && actor.front * 2 >= actor.requests.size()) {
      actor.requests.erase(actor.requests.begin(), actor.requests.begin() + actor.front);
      actor.base += actor.front;
      actor.front = 0;
    }
  }

  void Complete(std::uint32_t id, std::uint64_t number, Picoseconds done, Picoseconds partner,
                const Message& message) {
    Actor& actor = At(id);
    Request& request = RequestAt(actor, number);
    request.done = done;
    request.partner = partner;
    if constexpr (Path::kTracks) request.path = message.path;
    if (!actor.blocked || actor.wait_from != number) return;
    if (SharesCore(id)) {
      MakeReady(id, done);
      return;
    }
    actor.blocked = false;
    queue_.Push(std::max(actor.clock, done), id);
  }

  void Spend(Actor& actor, Picoseconds overhead) {
    actor.clock += overhead;
    actor.transfer += overhead;
    if constexpr (Path::kTracks) actor.path.overhead += overhead;
  }

  void StartTransfer(std::uint32_t index, Picoseconds start, const MessageOrder& order) {
    const Message& message = messages_[index];
    ++message_count_;
    order_ = order;
    transport_->Start(*this, index, nodes_[static_cast<std::size_t>(message.key.from)],
                      nodes_[static_cast<std::size_t>(message.key.to)], message.bytes, start);
  }

  // The receiver must be ready. A request to send, and the permission, go before the message.
  void StartRendezvous(std::uint32_t index) {
    Message& message = messages_[index];
    const MessageOrder sent = OrderOfSend(message, message.sender, message.sender_request);
    const MessageOrder received{message.receive_ready, message.receiver, message.receiver_request};
    const MessageCosts& costs = IsWithin(message.key.from, message.key.to) ? within_ : between_;
    const Picoseconds latency = costs.latency;
    const Picoseconds asked = message.send_ready + latency;
    if (SharesCore(message.receiver) && IsWithin(message.key.from, message.key.to)) {
      if constexpr (Path::kTracks) message.path.latency += latency;
      seats_[message.receiver].copies.push_back({index, asked});
      if (ranks_[message.receiver].blocked) MakeReady(message.receiver, asked);
      return;
    }
    if constexpr (Path::kTracks) {
      if (asked >= message.receive_ready) {
        message.path.latency += 2 * latency;
      } else {
        message.path = message.receive_path;
        message.path.latency += latency;
      }
      message.path.overhead += costs.handshake;
    }
    StartTransfer(index, std::max(asked, message.receive_ready) + latency + costs.handshake,
                  std::max(sent, received));
  }
  // The overhead comes after the beginning of the call.
  MessageOrder OrderOfSend(const Message& message, std::uint32_t sender,
                           std::uint64_t request) const {
    const bool within = IsWithin(message.key.from, message.key.to);
    return {message.send_ready - (within ? within_ : between_).overhead, sender, request};
  }

  void StartSend(std::uint32_t id, Actor& actor, std::int32_t to, std::uint64_t bytes,
                 std::uint32_t context, std::int32_t tag, bool synchronous, bool own);

  void StartReceive(std::uint32_t id, Actor& actor, std::int32_t from, std::uint32_t context,
                    std::int32_t tag, bool own);

  void StartOneSided(std::uint32_t id, Actor& actor, const Action& action);

  void Compute(Actor& actor, std::uint64_t amount) {
    const auto& factors = options_->compute_factors;
    double duration = static_cast<double>(amount);
    if (!factors.empty()) {
      duration *=
          factors.size() == 1 ? factors.front() : factors[static_cast<std::size_t>(actor.rank)];
    }
    const Picoseconds time = FromSeconds(duration * 1e-12);
    if (SharesCore(static_cast<std::uint32_t>(actor.rank))) {
      actor.to_compute = time;
      return;
    }
    actor.clock += time;
    actor.compute += time;
    if constexpr (Path::kTracks) actor.path.compute += time;
  }

  // Returns false if a request is not complete.
  bool FinishWaits(std::uint32_t id, Actor& actor);

  void TakePath(Actor& actor, const Path& path) {
    actor.path = path;
    if (parts_.size() >= kMaxParts) return;
    if (parts_[path.node].rank == actor.rank) return;
    parts_.push_back({path.node, actor.rank, actor.clock});
    actor.path.node = static_cast<std::uint32_t>(parts_.size() - 1);
  }

  // The next step of the current collective; false if there is none.
  bool NextStep(std::uint32_t id, Actor& actor);

  void BeginCollective(Actor& actor, const Action& action);

  void EndCollective(Actor& actor);

  void BeginNonblocking(std::uint32_t id, Actor& actor, const Action& action);

  void EndNonblocking(std::uint32_t id, Actor& actor);

  void Act(std::uint32_t id, Actor& actor, const Action& action);

  // Whether others come before an actor at this time.
  bool MustYield(std::uint32_t id, Picoseconds clock, Picoseconds limit) const {
    if constexpr (std::is_same_v<Queue, EventQueue>) {
      return clock > limit || (!queue_.IsEmpty() && queue_.Top().Before({clock, id}));
    } else {
      return clock >= queue_.End();
    }
  }

  void Run(std::uint32_t id, Picoseconds limit);

  std::string WaitText(std::uint32_t id);

  std::unexpected<Error> Deadlock();

  CriticalPath PathOf(const Actor& actor, Picoseconds end) const;

  const MessageProgram* program_;
  const Network* network_;
  const ReplayOptions* options_;
  Transport* transport_;
  std::vector<std::uint32_t> nodes_;
  MessageCosts between_;
  MessageCosts within_;
  std::vector<Actor> ranks_;
  std::deque<Actor> collectives_;
  std::vector<std::uint32_t> free_collectives_;
  std::vector<Message> messages_;
  std::uint32_t free_ = kNoIndex;
  MessageTable<std::vector<Message>> table_;
  Queue queue_;
  MessageOrder order_;
  std::vector<Seat> seats_;         // by rank; empty if no ranks share cores
  std::vector<CoreInTurns> cores_;  // that ranks share
  std::size_t next_move_ = 0;
  std::vector<PathPart> parts_;
  std::uint64_t events_ = 0;
  std::uint64_t message_count_ = 0;
  std::uint64_t turns_ = 0;
  bool failed_ = false;
  bool stopped_ = false;
};

}  // namespace tare::replay
