// mpi_clocks.h: puts the events of all ranks on a common clock.
#pragma once

#include <vector>

#include "base/caveat.h"
#include "format/mpi_trace.h"

namespace tare::mpi {

// Fills trace.clocks. Processes of one host share its clock. Between hosts, a message cannot arrive
// before it was sent: messages in both directions bound the offset from both sides. Without them
// the hosts' dates decide, and a caveat is added.
void AlignMpiClocks(format::MpiTrace& trace, std::vector<Caveat>& caveats);

}  // namespace tare::mpi
