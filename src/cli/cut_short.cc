// cut_short.cc: the user or a time limit ended the program.
#include "cli/cut_short.h"

namespace tare::cli {

std::vector<Caveat> WhyCutShort(const run::Ended& ended) {
  if (ended.interrupted) return {{CaveatId::kIncomplete, "interrupted by the user"}};
  if (ended.how == run::Ended::How::kTimedOut)
    return {{CaveatId::kIncomplete, "the run timed out"}};
  return {};
}

}  // namespace tare::cli
