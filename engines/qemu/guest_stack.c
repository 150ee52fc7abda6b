/* guest_stack.c: finds and fixes the guest's auxiliary vector, and restores variable names. */
#include "guest_stack.h"

#include <stdio.h>
#include <string.h>

#include "format/start_stack.h"

/* AT_PHENT is always the size of a 64-bit ELF program header. */
enum { kAtHeaderSize = 4, kHeaderSize = 56, kAtPageSize = 6, kAtEntry = 9, kMaxTypes = 64 };

/* Returns the vector's first pair. It is preceded by a zero word and the last environment
 * pointer. */
static uint64_t* FirstPair(uint64_t* pair, const uint64_t* low) {
  while (pair - 2 >= low && pair[-2] > 0 && pair[-2] < kMaxTypes) pair -= 2;
  return pair;
}

static bool IsVector(const uint64_t* pair, const uint64_t* end) {
  unsigned seen = 0;
  for (; pair + 1 < end && pair[0] > 0 && pair[0] < kMaxTypes; pair += 2) {
    seen += pair[0] == kAtPageSize || pair[0] == kAtEntry || pair[0] == TARE_AT_RANDOM ||
            pair[0] == TARE_AT_HWCAP;
  }
  return seen == 4 && pair + 1 < end && pair[0] == TARE_AT_NULL;
}

static uint64_t* FindVector(uint64_t* low, uint64_t* high) {
  for (uint64_t* word = high - 2; word > low; --word) {
    if (word[0] != kAtHeaderSize || word[1] != kHeaderSize) continue;
    uint64_t* first = FirstPair(word, low);
    if (IsVector(first, high)) return first;
  }
  return NULL;
}

/* The environment pointers end directly below the vector. */
static void ShowVariables(const uint64_t* vector, const uint64_t* low, uint64_t guest_base) {
  for (const uint64_t* pointer = vector - 2; pointer >= low && *pointer != 0; --pointer) {
    tare_show_variable((char*)(uintptr_t)(*pointer + guest_base), TARE_QEMU_PREFIX);
  }
}

bool guest_prepare_stack(uint64_t guest_base, const uint64_t* hwcap_mask) {
  static char line[4400];
  FILE* maps = fopen("/proc/self/maps", "re");
  if (maps == NULL) return false;
  bool found = false;
  while (!found && fgets(line, sizeof line, maps) != NULL) {
    unsigned long long start, end, inode;
    char mode[8];
    if (sscanf(line, "%llx-%llx %7s %*x %*x:%*x %llu", &start, &end, mode, &inode) < 4) continue;
    if (strcmp(mode, "rw-p") != 0 || inode != 0 || strchr(line, '[') != NULL) continue;
    uint64_t* low = (uint64_t*)(uintptr_t)start;
    uint64_t* vector = FindVector(low, (uint64_t*)(uintptr_t)end);
    if (vector == NULL) continue;
    if (hwcap_mask != NULL) tare_pin_auxiliary(vector, *hwcap_mask, 0, guest_base);
    ShowVariables(vector, low, guest_base);
    found = true;
  }
  fclose(maps);
  return found;
}
