/* traced.c: figure 6.8 of Lilja, Measuring Computer Performance: a call of a trace routine after
 * each statement of a program that computes a confidence interval. `traced [N]` does it for N
 * numbers (default: 10). The routine prints the statement and the time; here `tare events record
 * --by source` stores both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/events.h>

#define TRACE(i) TARE_TIMED_EVENT("statement " #i)

/* The z below which the standard normal distribution has this share. */
static double unit_normal(double share) {
  double low = -10;
  double high = 10;
  for (int i = 0; i < 60; ++i) {
    const double z = (low + high) / 2;
    if (erfc(-z / sqrt(2)) / 2 < share)
      low = z;
    else
      high = z;
  }
  return (low + high) / 2;
}

int main(int argc, char** argv) {
  const long given = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
  const long n = given < 2 ? 2 : given > 1000000 ? 1000000 : given;
  const double alpha = 0.05;
  double* const x = malloc(((size_t)n + 1) * sizeof *x);
  if (x == NULL) return 1;
  for (long i = 1; i <= n; ++i) x[i] = (double)(i % 10);

  double sum_x = 0.0;
  TRACE(1);
  double sum_xx = 0.0;
  TRACE(2);
  for (long i = 1; i <= n; i++) {
    TRACE(3);
    sum_x += x[i];
    TRACE(4);
    sum_xx += x[i] * x[i];
    TRACE(5);
  }
  const double mean = sum_x / (double)n;
  TRACE(6);
  const double var = ((double)n * sum_xx - sum_x * sum_x) / ((double)n * (double)(n - 1));
  TRACE(7);
  const double std_dev = sqrt(var);
  TRACE(8);
  const double z_p = unit_normal(1 - 0.5 * alpha);
  TRACE(9);
  const double half_int = z_p * std_dev / sqrt((double)n);
  TRACE(10);
  const double c1 = mean - half_int;
  TRACE(11);
  const double c2 = mean + half_int;
  TRACE(12);

  printf("%.4f (%.4f to %.4f)\n", mean, c1, c2);
  free(x);
  return 0;
}
