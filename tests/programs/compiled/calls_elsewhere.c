// calls_elsewhere.c: functions that are called from this unit and from another.
#include "calls.h"

int uses_of_twice;
extern inline int twice(int n);

int elsewhere(int n) { return n == 0 ? small(n) : elsewhere(n - 1); }
