// derived.cc: verdicts of derived numbers.
#include "base/derived.h"

namespace tare {

Measured WithWorstVerdict(Measured derived, std::initializer_list<Measured> from) {
  for (const Measured& part : from) {
    if (part.verdict <= derived.verdict) continue;
    derived.verdict = part.verdict;
    derived.reason = part.reason;
  }
  return derived;
}

}  // namespace tare
