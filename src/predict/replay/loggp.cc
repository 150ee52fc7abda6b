// loggp.cc: a message takes the first free link of its sender, bus, and link of its receiver.
#include "predict/replay/loggp.h"

#include "predict/replay/replay_steps.h"

namespace tare::replay {
namespace {

// Times at which equal resources become free.
Picoseconds& FirstFree(std::span<Picoseconds> free) {
  Picoseconds* first = free.data();
  for (Picoseconds& one : free) {
    if (one < *first) first = &one;
  }
  return *first;
}

class LinkTransport {
 public:
  LinkTransport(const Network& network, std::size_t nodes)
      : links_out_(network.links_out), links_in_(network.links_in) {
    out_.resize(nodes * links_out_);
    in_.resize(nodes * links_in_);
    buses_.resize(network.buses);
  }

  template <typename Core>
  void Start(Core& core, std::uint32_t message, std::uint32_t from, std::uint32_t to,
             std::uint64_t bytes, Picoseconds start) {
    if (from == to) {
      const MessageCosts& costs = core.Within();
      const Picoseconds transmission = costs.Transmission(bytes);
      core.Arrived(message, start + costs.latency + transmission, costs.latency, transmission, 0,
                   false);
      return;
    }
    const MessageCosts& costs = core.Between();
    const Picoseconds transmission = costs.Transmission(bytes);
    const Picoseconds busy = std::max(transmission, costs.gap);
    Picoseconds begin = start;
    Picoseconds none = 0;
    Picoseconds& out = links_out_ == 0 ? none : FirstFree(Of(out_, from, links_out_));
    Picoseconds& bus = buses_.empty() ? none : FirstFree(buses_);
    Picoseconds& in = links_in_ == 0 ? none : FirstFree(Of(in_, to, links_in_));
    begin = std::max({begin, out, bus, in - costs.latency});
    if (&out != &none) out = begin + busy;
    if (&bus != &none) bus = begin + busy;
    if (&in != &none) in = begin + costs.latency + busy;
    core.Arrived(message, begin + costs.latency + transmission, costs.latency, transmission,
                 begin - start, true);
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

template <typename Path>
Result<ReplayResult> Simulate(const MessageProgram& program, const Network& network,
                              const ReplayOptions& options) {
  TRY(auto nodes, NodesOf(network, program.Size(), program.nodes));
  const std::size_t count = std::size_t{*std::ranges::max_element(nodes)} + 1;
  LinkTransport transport(network, count);
  ReplayCore<Path, LinkTransport> core(program, network, std::move(nodes), options, transport);
  core.RunUntil(kMaxTime);
  return core.Finish();
}

}  // namespace

Result<ReplayResult> ReplayWithLogGp(const MessageProgram& program, const Network& network,
                                     const ReplayOptions& options) {
  return options.with_path ? Simulate<TrackedPath>(program, network, options)
                           : Simulate<NoPath>(program, network, options);
}

}  // namespace tare::replay
