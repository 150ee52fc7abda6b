// check.cc: the last words of a program that found a bug in itself.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tare {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tare: internal error: %s does not hold at %s:%d; please report this\n",
               condition, file, line);
  std::abort();
}

}  // namespace tare
