// network_survey.cc: reads the lines of the ping-pong and fits LogGP to them.
#include "predict/replay/network_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "base/printable.h"

namespace tare::replay {
namespace {

bool IsPlausible(double seconds) { return seconds > 0 && seconds < 1000; }

// The median of the time per additional byte from each size to the next, weighted by the share of
// the larger message's time. Differences and a median, because traffic shapers let the first bytes
// pass at full speed.
double TimePerByte(const PairSurvey& survey, double Uncertain::* which, double fixed,
                   double latency) {
  struct Step {
    double per_byte;
    double weight;
  };
  std::vector<Step> steps;
  double total = 0;
  double bytes = 0;
  double transmission = 0;
  for (const MessageTime& time : survey.times) {
    const double measured = time.seconds.*which;
    const double base = fixed + (time.bytes > survey.eager_limit ? 2 * latency : 0);
    const double more_bytes = static_cast<double>(time.bytes) - bytes;
    const double more_time = measured - base - transmission;
    bytes += more_bytes;
    transmission += more_time;
    if (more_bytes <= 0 || more_time <= 0) continue;
    steps.push_back({more_time / more_bytes, more_time / measured});
    total += steps.back().weight;
  }
  constexpr double kMinCost = 1e-13;  // 10 TB/s
  std::ranges::sort(steps, {}, &Step::per_byte);
  double below = 0;
  for (const Step& step : steps) {
    below += step.weight;
    if (below >= total / 2) return std::max(step.per_byte, kMinCost);
  }
  return survey.times.empty() ? 1e-9 : kMinCost;
}

PairSurvey* PairOf(NetworkSurvey& survey, std::string_view name) {
  if (name == "between") return &survey.between;
  if (name == "within") return &survey.within;
  if (name == "crowd") return &survey.crowd;
  return name == "shared" ? &survey.shared : nullptr;
}

// In a round trip of a crowd, each of the others has one turn, in which it finds nothing. So a
// message takes half of these turns longer than between two ranks, whose messages take a hand-over
// and two overheads.
void ShareCores(const NetworkSurvey& survey, Network& network) {
  network.time_slice = survey.time_slice;
  const Uncertain& shared = survey.shared.times.front().seconds;
  const auto less = [](const Uncertain& from, double seconds) {
    const auto one = [&](double value) { return std::max(value - seconds, 0.0); };
    return Uncertain{one(from.value), one(from.low), one(from.high)};
  };
  if (survey.crowd.times.empty() || survey.crowd_ranks <= 2) {
    network.hand_over = less(shared, 2 * network.within.overhead.value);
    return;
  }
  const double others = (survey.crowd_ranks - 2) / 2.0;
  const Uncertain more = less(survey.crowd.times.front().seconds, shared.value);
  network.hand_over = {more.value / others, more.low / others, more.high / others};
  const Uncertain overheads = less(shared, network.hand_over.value);
  network.shared_overhead = {overheads.value / 2, overheads.low / 2, overheads.high / 2};
}

}  // namespace

Result<NetworkSurvey> ParseSurvey(std::string_view text) {
  NetworkSurvey survey;
  bool ended = false;
  std::istringstream lines{std::string(text)};
  std::string line;
  std::size_t number = 0;
  while (std::getline(lines, line)) {
    ++number;
    const auto fail = [&] {
      return Fail(ErrorKind::kFormat, fmt::format("line {} of the ping-pong is not one: '{}'",
                                                  number, Printable(line)));
    };
    std::istringstream words(line);
    std::string first;
    std::string what;
    words >> first;
    if (first == "end") {
      ended = true;
      continue;
    }
    if (first == "reduction") {
      if (!(words >> survey.reduction) || !(survey.reduction > 0)) return fail();
      continue;
    }
    if (first == "ranks") {
      std::string nodes;
      std::string cores;
      if (!(words >> survey.ranks >> nodes >> survey.nodes >> cores >> survey.cores)) return fail();
      continue;
    }
    if (first == "slice") {
      if (!(words >> survey.time_slice) || !IsPlausible(survey.time_slice)) return fail();
      continue;
    }
    if (first == "crowded") {
      if (!(words >> survey.crowd_ranks)) return fail();
      continue;
    }
    PairSurvey* const found = PairOf(survey, first);
    if (found == nullptr || !(words >> what)) return fail();
    PairSurvey& pair = *found;
    if (what == "time") {
      MessageTime time;
      if (!(words >> time.bytes >> time.seconds.value >> time.seconds.low >> time.seconds.high) ||
          !IsPlausible(time.seconds.low) || time.seconds.low > time.seconds.value ||
          time.seconds.value > time.seconds.high || !IsPlausible(time.seconds.high)) {
        return fail();
      }
      pair.times.push_back(time);
    } else if (what == "overhead") {
      if (!(words >> pair.send_overhead >> pair.receive_overhead) || pair.send_overhead < 0 ||
          pair.receive_overhead < 0) {
        return fail();
      }
    } else if (what == "eager") {
      if (!(words >> pair.eager_limit)) return fail();
    } else {
      return fail();
    }
  }
  if (!ended || (survey.within.times.empty() && survey.between.times.empty())) {
    return Fail(ErrorKind::kFormat, "the ping-pong did not finish");
  }
  return survey;
}

namespace {

// The median of what the parameters leave over of sizes that are above the eager limit, but small.
double HandshakeOf(const PairSurvey& survey, const LinkCosts& costs) {
  constexpr std::uint64_t kMaxSmall = 65536;
  std::vector<double> rests;
  for (const MessageTime& time : survey.times) {
    if (time.bytes <= survey.eager_limit || time.bytes > kMaxSmall) continue;
    rests.push_back(time.seconds.value - ModelTime(costs, survey.eager_limit, time.bytes));
  }
  if (rests.empty()) return 0;
  std::ranges::sort(rests);
  return std::max(rests[rests.size() / 2], 0.0);
}

}  // namespace

LinkCosts CostsOf(const PairSurvey& survey) {
  LinkCosts costs;
  const Uncertain& smallest = survey.times.front().seconds;
  // Calls of a loop overlap what a single message cannot, so at most a third of its time each.
  const double overhead =
      std::min((survey.send_overhead + survey.receive_overhead) / 2, smallest.value / 3);
  costs.overhead = Certain(overhead);
  const auto latency = [&](double time) { return std::max(time - 2 * overhead, 0.0); };
  costs.latency = {latency(smallest.value), latency(smallest.low), latency(smallest.high)};
  const double fixed = costs.latency.value + 2 * overhead;
  const auto bandwidth = [&](double Uncertain::* which) {
    return 1 / TimePerByte(survey, which, fixed, costs.latency.value);
  };
  const double value = bandwidth(&Uncertain::value);
  costs.bandwidth = {value, std::min(value, bandwidth(&Uncertain::high)),
                     std::max(value, bandwidth(&Uncertain::low))};
  costs.gap = Certain(0);
  costs.handshake = Certain(HandshakeOf(survey, costs));
  return costs;
}

Result<Network> NetworkOf(const NetworkSurvey& survey, const std::string& name) {
  Network network;
  network.name = name;
  network.source = fmt::format("ping-pong of tare, {} ranks on {} node{}", survey.ranks,
                               survey.nodes, survey.nodes == 1 ? "" : "s");
  const bool has_between = !survey.between.times.empty();
  const PairSurvey& main = has_between ? survey.between : survey.within;
  network.between = CostsOf(main);
  network.within = survey.within.times.empty() ? network.between : CostsOf(survey.within);
  network.eager_limit = main.eager_limit;
  network.reduction = survey.reduction;
  network.cores = survey.cores;
  if (!survey.shared.times.empty()) ShareCores(survey, network);
  if (!has_between) network.nodes = 1;
  TRY_VOID(CheckNetwork(network));
  return network;
}

double ModelTime(const LinkCosts& costs, std::uint64_t eager_limit, std::uint64_t bytes) {
  const double handshake =
      bytes > eager_limit ? 2 * costs.latency.value + costs.handshake.value : 0;
  return 2 * costs.overhead.value + costs.latency.value + handshake +
         static_cast<double>(bytes) / costs.bandwidth.value;
}

}  // namespace tare::replay
