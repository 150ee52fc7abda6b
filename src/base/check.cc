// check.cc: prints the failed CHECK and aborts.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tare {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tare: internal error: check failed: %s at %s:%d; please report this\n",
               condition, file, line);
  std::abort();
}

}  // namespace tare
