// loggp.cc: a message takes the first free link of its sender, bus, and link of its receiver.
#include "predict/replay/loggp.h"

#include "predict/replay/replay_steps.h"
#include "predict/replay/replay_turns.h"
#include "predict/replay/window_queue.h"

namespace tare::replay {
namespace {

// Of the times at which equal resources become free.
Picoseconds& FirstFree(std::span<Picoseconds> free) {
  Picoseconds* first = free.data();
  for (Picoseconds& one : free) {
    if (one < *first) first = &one;
  }
  return *first;
}

// When links, buses and ports are free, and what a message takes of them.
class SharedLinks {
 public:
  SharedLinks(const Network& network, std::size_t nodes)
      : links_out_(network.links_out), links_in_(network.links_in) {
    out_.resize(nodes * links_out_);
    in_.resize(nodes * links_in_);
    buses_.resize(network.buses);
  }

  bool IsUnlimited() const { return links_out_ == 0 && links_in_ == 0 && buses_.empty(); }

  // When the message begins to move, if it is ready at `start` and occupies links for `busy`.
  Picoseconds Take(std::uint32_t from, std::uint32_t to, Picoseconds start, Picoseconds latency,
                   Picoseconds busy) {
    Picoseconds none = 0;
    Picoseconds& out = links_out_ == 0 ? none : FirstFree(Of(out_, from, links_out_));
    Picoseconds& bus = buses_.empty() ? none : FirstFree(buses_);
    Picoseconds& in = links_in_ == 0 ? none : FirstFree(Of(in_, to, links_in_));
    const Picoseconds begin = std::max({start, out, bus, in - latency});
    if (&out != &none) out = begin + busy;
    if (&bus != &none) bus = begin + busy;
    if (&in != &none) in = begin + latency + busy;
    return begin;
  }

 private:
  static std::span<Picoseconds> Of(std::vector<Picoseconds>& free, std::uint32_t node,
                                   std::size_t links) {
    return std::span(free).subspan(node * links, links);
  }

  std::size_t links_out_;
  std::size_t links_in_;
  std::vector<Picoseconds> out_;
  std::vector<Picoseconds> in_;
  std::vector<Picoseconds> buses_;
};

// For actors that proceed in order of time.
class LinkTransport {
 public:
  LinkTransport(const Network& network, std::size_t nodes) : links_(network, nodes) {}

  template <typename Core>
  void Start(Core& core, std::uint32_t message, std::uint32_t from, std::uint32_t to,
             std::uint64_t bytes, Picoseconds start) {
    if (from == to) return ArriveWithin(core, message, bytes, start);
    const MessageCosts& costs = core.Between();
    const Picoseconds transmission = costs.Transmission(bytes);
    const Picoseconds begin =
        links_.Take(from, to, start, costs.latency, std::max(transmission, costs.gap));
    core.Arrived(message, begin + costs.latency + transmission, costs.latency, transmission,
                 begin - start, true);
  }

 private:
  SharedLinks links_;
};

// For actors that proceed window by window. A message that leaves in a window arrives after it,
// because a window is no longer than the latency. So all messages of a window are known at its end,
// and take links in order of time then.
class WindowTransport {
 public:
  WindowTransport(const Network& network, std::size_t nodes) : links_(network, nodes) {}

  template <typename Core>
  void Start(Core& core, std::uint32_t message, std::uint32_t from, std::uint32_t to,
             std::uint64_t bytes, Picoseconds start) {
    if (from == to) return ArriveWithin(core, message, bytes, start);
    const MessageCosts& costs = core.Between();
    const Picoseconds transmission = costs.Transmission(bytes);
    if (links_.IsUnlimited()) {
      core.Arrived(message, start + costs.latency + transmission, costs.latency, transmission, 0,
                   true);
      return;
    }
    const MessageOrder& order = core.Order();
    turns_.push_back({order.time, order.actor, static_cast<std::uint32_t>(leaving_.size())});
    leaving_.push_back({start, transmission, order.request, message, from, to});
  }

  template <typename Core>
  void Flush(Core& core) {
    if (leaving_.empty()) return;
    const MessageCosts& costs = core.Between();
    std::ranges::sort(turns_, [this](const Turn& a, const Turn& b) {
      if (a.time != b.time) return a.time < b.time;
      if (a.actor != b.actor) return a.actor < b.actor;
      return leaving_[a.index].request < leaving_[b.index].request;
    });
    for (const Turn& turn : turns_) {
      Leaving& message = leaving_[turn.index];
      message.begin = links_.Take(message.from, message.to, message.start, costs.latency,
                                  std::max(message.transmission, costs.gap));
    }
    // In the order in which they left, which is that of the memory of their ranks.
    constexpr std::size_t kAhead = 6;
    for (std::size_t i = 0; i < leaving_.size(); ++i) {
      if (i + 2 * kAhead < leaving_.size()) core.PrefetchMessage(leaving_[i + 2 * kAhead].message);
      if (i + kAhead < leaving_.size()) core.PrefetchReceiver(leaving_[i + kAhead].message);
      const Leaving& message = leaving_[i];
      core.Arrived(message.message, message.begin + costs.latency + message.transmission,
                   costs.latency, message.transmission, message.begin - message.start, true);
    }
    turns_.clear();
    leaving_.clear();
  }

 private:
  struct Leaving {
    Picoseconds start;
    Picoseconds transmission;
    std::uint64_t request;
    std::uint32_t message;
    std::uint32_t from;
    std::uint32_t to;
    Picoseconds begin = 0;
  };
  // Small, because it is sorted.
  struct Turn {
    Picoseconds time;
    std::uint32_t actor;
    std::uint32_t index;
  };

  SharedLinks links_;
  std::vector<Leaving> leaving_;
  std::vector<Turn> turns_;
};

// The longest windows that do not change the result; 0: actors must proceed in order of time.
// Cores are taken in order of time. Messages that take no time could be sent and received at one
// time in one window.
Picoseconds WindowOf(const Network& network, bool shared_nodes) {
  if (network.cores != 0) return 0;
  if (network.links_out == 0 && network.links_in == 0 && network.buses == 0) return kMaxTime;
  if (shared_nodes && MessageCosts(network.within).latency == 0) return 0;
  return MessageCosts(network.between).latency;
}

template <typename Path>
Result<ReplayResult> Simulate(const MessageProgram& program, const Network& network,
                              const ReplayOptions& options) {
  TRY(auto nodes, NodesOf(network, program.Size(), program.nodes));
  const std::size_t count = std::size_t{*std::ranges::max_element(nodes)} + 1;
  const Picoseconds window = WindowOf(network, count < nodes.size());
  if (window == 0) {
    LinkTransport transport(network, count);
    ReplayCore<Path, LinkTransport> core(program, network, std::move(nodes), options, transport);
    core.RunUntil(kMaxTime);
    return core.Finish();
  }
  WindowTransport transport(network, count);
  ReplayCore<Path, WindowTransport, WindowQueue> core(program, network, std::move(nodes), options,
                                                      transport, WindowQueue(window));
  core.RunWindows();
  return core.Finish();
}

}  // namespace

Result<ReplayResult> ReplayWithLogGp(const MessageProgram& program, const Network& network,
                                     const ReplayOptions& options) {
  return options.with_path ? Simulate<TrackedPath>(program, network, options)
                           : Simulate<NoPath>(program, network, options);
}

}  // namespace tare::replay
