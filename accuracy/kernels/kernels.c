// kernels.c: computing kernels whose working set and repetitions are chosen on the command line.
// kernels NAME BYTES REPETITIONS: runs the kernel so often on a working set of about BYTES.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile double sink;

static uint64_t state = 88172645463325252u;

static uint64_t Random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void *Allocate(size_t bytes) {
  void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory == NULL) exit(3);
  memset(memory, 0, bytes);
  return memory;
}

static void Triad(size_t bytes, long repetitions) {
  const size_t n = bytes / 24;
  double *a = Allocate(n * 8), *b = Allocate(n * 8), *c = Allocate(n * 8);
  for (size_t i = 0; i < n; ++i) b[i] = (double)i, c[i] = 1;
  for (long r = 0; r < repetitions; ++r) {
    const double factor = (double)r;
    for (size_t i = 0; i < n; ++i) a[i] = b[i] + factor * c[i];
    sink = a[n / 2];
  }
}

// Compressed rows of eight numbers each, in random columns.
static void Spmv(size_t bytes, long repetitions) {
  const size_t rows = bytes / (8 * 12 + 20) + 1;
  double *values = Allocate(rows * 8 * 8), *x = Allocate(rows * 8), *y = Allocate(rows * 8);
  int *columns = Allocate(rows * 8 * 4), *starts = Allocate((rows + 1) * 4);
  for (size_t i = 0; i < rows * 8; ++i) values[i] = 1, columns[i] = (int)(Random() % rows);
  for (size_t i = 0; i <= rows; ++i) starts[i] = (int)(8 * i);
  for (size_t i = 0; i < rows; ++i) x[i] = (double)i;
  for (long r = 0; r < repetitions; ++r) {
    for (size_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (int k = starts[i]; k < starts[i + 1]; ++k) sum += values[k] * x[columns[k]];
      y[i] = sum;
    }
    sink = y[rows / 2];
  }
}

// As in the HPC Challenge: exclusive or into random words. One repetition makes as many updates as
// there are words.
static void Updates(size_t bytes, long repetitions) {
  size_t words = 1;
  while (words * 16 <= bytes) words *= 2;
  uint64_t *table = Allocate(words * 8);
  uint64_t x = 1;
  for (long r = 0; r < repetitions; ++r) {
    for (size_t i = 0; i < words; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      table[(x >> 20) & (words - 1)] ^= x;
    }
  }
  sink = (double)table[words / 2];
}

// One random cycle of nodes of a line each. One repetition goes around once.
struct Node {
  struct Node *next;
  long key;
  char rest[48];
};

static void Chase(size_t bytes, long repetitions) {
  const size_t n = bytes / sizeof(struct Node);
  struct Node *nodes = Allocate(n * sizeof(struct Node));
  uint32_t *order = malloc(n * 4);
  for (size_t i = 0; i < n; ++i) order[i] = (uint32_t)i;
  for (size_t i = n - 1; i > 0; --i) {
    const size_t j = Random() % (i + 1);
    const uint32_t t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
  for (size_t i = 0; i < n; ++i) nodes[order[i]].next = &nodes[order[(i + 1) % n]];
  free(order);
  const struct Node *at = nodes;
  long sum = 0;
  for (long r = 0; r < repetitions; ++r) {
    for (size_t i = 0; i < n; ++i) {
      sum += at->key;
      at = at->next;
    }
  }
  sink = (double)sum;
}

static void Matmul(size_t bytes, long repetitions) {
  size_t n = 4;
  while ((n + 4) * (n + 4) * 24 <= bytes) n += 4;
  double *a = Allocate(n * n * 8), *b = Allocate(n * n * 8), *c = Allocate(n * n * 8);
  for (size_t i = 0; i < n * n; ++i) a[i] = 1, b[i] = (double)i;
  for (long r = 0; r < repetitions; ++r) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < n; ++k) {
        const double factor = a[i * n + k];
        for (size_t j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
      }
    }
    sink = c[n];
  }
}

static void Stencil(size_t bytes, long repetitions) {
  size_t n = 8;
  while ((n + 8) * (n + 8) * 16 <= bytes) n += 8;
  double *from = Allocate(n * n * 8), *to = Allocate(n * n * 8);
  for (size_t i = 0; i < n * n; ++i) from[i] = (double)i;
  for (long r = 0; r < repetitions; ++r) {
    for (size_t i = 1; i + 1 < n; ++i) {
      for (size_t j = 1; j + 1 < n; ++j) {
        to[i * n + j] = 0.2 * (from[i * n + j] + from[i * n + j - 1] + from[i * n + j + 1] +
                               from[(i - 1) * n + j] + from[(i + 1) * n + j]);
      }
    }
    double *t = from;
    from = to;
    to = t;
  }
  sink = from[n + 1];
}

// Radix 2, in place, with a table of roots.
static void Fft(size_t bytes, long repetitions) {
  size_t n = 4;
  while (n * 2 * 24 <= bytes) n *= 2;
  double *re = Allocate(n * 8), *im = Allocate(n * 8), *roots = Allocate(n * 8);
  for (size_t i = 0; i < n; ++i) re[i] = (double)(i % 7), roots[i] = 1.0 / (double)(i + 1);
  for (long r = 0; r < repetitions; ++r) {
    for (size_t half = 1; half < n; half *= 2) {
      const size_t step = n / (2 * half);
      for (size_t start = 0; start < n; start += 2 * half) {
        for (size_t k = 0; k < half; ++k) {
          const size_t i = start + k, j = i + half;
          const double wr = roots[k * step], wi = roots[n / 2 + k * step];
          const double xr = re[j] * wr - im[j] * wi, xi = re[j] * wi + im[j] * wr;
          re[j] = re[i] - xr;
          im[j] = im[i] - xi;
          re[i] += xr;
          im[i] += xi;
        }
      }
    }
    // Keeps the numbers normal.
    for (size_t i = 0; i < n; ++i) re[i] *= 0x1p-12, im[i] *= 0x1p-12;
    for (size_t i = 0; i < n; ++i) re[i] += 1, im[i] += 1;
  }
  sink = re[1] + im[n / 2];
}

static void Quicksort(uint32_t *a, long n) {
  while (n > 16) {
    const uint32_t pivot = a[n / 2];
    long i = 0, j = n - 1;
    while (i <= j) {
      while (a[i] < pivot) ++i;
      while (a[j] > pivot) --j;
      if (i > j) break;
      const uint32_t t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
    if (j + 1 < n - i) {
      Quicksort(a, j + 1);
      a += i;
      n -= i;
    } else {
      Quicksort(a + i, n - i);
      n = j + 1;
    }
  }
  for (long i = 1; i < n; ++i) {
    const uint32_t x = a[i];
    long j = i;
    for (; j > 0 && a[j - 1] > x; --j) a[j] = a[j - 1];
    a[j] = x;
  }
}

static void Sort(size_t bytes, long repetitions) {
  const size_t n = bytes / 8;
  uint32_t *from = Allocate(n * 4), *a = Allocate(n * 4);
  for (size_t i = 0; i < n; ++i) from[i] = (uint32_t)Random();
  for (long r = 0; r < repetitions; ++r) {
    memcpy(a, from, n * 4);
    a[0] ^= (uint32_t)r;
    Quicksort(a, (long)n);
  }
  sink = a[n / 2];
}

// Builds a hash table of half as many keys as it has places, and looks up twice as many.
struct Entry {
  uint64_t key;
  uint64_t value;
};

static void Join(size_t bytes, long repetitions) {
  size_t places = 16;
  while (places * 2 * sizeof(struct Entry) <= bytes) places *= 2;
  struct Entry *table = Allocate(places * sizeof(struct Entry));
  uint64_t sum = 0;
  for (long r = 0; r < repetitions; ++r) {
    memset(table, 0, places * sizeof(struct Entry));
    uint64_t x = 1;
    for (size_t i = 0; i < places / 2; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      const uint64_t key = x >> 16 | 1;
      size_t at = (key * 0x9e3779b97f4a7c15u >> 20) & (places - 1);
      while (table[at].key != 0 && table[at].key != key) at = (at + 1) & (places - 1);
      table[at].key = key;
      table[at].value = i;
    }
    x = 1;
    for (size_t i = 0; i < places; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      const uint64_t key = x >> 16 | 1;
      size_t at = (key * 0x9e3779b97f4a7c15u >> 20) & (places - 1);
      while (table[at].key != 0 && table[at].key != key) at = (at + 1) & (places - 1);
      sum += table[at].value;
    }
  }
  sink = (double)sum;
}

static const struct {
  const char *name;
  void (*run)(size_t bytes, long repetitions);
} kKernels[] = {
    {"triad", Triad},   {"spmv", Spmv},       {"updates", Updates}, {"chase", Chase},
    {"matmul", Matmul}, {"stencil", Stencil}, {"fft", Fft},         {"sort", Sort},
    {"join", Join},
};

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: kernels NAME BYTES REPETITIONS\n");
    return 2;
  }
  const size_t bytes = strtoull(argv[2], NULL, 10);
  const long repetitions = strtol(argv[3], NULL, 10);
  for (size_t i = 0; i < sizeof kKernels / sizeof *kKernels; ++i) {
    if (strcmp(kKernels[i].name, argv[1]) != 0) continue;
    if (bytes < 4096 || repetitions < 1) return 2;
    kKernels[i].run(bytes, repetitions);
    return 0;
  }
  fprintf(stderr, "kernels: no kernel '%s'\n", argv[1]);
  return 2;
}
