// network_change.h: networks and processors as users change them: "latency=1us..100us,cpu=x2".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/replay/network.h"

namespace tare::replay {

// A network and processors that are `cpu` times as fast.
struct Machine {
  Network network;
  double cpu = 1;
  bool one_node = false;  // all ranks are on one node: changes of links are those within it
};

struct ChangedMachine {
  std::string text;  // the changes, separated by ", "
  Machine machine;
  double x = 0;  // the value of the range; 0 if there is none
};

// The machines of one --whatif.
struct ChangeSeries {
  std::string ranged;  // "latency"; empty: there is no range, and one machine
  std::string unit;    // of x
  std::vector<ChangedMachine> machines;
};

// kUsage for unknown names, impossible values and more than one range.
Result<ChangeSeries> ChangesOf(std::string_view text, const Machine& machine);

}  // namespace tare::replay
