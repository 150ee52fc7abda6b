/* process_header.c: what the header of a file states about its process. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "checksum.h"
#include "recorder.h"

#if defined(__x86_64__)
#define TARE_ARCHITECTURE EM_X86_64
#elif defined(__aarch64__)
#define TARE_ARCHITECTURE EM_AARCH64
#else
#error "unknown architecture"
#endif

/* When this library was loaded. */
static uint64_t loaded_ns;

__attribute__((constructor)) static void loaded(void) { loaded_ns = tare_now(); }

uint64_t tare_loaded_ns(void) { return loaded_ns; }

static void read_text(const char* path, char* to, size_t room) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t bytes = read(file, to, room - 1);
  close(file);
  if (bytes > 0) to[strcspn(to, "\n")] = 0;
}

/* The program comes first among the objects that dl_iterate_phdr reports. */
static int find_build_id(struct dl_phdr_info* object, size_t size, void* to) {
  (void)size;
  char* text = to;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    const char* at = (const char*)(object->dlpi_addr + segment->p_vaddr);
    const char* end = at + segment->p_memsz;
    while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr)* note = (const ElfW(Nhdr)*)at;
      const char* name = at + sizeof *note;
      const char* data = name + ((note->n_namesz + 3) & ~3u);
      if (data + note->n_descsz > end) break;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
          note->n_descsz <= 32) {
        for (uint32_t byte = 0; byte < note->n_descsz; ++byte) {
          snprintf(text + 2 * byte, 3, "%02x", (unsigned char)data[byte]);
        }
        return 1;
      }
      at = data + ((note->n_descsz + 3) & ~3u);
    }
  }
  return 1;
}

void tare_describe_process(struct tare_mpi_header* header, const struct tare_process* process) {
  struct timespec utc;
  clock_gettime(CLOCK_REALTIME, &utc);
  const uint64_t utc_ns = (uint64_t)utc.tv_sec * 1000000000 + (uint64_t)utc.tv_nsec;
  const char* run = getenv(TARE_MPI_RUN_VARIABLE);
  header->magic = TARE_MPI_MAGIC;
  header->version = TARE_MPI_VERSION;
  header->architecture = TARE_ARCHITECTURE;
  header->rank = process->rank;
  header->size = process->size;
  header->run = run != NULL ? strtoull(run, NULL, 16) : 0;
  header->job = process->job;
  header->job_number = process->job_number;
  header->thread_level = process->thread_level;
  header->process = (uint64_t)getpid();
  header->start_ns = process->init_start_ns;
  header->start_utc_ns = utc_ns - (tare_now() - process->init_start_ns);
  header->started_ns = loaded_ns;
  header->flags = process->is_without_mpi ? TARE_MPI_HEADER_NO_MPI : 0;
  read_text("/proc/sys/kernel/random/boot_id", header->boot, sizeof header->boot);
  gethostname(header->host, sizeof header->host - 1);
  snprintf(header->library, sizeof header->library, "%.*s", (int)strcspn(process->library, "\n"),
           process->library);
  dl_iterate_phdr(find_build_id, header->build_id);
  if (readlink("/proc/self/exe", header->program, sizeof header->program - 1) < 0) {
    header->program[0] = 0;
  }
  header->checksum = tare_crc32(0, header, offsetof(struct tare_mpi_header, checksum));
  header->call_peer = TARE_MPI_NO_RANK;
}
