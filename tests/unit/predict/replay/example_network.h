// example_network.h: a network with round figures, so that times can be computed by hand.
#pragma once

#include "predict/replay/network.h"

namespace tare::replay {

// Latency 10 us, 1 GB/s (1 ns per byte), overhead 1 us, each rank on its own node.
inline Network RoundNetwork() {
  Network network;
  network.name = "round";
  network.between = {Certain(10e-6), Certain(1e9), Certain(1e-6), Certain(0), Certain(0)};
  network.within = {Certain(1e-6), Certain(10e9), Certain(0.5e-6), Certain(0), Certain(0)};
  network.eager_limit = 10'000;
  network.ranks_per_node = 1;
  return network;
}

}  // namespace tare::replay
