// calls.h: declarations that two translation units share.
#pragma once

static inline int small(int n) { return n + 1; }

extern int uses_of_twice;

// Defined in one unit, inlined in the others.
inline int twice(int n) {
  uses_of_twice++;
  return 2 * n;
}

int elsewhere(int n);
