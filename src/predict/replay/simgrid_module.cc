// simgrid_module.cc: messages as flows of SimGrid; everything else is the loop of replay_core.h.
// SimGrid 3.32 simulates without actors: timers and completed flows call the loop.
#include "predict/replay/simgrid_module.h"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <unordered_map>

#include "base/printable.h"
#include "predict/replay/replay_steps.h"
#include "predict/replay/replay_turns.h"

namespace tare::replay {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

// Latency of a link, so that neighbors have the latency of the network.
double LinkLatency(const Network& network, double links) {
  if (network.topology.link_latency > 0) return network.topology.link_latency;
  return network.between.latency.value / links;
}

std::vector<s4u::Host*> StarHosts(const Network& network, std::size_t nodes, bool backbone) {
  auto* zone = s4u::create_star_zone("network");
  s4u::Link* shared = nullptr;
  if (backbone) {
    shared = zone->create_link("backbone", network.topology.backbone_bandwidth);
    shared->set_latency(0.0);
    shared->seal();
  }
  std::vector<s4u::Host*> hosts;
  for (std::size_t node = 0; node < nodes; ++node) {
    auto* host = zone->create_host("host" + std::to_string(node), 1e9);
    host->seal();
    auto* link = zone->create_split_duplex_link("link" + std::to_string(node),
                                                network.between.bandwidth.value);
    link->set_latency(LinkLatency(network, 2));
    link->seal();
    std::vector<s4u::LinkInRoute> route = {s4u::LinkInRoute(link, s4u::LinkInRoute::Direction::UP)};
    if (shared != nullptr) route.emplace_back(shared);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, route, true);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

std::vector<s4u::Host*> Hosts(const Network& network, std::size_t nodes) {
  const Topology& topology = network.topology;
  if (topology.kind <= TopologyKind::kBackbone) {
    return StarHosts(network, nodes, topology.kind == TopologyKind::kBackbone);
  }
  std::vector<s4u::Host*> hosts;
  const auto add = [&](s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long id)
      -> std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*> {
    auto* host = zone->create_host("host" + std::to_string(id), 1e9);
    host->seal();
    hosts.push_back(host);
    return {host->get_netpoint(), nullptr};
  };
  const s4u::ClusterCallbacks callbacks(add);
  const double bandwidth = network.between.bandwidth.value;
  const auto sharing = s4u::Link::SharingPolicy::SPLITDUPLEX;
  const std::vector<unsigned> dimensions(topology.dimensions.begin(), topology.dimensions.end());
  s4u::NetZone* zone = nullptr;
  if (topology.kind == TopologyKind::kTorus) {
    const std::vector<unsigned long> sides(dimensions.begin(), dimensions.end());
    zone = s4u::create_torus_zone("network", nullptr, sides, callbacks, bandwidth,
                                  LinkLatency(network, 1), sharing);
  } else if (topology.kind == TopologyKind::kFatTree) {
    const std::vector<unsigned> parents(topology.parents.begin(), topology.parents.end());
    const std::vector<unsigned> cables(dimensions.size(), 1);
    const auto levels = static_cast<unsigned>(dimensions.size());
    zone = s4u::create_fatTree_zone("network", nullptr, {levels, dimensions, parents, cables},
                                    callbacks, bandwidth, LinkLatency(network, 2), sharing);
  } else {
    zone = s4u::create_dragonfly_zone(
        "network", nullptr,
        {{dimensions[0], 1}, {dimensions[1], 1}, {dimensions[2], 1}, dimensions[3]}, callbacks,
        bandwidth, LinkLatency(network, 2), sharing);
  }
  zone->seal();
  return hosts;
}

class FlowTransport {
 public:
  explicit FlowTransport(std::vector<s4u::Host*> hosts) : hosts_(std::move(hosts)) {}

  template <typename Core>
  void Start(Core& core, std::uint32_t message, std::uint32_t from, std::uint32_t to,
             std::uint64_t bytes, Picoseconds start) {
    if (from == to) return ArriveWithin(core, message, bytes, start);
    const MessageCosts& costs = core.Between();
    const Flow flow{message, start, costs.latency, costs.Transmission(bytes)};
    const double at = ToSeconds(start);
    if (at <= s4u::Engine::get_clock()) {
      Launch(flow, from, to, bytes);
    } else {
      Timer::set(at, [this, flow, from, to, bytes] { Launch(flow, from, to, bytes); });
    }
  }

  struct Flow {
    std::uint32_t message;
    Picoseconds start;
    Picoseconds latency;
    Picoseconds transmission;
  };

  // The flow that ended; its handle lives until the caller has left the signal.
  bool Take(const s4u::Activity& activity, Flow& flow) {
    const auto at = flows_.find(&activity);
    if (at == flows_.end()) return false;
    flow = at->second.second;
    ended_.push_back(std::move(at->second.first));
    flows_.erase(at);
    return true;
  }
  void DropEnded() { ended_.clear(); }

 private:
  void Launch(const Flow& flow, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    auto comm = s4u::Comm::sendto_init(hosts_[from], hosts_[to]);
    // SimGrid never completes a flow of no bytes.
    comm->set_payload_size(std::max<std::uint64_t>(bytes, 1));
    flows_.emplace(comm.get(), std::pair(comm, flow));
    comm->vetoable_start();
  }

  std::vector<s4u::Host*> hosts_;
  std::unordered_map<const s4u::Activity*, std::pair<s4u::CommPtr, Flow>> flows_;
  std::vector<s4u::CommPtr> ended_;
};

template <typename Path>
Result<ReplayResult> SimulateFlows(const MessageProgram& program, const Network& network,
                                   const ReplayOptions& options) {
  TRY(auto nodes, NodesOf(network, program.Size(), program.nodes));
  const std::size_t count = std::size_t{*std::ranges::max_element(nodes)} + 1;
  std::string name = "tare";
  std::string quiet = "--log=root.thresh:critical";
  std::array<char*, 3> words = {name.data(), quiet.data(), nullptr};
  int argc = 2;
  const s4u::Engine engine(&argc, words.data());
  // Plain flows: no corrections for TCP on the wide-area networks of SimGrid's default.
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/TCP-gamma:0");
  s4u::Engine::set_config("network/crosstraffic:0");
  s4u::Engine::set_config("surf/precision:1e-12");
  FlowTransport transport(Hosts(network, count));
  ReplayCore<Path, FlowTransport> core(program, network, std::move(nodes), options, transport);
  double planned = -1;
  std::function<void()> advance = [&] {
    while (core.HasNext()) {
      const double now = s4u::Engine::get_clock();
      const double next = ToSeconds(core.NextTime());
      if (next > now) {
        if (planned < 0 || next < planned || planned <= now) {
          planned = next;
          Timer::set(next, [&] { advance(); });
        }
        return;
      }
      core.RunUntil(std::max(core.NextTime(), FromSeconds(now)));
    }
  };
  s4u::Activity::on_completion_cb([&](const s4u::Activity& activity) {
    FlowTransport::Flow flow;
    if (!transport.Take(activity, flow)) return;
    const Picoseconds now = FromSeconds(s4u::Engine::get_clock());
    const Picoseconds plain = flow.latency + flow.transmission;
    core.Arrived(flow.message, now, flow.latency, flow.transmission,
                 std::max<Picoseconds>(now - flow.start - plain, 0), true);
    // Not from within the signal: the flow that ended is still in SimGrid's hands.
    Timer::set(s4u::Engine::get_clock(), [&] {
      transport.DropEnded();
      advance();
    });
  });
  Timer::set(0, [&] { advance(); });
  engine.run();
  return core.Finish();
}

Result<ReplayResult> InThisProcess(const MessageProgram& program, const Network& network,
                                   const ReplayOptions& options) {
  return options.with_path ? SimulateFlows<TrackedPath>(program, network, options)
                           : SimulateFlows<NoPath>(program, network, options);
}

}  // namespace
}  // namespace tare::replay

const std::size_t TareSimGridSizes = tare::replay::kSimGridSizesHere;

void TareSimGridReplay(const tare::replay::SimGridCall& call) {
  using tare::replay::InThisProcess;
  try {
    *call.result = InThisProcess(*call.program, *call.network, *call.options);
  } catch (const std::exception& error) {
    const std::string_view text = error.what();
    *call.result =
        tare::Fail(tare::ErrorKind::kUnsupported,
                   fmt::format("SimGrid: {}", tare::Printable(text.substr(0, text.find('\n')))));
  }
}
