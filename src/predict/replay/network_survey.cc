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

// The time per byte that minimizes the relative errors of all sizes, with the rest given.
double TimePerByte(const PairSurvey& survey, double Uncertain::* which, double fixed,
                   double latency) {
  double numerator = 0;
  double denominator = 0;
  for (const MessageTime& time : survey.times) {
    if (time.bytes == 0) continue;
    const double measured = time.seconds.*which;
    const double base = fixed + (time.bytes > survey.eager_limit ? 2 * latency : 0);
    const double x = static_cast<double>(time.bytes) / measured;
    numerator += x * (1 - base / measured);
    denominator += x * x;
  }
  constexpr double kMinCost = 1e-13;  // 10 TB/s
  return denominator > 0 ? std::max(numerator / denominator, kMinCost) : 1e-9;
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
    if ((first != "within" && first != "between") || !(words >> what)) return fail();
    PairSurvey& pair = first == "within" ? survey.within : survey.between;
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
  if (!has_between) network.nodes = 1;
  TRY_VOID(CheckNetwork(network));
  return network;
}

double ModelTime(const LinkCosts& costs, std::uint64_t eager_limit, std::uint64_t bytes) {
  const double handshake = bytes > eager_limit ? 2 * costs.latency.value : 0;
  return 2 * costs.overhead.value + costs.latency.value + handshake +
         static_cast<double>(bytes) / costs.bandwidth.value;
}

}  // namespace tare::replay
