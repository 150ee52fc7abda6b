// updates.c: every way to change a variable or a member.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct Point {
  int x;
  int y;
};

union Number {
  int whole;
  float real;
};

typedef struct {
  int first;
  struct Point place;
  struct Point corners[4];
  unsigned low : 3;
  unsigned high : 5;
  union Number number;
  union {
    long as_long;
    double as_double;
  };
  struct {
    int deep;
  } inner;
  char text[16];
} State;

int total;
static int hidden[10];
struct Point origin;
State state;
_Atomic int shared;
__thread int own;
extern int outer;
extern struct Point outer_point;
int outer = 1;
struct Point outer_point = {1, 2};

static int next(void) {
  static int calls;
  return ++calls;
}

__attribute__((noinline)) static void through_pointer(State* to, union Number* number, int n) {
  to->first = n;
  to->place.y = n;
  to->corners[n % 4].x = n;
  to->low = (unsigned)n & 7U;
  to->high = (unsigned)n & 31U;
  to->number.real = 1.5F;
  to->as_long = n;
  to->inner.deep = n;
  number->whole = n;
}

int main(void) {
  for (int i = 0; i < 10; ++i) {
    total += i;
    hidden[i] = i;
  }
  for (int i = 0; i < 3; ++i) next();
  origin.x = 1;
  origin.y = 2;
  origin.x = 3;
  struct Point copy = origin;
  origin = copy;
  memset(hidden, 0, sizeof hidden);
  for (int i = 0; i < 6; ++i) through_pointer(&state, &state.number, i);
  state.first = 9;
  state.high = 0;
  memcpy(state.text, "text", 5);
  State local;
  memset(&local, 0, sizeof local);
  local.first = 1;
  state = local;
  atomic_fetch_add(&shared, 2);
  int expected = 2;
  atomic_compare_exchange_strong(&shared, &expected, 5);
  expected = 2;
  atomic_compare_exchange_strong(&shared, &expected, 6);
  own = 4;
  own++;
  outer = 2;
  outer_point.y = 3;
  printf("%d %d %d %d %d\n", total, origin.x, state.first, shared, own + outer + outer_point.y);
  return 0;
}
