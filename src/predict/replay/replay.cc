// replay.cc: chooses the engine, and splits the efficiency.
#include "predict/replay/replay.h"

#include <algorithm>
#include <numeric>

#include "predict/replay/loggp.h"
#include "predict/replay/simgrid_engine.h"

namespace tare::replay {

std::string_view Name(Engine engine) { return engine == Engine::kLogGp ? "loggp" : "simgrid"; }

Result<ReplayResult> Replay(const MessageProgram& program, const Network& network,
                            const ReplayOptions& options) {
  TRY_VOID(CheckNetwork(network));
  if (program.ranks.empty()) return Fail(ErrorKind::kFormat, "the trace has no ranks");
  if (options.engine == Engine::kSimGrid && options.simgrid.empty()) {
    return Fail(ErrorKind::kUnsupported,
                "there is no module tare-simgrid.so beside tare; install libsimgrid-dev and build "
                "tare again, or use --engine loggp");
  }
  for (const double factor : options.compute_factors) {
    if (!(factor >= 0) || factor > 1e9) {
      return Fail(ErrorKind::kUsage, "a processor ratio must be positive");
    }
  }
  if (options.compute_factors.size() > 1 &&
      options.compute_factors.size() != program.ranks.size()) {
    return Fail(ErrorKind::kUsage, "give one processor ratio, or one for each rank");
  }
  return options.engine == Engine::kLogGp ? ReplayWithLogGp(program, network, options)
                                          : ReplayWithSimGrid(program, network, options);
}

Efficiency EfficiencyOf(const ReplayResult& real, const ReplayResult& ideal) {
  double sum = 0;
  double most = 0;
  for (const RankTime& rank : real.ranks) {
    sum += rank.compute;
    most = std::max(most, rank.compute);
  }
  const double mean = real.ranks.empty() ? 0 : sum / static_cast<double>(real.ranks.size());
  const auto ratio = [](double a, double b) { return b > 0 ? a / b : 1.0; };
  return {ratio(mean, real.seconds), ratio(mean, most), ratio(most, ideal.seconds),
          ratio(ideal.seconds, real.seconds)};
}

}  // namespace tare::replay
