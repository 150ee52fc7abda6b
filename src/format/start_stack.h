/* start_stack.h: the initial stack of a new program, and how an engine fixes its contents, so that
 * the program sees the same processor, the same random bytes and the same stack alignment in every
 * engine.
 *
 * The layout is that of QEMU, because a QEMU plugin cannot move the stack pointer and the other
 * engines can. From the page-aligned top downwards: eight bytes; the file name; the environment;
 * the arguments; the platform name, rounded up to eight bytes; sixteen random bytes, aligned to
 * sixteen; argc, argv, envp and the auxiliary vector (getauxval(3)), aligned to sixteen as the
 * psABI requires. */
#pragma once

#include <stdint.h>

#if defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

enum {
  TARE_AT_NULL = 0,
  TARE_AT_PLATFORM = 15,
  TARE_AT_HWCAP = 16,
  TARE_AT_RANDOM = 25,
  TARE_AT_HWCAP2 = 26,
  TARE_AT_EXECFN = 31
};

/* Engines interpret variables with these prefixes as their own settings. To hide the target's
 * variables from them, the first letter is replaced by one with which no variable starts. */
#define TARE_VALGRIND_PREFIX "VALGRIND_"
#define TARE_QEMU_PREFIX "QEMU_"
#define TARE_HIDDEN_LETTER '\x01'

/* Restores the first letter of a hidden variable with that prefix. */
static inline void tare_show_variable(char* variable, const char* prefix) {
  if (variable[0] != TARE_HIDDEN_LETTER) return;
  for (int i = 1; prefix[i] != 0; ++i) {
    if (variable[i] != prefix[i]) return;
  }
  variable[0] = prefix[0];
}

struct tare_start_stack {
  uint64_t* arguments;   /* argv[0] and following, terminated by 0 */
  uint64_t* environment; /* terminated by 0 */
  uint64_t* auxiliary;   /* pairs, terminated by AT_NULL */
};

/* `stack` must point to argc. */
static inline struct tare_start_stack tare_find_start_stack(uint64_t* stack) {
  struct tare_start_stack found;
  found.arguments = stack + 1;
  found.environment = found.arguments + stack[0] + 1;
  uint64_t* word = found.environment;
  while (*word != 0) ++word;
  found.auxiliary = word + 1;
  return found;
}

/* Byte `i` of the fixed random bytes (AT_RANDOM) that every program gets. */
static inline uint8_t tare_pinned_random(int i) { return (uint8_t)(0x11 * i); }

/* Masks processor features (AT_HWCAP) and fixes the random bytes in place. `shift` is added to an
 * address of the guest to access it. */
static inline void tare_pin_auxiliary(uint64_t* auxiliary, uint64_t hwcap_mask,
                                      uint64_t hwcap2_mask, uint64_t shift) {
  for (uint64_t* pair = auxiliary; pair[0] != TARE_AT_NULL; pair += 2) {
    if (pair[0] == TARE_AT_HWCAP) pair[1] &= hwcap_mask;
    if (pair[0] == TARE_AT_HWCAP2) pair[1] &= hwcap2_mask;
    if (pair[0] == TARE_AT_RANDOM) {
      uint8_t* bytes = (uint8_t*)(uintptr_t)(pair[1] + shift);
      for (int i = 0; i < 16; ++i) bytes[i] = tare_pinned_random(i);
    }
  }
}

/* A new layout of an initial stack. Addresses are the program's; add from_shift to access them. */
struct tare_stack_layout {
  const struct tare_start_stack* from;
  uint64_t from_shift;
  uint64_t top;   /* new, page-aligned */
  uint8_t* image; /* a copy of [top - room, top) */
  uint64_t room;
  uint64_t place; /* the next byte is placed below this address */
  int full;
};

static inline uint8_t* tare_stack_at(struct tare_stack_layout* layout, uint64_t address) {
  return layout->image + (address - (layout->top - layout->room));
}

/* Copies a string below the previous data and returns its new address. */
static inline uint64_t tare_stack_put(struct tare_stack_layout* layout, uint64_t string,
                                      uint64_t rounding) {
  const uint8_t* text = (const uint8_t*)(uintptr_t)(string + layout->from_shift);
  uint64_t length = 1;
  while (text[length - 1] != 0) ++length;
  const uint64_t taken = (length + rounding - 1) & ~(rounding - 1);
  if (layout->full || layout->place - taken < layout->top - layout->room) {
    layout->full = 1;
    return 0;
  }
  layout->place -= taken;
  uint8_t* to = tare_stack_at(layout, layout->place);
  for (uint64_t i = 0; i < length; ++i) to[i] = text[i];
  return layout->place;
}

#if defined(__aarch64__)
enum { TARE_AUXILIARY_WORDS = 38 };
#else
enum { TARE_AUXILIARY_WORDS = 36 };
#endif

/* The pair with that type, or 0. */
static inline const uint64_t* tare_auxiliary_pair(const uint64_t* pair, uint64_t type) {
  for (; pair[0] != TARE_AT_NULL; pair += 2) {
    if (pair[0] == type) return pair;
  }
  return 0;
}

static inline uint64_t tare_auxiliary_value(const uint64_t* auxiliary, uint64_t type) {
  const uint64_t* pair = tare_auxiliary_pair(auxiliary, type);
  return pair == 0 ? 0 : pair[1];
}

/* The n-th type of auxiliary vector entry that QEMU passes to a 64-bit program, in its order, or
 * TARE_AT_NULL after the last. All other entries are dropped, in particular the vDSO, which no
 * emulator provides. */
static inline uint64_t tare_auxiliary_type(unsigned n) {
  static const uint64_t types[] = {3,  4,           5,  6,  7,  8,  9,  11,
                                   12, 13,          14, 16, 17, 25, 23, 31,
#if defined(__aarch64__)
                                   26,
#endif
                                   15, TARE_AT_NULL};
  return types[n];
}

/* Lays out everything below layout->top. Returns the new stack pointer, or 0 if there is not enough
 * room. */
static inline uint64_t tare_lay_out_stack(struct tare_stack_layout* layout, uint64_t hwcap_mask) {
  const struct tare_start_stack* from = layout->from;
  uint64_t argument_count = 0;
  uint64_t variable_count = 0;
  while (from->arguments[argument_count] != 0) ++argument_count;
  while (from->environment[variable_count] != 0) ++variable_count;
  const uint64_t words = 1 + argument_count + 1 + variable_count + 1 + TARE_AUXILIARY_WORDS;

  layout->full = 0;
  layout->place = layout->top - 8;
  const uint64_t old_name = tare_auxiliary_value(from->auxiliary, TARE_AT_EXECFN);
  const uint64_t old_platform = tare_auxiliary_value(from->auxiliary, TARE_AT_PLATFORM);
  const uint64_t name = old_name == 0 ? 0 : tare_stack_put(layout, old_name, 1);
  /* The strings are placed before the table of their addresses, so a second pass computes the
   * addresses. */
  uint64_t place = layout->place;
  for (uint64_t i = variable_count; i-- > 0;) tare_stack_put(layout, from->environment[i], 1);
  for (uint64_t i = argument_count; i-- > 0;) tare_stack_put(layout, from->arguments[i], 1);
  const uint64_t platform = old_platform == 0 ? 0 : tare_stack_put(layout, old_platform, 8);
  const uint64_t random = (layout->place & ~UINT64_C(15)) - 16;
  const uint64_t stack = (random - 8 * words) & ~UINT64_C(15);
  if (layout->full || stack < layout->top - layout->room || stack > layout->top) return 0;

  for (int i = 0; i < 16; ++i) tare_stack_at(layout, random)[i] = tare_pinned_random(i);
  uint64_t* table = (uint64_t*)(void*)tare_stack_at(layout, stack);
  for (uint64_t i = 0; i < words; ++i) table[i] = 0;
  table[0] = argument_count;
  uint64_t* variables = table + 1 + argument_count + 1;
  for (uint64_t i = variable_count; i-- > 0;) {
    const uint8_t* text = (const uint8_t*)(uintptr_t)(from->environment[i] + layout->from_shift);
    while (*text++ != 0) --place;
    variables[i] = --place;
  }
  for (uint64_t i = argument_count; i-- > 0;) {
    const uint8_t* text = (const uint8_t*)(uintptr_t)(from->arguments[i] + layout->from_shift);
    while (*text++ != 0) --place;
    table[1 + i] = --place;
  }
  uint64_t* pair = variables + variable_count + 1;
  for (unsigned i = 0; tare_auxiliary_type(i) != TARE_AT_NULL; ++i) {
    const uint64_t type = tare_auxiliary_type(i);
    const uint64_t* old = tare_auxiliary_pair(from->auxiliary, type);
    /* Valgrind omits AT_HWCAP2. */
    if (old == 0 && type != TARE_AT_HWCAP2) continue;
    pair[0] = type;
    pair[1] = type == TARE_AT_HWCAP2 ? 0 : old[1];
    if (type == TARE_AT_EXECFN) pair[1] = name;
    if (type == TARE_AT_PLATFORM) pair[1] = platform;
    if (type == TARE_AT_RANDOM) pair[1] = random;
    if (type == TARE_AT_HWCAP) pair[1] &= hwcap_mask;
    pair += 2;
  }
  return stack;
}

#if defined(__cplusplus)
#pragma GCC diagnostic pop
#endif
