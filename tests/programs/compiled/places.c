// places.c: lines, loops and blocks. The test finds lines by their trailing comments.
#include <stdio.h>

static int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {  // counted loop
    sum += i;                    // its body
  }
  int left = n;
  while (left > 0 && sum >= 0) {  // with two tests
    left--;
    if (left % 2 == 0) continue;
    sum++;  // of the odd
  }
  int again = 0;
  do {  // until
    again++;
  } while (again < n);
  for (;;) {  // for ever
    if (++again > 20) break;
  }
  while (1) {  // endless
    if (again-- < 15) break;
  }
  for (int i = 0; i < n; ++i) {    // outer
    for (int k = 0; k < i; ++k) {  // inner
      if (k == 2) break;
      sum += k;
    }
  }
  switch (n) {
    case 1:
    case 2:
      sum++;  // few
      break;
    default:
      sum--;  // many
  }
backwards:
  if (again++ < 30) goto backwards;  // goto
  return sum > 0 ? sum : -sum;       // at the end
}

int main(void) {
  int sum = 0;
  for (int n = 0; n < 6; ++n) sum += work(n);
  printf("%d\n", sum);
  return 0;
}
