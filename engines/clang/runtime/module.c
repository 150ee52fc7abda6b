/* module.c: describes the module's own image: its counters, its address range, its path. */
#include "module.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "system_call.h"

#define WEAK_HIDDEN __attribute__((weak, visibility("hidden")))

extern const uint8_t __start_tare_counters[] WEAK_HIDDEN;
extern const uint8_t __stop_tare_counters[] WEAK_HIDDEN;
extern const uint8_t __start_tare_units[] WEAK_HIDDEN;
extern const uint8_t __stop_tare_units[] WEAK_HIDDEN;
/* Defined by the linker: the first byte of the module in memory. */
extern const Elf64_Ehdr __ehdr_start WEAK_HIDDEN;

#define MAX_BANKS 4096
#define MIN_BANKS 256
/* Address space, not memory; but mlockall(2) would make it resident. */
#define MAX_BANK_BYTES (UINT64_C(1) << 30)

/* Minimum size of an instrumented function. */
#define MIN_FUNCTION_BYTES 32
#define MIN_FUNCTIONS 512
#define MAX_FUNCTIONS (UINT64_C(1) << 17)

static uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31);
}

/* AT_RANDOM seeds the stack protector, so its bytes must not be recoverable from the number. Their
 * address is included because other engines fix the bytes. */
static uint64_t image_number(void) {
  const uint8_t* random = (const uint8_t*)getauxval(AT_RANDOM);
  uint64_t number = (uint64_t)random;
  for (int i = 0; random != 0 && i < 16; ++i) number = mixed(number * 257 + random[i]);
  return mixed(number) | 1;
}

static void read_program_headers(struct tare_module* module) {
  const uint8_t* base = (const uint8_t*)&__ehdr_start;
  if (base == 0) return;
  const Elf64_Phdr* headers = (const Elf64_Phdr*)(const void*)(base + __ehdr_start.e_phoff);
  for (unsigned i = 0; i < __ehdr_start.e_phnum; ++i) {
    const Elf64_Phdr* header = &headers[i];
    if (header->p_type != PT_LOAD) continue;
    if (header->p_offset == 0) module->plan.load_bias = (uint64_t)base - header->p_vaddr;
    if ((header->p_flags & PF_X) != 0) module->text_bytes += header->p_memsz;
  }
  module->plan.is_library = getauxval(AT_PHDR) != (uint64_t)headers;
}

static void plan_functions(struct tare_module* module) {
  if (&tare_runtime_has_hooks == 0) return;
  uint64_t slots = MIN_FUNCTIONS;
  while (slots < MAX_FUNCTIONS && slots < module->text_bytes / MIN_FUNCTION_BYTES) slots *= 2;
  module->plan.function_slots = slots;
  module->plan.functions_room = 2 * slots;
}

TARE_HIDDEN void tare_runtime_describe(struct tare_module* module) {
  struct tare_counters_header* plan = &module->plan;
  plan->version = TARE_COUNTERS_VERSION;
#if defined(__aarch64__)
  plan->architecture = EM_AARCH64;
#else
  plan->architecture = EM_X86_64;
#endif
  plan->process = (uint64_t)TARE_CALL0(getpid);
  plan->image = image_number();
  read_program_headers(module);
  module->page_bytes = getauxval(AT_PAGESZ);
  module->counters_bytes = (uint64_t)(__stop_tare_counters - __start_tare_counters);
  plan->counters_address = (uint64_t)__start_tare_counters;
  plan->units_address = (uint64_t)__start_tare_units;
  plan->units_bytes = (uint64_t)(__stop_tare_units - __start_tare_units);
  plan->function_slot = module->counters_bytes / sizeof(uint64_t);
  plan_functions(module);
  plan->slots = plan->function_slot + plan->function_slots;
  plan->bank_bytes = tare_round_up(plan->slots * sizeof(uint64_t), 4096);
  if (plan->bank_bytes == 0) plan->bank_bytes = 4096;
  plan->banks = MAX_BANKS;
  while (plan->banks > MIN_BANKS && plan->banks * plan->bank_bytes > MAX_BANK_BYTES) {
    plan->banks /= 2;
  }
}

TARE_HIDDEN void tare_runtime_lay_out(struct tare_module* module) {
  struct tare_counters_header* plan = &module->plan;
  uint64_t length = 0;
  while (module->path[length] != 0) ++length;
  plan->path_at = 4096;
  plan->path_bytes = length + 1;
  plan->units_at = plan->path_at + TARE_PATH_ROOM;
  plan->owners_at = plan->units_at + tare_round_up(plan->units_bytes, 4096);
  plan->functions_at = plan->owners_at + tare_round_up(plan->banks * sizeof(uint64_t), 4096);
  plan->samples_at =
      plan->functions_at + plan->functions_room * sizeof(struct tare_counters_function);
  plan->samples_at = tare_round_up(plan->samples_at, 4096);
  const uint64_t samples_bytes = plan->samples_room * plan->sample_values * sizeof(uint64_t);
  plan->banks_at = tare_round_up(plan->samples_at + samples_bytes, TARE_LARGEST_PAGE);
  module->file_bytes = plan->banks_at + plan->banks * plan->bank_bytes;
  const uint64_t shared = tare_round_up(module->file_bytes, TARE_LARGEST_PAGE);
  module->region_bytes =
      TARE_LARGEST_PAGE + shared + tare_round_up(plan->bank_bytes, TARE_LARGEST_PAGE);
}

static uint64_t hexadecimal(const char** text) {
  uint64_t value = 0;
  for (;; ++*text) {
    const char digit = **text;
    if (digit >= '0' && digit <= '9') {
      value = value * 16 + (uint64_t)(digit - '0');
    } else if (digit >= 'a' && digit <= 'f') {
      value = value * 16 + (uint64_t)(digit - 'a' + 10);
    } else {
      return value;
    }
  }
}

/* "START-END rwxp OFFSET DEVICE INODE   PATH": whether the range contains the address; then copies
 * the path. */
static int path_of_line(const char* line, uint64_t address, char* path) {
  const uint64_t start = hexadecimal(&line);
  if (*line != '-') return 0;
  ++line;
  const uint64_t end = hexadecimal(&line);
  if (address < start || address >= end) return 0;
  while (*line != '/' && *line != 0) ++line;
  path[0] = 0;
  return tare_append(path, TARE_PATH_ROOM, line);
}

/* Uses AT_EXECFN, the path given to execve(2), where /proc is missing. */
static void path_from_kernel(struct tare_module* module) {
  const char* called = (const char*)getauxval(AT_EXECFN);
  if (module->plan.is_library || called == 0) return;
  if (!tare_append(module->path, TARE_PATH_ROOM, called)) module->path[0] = 0;
}

struct wanted_path {
  uint64_t address;
  char* path;
};

static int is_wanted_line(const char* line, void* wanted) {
  const struct wanted_path* const path = wanted;
  return path_of_line(line, path->address, path->path);
}

TARE_HIDDEN void tare_runtime_find_path(struct tare_module* module) {
  struct wanted_path wanted = {(uint64_t)&tare_runtime_find_path, module->path};
  if (!tare_runtime_find_piece(module, "/proc/self/maps", '\n', is_wanted_line, &wanted)) {
    path_from_kernel(module);
  }
}

TARE_HIDDEN int tare_runtime_find_piece(struct tare_module* module, const char* name, char end,
                                        int (*is_wanted)(const char*, void*), void* context) {
  char* const text = module->text;
  const uint64_t room = sizeof module->text;
  const long file = TARE_CALL4(openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
  int found = 0;
  int skips = 0; /* inside a piece that was too long */
  uint64_t used = 0;
  while (!tare_call_failed(file) && !found) {
    const long got = TARE_CALL3(read, file, text + used, room - used);
    if (got <= 0) break;
    used += (uint64_t)got;
    uint64_t start = 0;
    for (uint64_t i = start; i < used && !found; ++i) {
      if (text[i] != end) continue;
      text[i] = 0;
      found = !skips && is_wanted(text + start, context);
      skips = 0;
      start = i + 1;
    }
    if (start == 0 && used == room) {
      skips = 1;
      start = used;
    }
    for (uint64_t i = start; i < used; ++i) text[i - start] = text[i];
    used -= start;
  }
  if (!tare_call_failed(file)) TARE_CALL1(close, file);
  return found;
}
