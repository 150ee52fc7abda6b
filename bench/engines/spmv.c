/* spmv.c: repeatedly multiplies a sparse matrix of 200,000 rows with 16 entries each by a
 * vector. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 200000, kPerRow = 16 };

static uint64_t state = 1;

static uint32_t Next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33);
}

int main(int argc, char** argv) {
  const int products = argc > 1 ? atoi(argv[1]) : 120;
  uint32_t* columns = malloc(sizeof *columns * kRows * kPerRow);
  double* values = malloc(sizeof *values * kRows * kPerRow);
  double* x = malloc(sizeof *x * kRows);
  double* y = malloc(sizeof *y * kRows);
  if (!columns || !values || !x || !y) return 1;
  for (int i = 0; i < kRows * kPerRow; ++i) {
    /* Mostly near the diagonal, as in matrices of meshes. */
    const uint32_t row = (uint32_t)(i / kPerRow);
    columns[i] = i % kPerRow < 12 ? (row + Next() % 64) % kRows : Next() % kRows;
    values[i] = (double)(Next() % 1000) / 16000.0;
  }
  for (int i = 0; i < kRows; ++i) x[i] = 1.0;
  for (int product = 0; product < products; ++product) {
    for (int row = 0; row < kRows; ++row) {
      double sum = 0;
      for (int i = row * kPerRow; i < (row + 1) * kPerRow; ++i) sum += values[i] * x[columns[i]];
      y[row] = sum;
    }
    double* swap = x;
    x = y;
    y = swap;
  }
  printf("%.6g\n", x[kRows / 2]);
  return 0;
}
