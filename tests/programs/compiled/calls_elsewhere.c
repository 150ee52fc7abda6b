// calls_elsewhere.c: defined here, called there and here.
#include "calls.h"

int uses_of_twice;
extern inline int twice(int n);

int elsewhere(int n) { return n == 0 ? small(n) : elsewhere(n - 1); }
