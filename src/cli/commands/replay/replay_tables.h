// replay_tables.h: tables, plots and sentences of a replay.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/whatif_tables.h"
#include "predict/replay/network_change.h"
#include "predict/replay/replay.h"
#include "predict/replay/scaling.h"
#include "predict/replay/traffic.h"
#include "report/document.h"

namespace tare::cli {

// Everything that one trace says about one machine.
struct ReplayedTrace {
  std::string program;
  std::string network;
  replay::Engine engine = replay::Engine::kLogGp;
  Measured time;
  double recorded = 0;  // seconds; 0: unknown
  replay::ReplayResult result;
  replay::Efficiency efficiency;
  std::vector<WhatIfTime> limits;  // the processor, latency and bandwidth twice as good
  double latency_step = 0;         // seconds that the change of the latency removes
};

std::string ReplayAnswer(const ReplayedTrace& replayed);
std::string ScalingLimit(const ReplayedTrace& replayed);

report::Table ResultTable(const ReplayedTrace& replayed);
// At most `top` ranks, the first and the slowest; 0: all.
report::Table RankTable(const ReplayedTrace& replayed, std::size_t top);
report::Table EfficiencyTable(const ReplayedTrace& replayed);
report::Table PathTable(const ReplayedTrace& replayed);
report::Table SensitivityTable(const ReplayedTrace& replayed);
// Where the critical path runs: a lane for each rank of it.
report::Timeline PathTimeline(const ReplayedTrace& replayed);
report::Bars RankBars(const ReplayedTrace& replayed, std::size_t top);

report::Table PairTable(const replay::Traffic& traffic, std::size_t top);
report::Table SizeTable(const replay::Traffic& traffic);
report::Table CollectiveTable(const replay::Traffic& traffic);

// A trace of a scaling study, or an extrapolation.
struct ScalingRow {
  std::int32_t ranks = 0;
  Measured time;
  std::string origin;  // "replayed", "extrapolated", "synthesized", or the change of the machine
  double recorded = 0;
  double efficiency = 0;
};
// From the fewest ranks to the most that were recorded, and what is extrapolated for the most.
std::string ScalingAnswer(std::span<const ScalingRow> rows);
report::Table ScalingTable(std::span<const ScalingRow> rows, bool weak);
report::Series ScalingPlot(std::span<const ScalingRow> rows);

}  // namespace tare::cli
