/* recording.c: creates, maps and fills the recording of the qemu engine. */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { kBanks = 1024 };

static struct tare_wire_writer writer;
static int directory_fd = -1;

/* The plugin and the guest share descriptor numbers. A high close-on-exec descriptor is the least
 * likely to collide with programs that close "all" descriptors one by one. */
static int MoveToHighNumber(int fd) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < 64) return fd;
  const int wanted = limit.rlim_cur > 1024 ? 1000 : (int)limit.rlim_cur - 8;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, wanted);
  if (moved < 0) return fd;
  close(fd);
  return moved;
}

static int OpenNew(uint64_t* generation) {
  char name[64];
  for (*generation = 0; *generation < 100000; ++*generation) {
    snprintf(name, sizeof name, "%d.%llu", (int)getpid(), (unsigned long long)*generation);
    const int fd = openat(directory_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

/* Above RLIMIT_FSIZE, ftruncate(2) would raise SIGXFSZ in the measured program. */
static bool Grow(int fd, uint64_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes) return false;
  return ftruncate(fd, (off_t)bytes) == 0;
}

bool recording_open(const char* directory, uint32_t architecture) {
  struct tare_wire_header start = tare_wire_plan(kBanks);
  const uint64_t bytes = tare_wire_file_bytes(&start);
  directory_fd = MoveToHighNumber(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const int file = directory_fd < 0 ? -1 : OpenNew(&start.generation);
  if (file < 0 || !Grow(file, bytes)) {
    fprintf(stderr, "tare: cannot create the recording: %s\n", strerror(errno));
    return false;
  }
  uint8_t* base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  if (base == MAP_FAILED) {
    fprintf(stderr, "tare: cannot map the recording: %s\n", strerror(errno));
    return false;
  }
  start.engine = TARE_WIRE_QEMU;
  start.architecture = architecture;
  start.process = (uint64_t)getpid();
  start.sees_transfers = 1;
  tare_wire_begin(&writer, base, &start);
  return true;
}

int recording_make_beside(const char* name, uint64_t bytes) {
  const int made = openat(directory_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const int file = made < 0 ? made : MoveToHighNumber(made);
  if (file >= 0 && Grow(file, bytes)) return file;
  if (file >= 0) close(file);
  return -1;
}

/* The header at the time of the fork: the parent continues, and the child still shares its
 * mapping. */
static struct tare_wire_header at_fork;

void recording_before_fork(void) { at_fork = *tare_wire_head(&writer); }

void recording_fork(void) {
  struct tare_wire_header* parent = tare_wire_head(&writer);
  struct tare_wire_header start = tare_wire_inherit(&at_fork, (uint64_t)getpid());
  const uint64_t bytes = tare_wire_file_bytes(&start);
  start.banks_used = at_fork.banks_used;
  const int file = OpenNew(&start.generation);
  bool made = file >= 0 && Grow(file, bytes) &&
              mmap(writer.base, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, 0) != MAP_FAILED;
  if (file >= 0) close(file);
  if (!made) {
    __atomic_fetch_add(&parent->lost_children, 1, __ATOMIC_RELAXED);
    /* The child continues and counts into private memory that is never read. */
    if (mmap(writer.base, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED) {
      abort();
    }
  }
  tare_wire_begin(&writer, writer.base, &start);
}

struct tare_wire_header* recording_header(void) { return tare_wire_head(&writer); }

struct tare_wire_counters* recording_bank(unsigned thread) {
  struct tare_wire_header* header = tare_wire_head(&writer);
  if (thread >= header->banks) return NULL;
  if (thread >= header->banks_used) header->banks_used = thread + 1;
  return tare_wire_bank(&writer, thread);
}

uint64_t recording_add_block(const struct tare_wire_block* block, const uint8_t* code) {
  return tare_wire_add_block(&writer, block, code);
}

uint64_t recording_add_flow(uint64_t block, bool operation) {
  const struct tare_wire_flow flow = {.block = block, .operation = operation, .words = 1};
  const uint64_t number = tare_wire_add_flow(&writer, &flow, NULL);
  if (number == 0) ++recording_header()->lost_blocks;
  return number;
}

/* The executable mappings of this process when they were last read. */
enum { kMax = 4096, kLine = 4400 };
struct known_file {
  struct mapped_file file; /* in addresses of this process */
  bool announced;
};
static struct known_file known[kMax];
static unsigned known_used;
static bool changed = true;

void recording_mappings_changed(void) { __atomic_store_n(&changed, true, __ATOMIC_RELAXED); }

/* /proc/PID/maps shows devices as MAJOR:MINOR in hexadecimal (proc(5)); stat(2) returns one
 * number. */
static bool ParseLine(const char* line, struct mapped_file* file, int* path_at) {
  unsigned long long start, end, offset, inode;
  unsigned major_number, minor_number;
  char mode[8];
  *path_at = 0;
  if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, mode, &offset, &major_number,
             &minor_number, &inode, path_at) < 7) {
    return false;
  }
  file->start = start;
  file->end = end;
  file->offset = offset;
  file->device = inode == 0 ? 0 : makedev(major_number, minor_number);
  file->inode = inode;
  return true;
}

static bool WasAnnounced(const struct known_file* old, unsigned count,
                         const struct mapped_file* file) {
  for (unsigned i = 0; i < count; ++i) {
    if (old[i].announced && memcmp(&old[i].file, file, sizeof *file) == 0) return true;
  }
  return false;
}

/* Some file systems show a different device or inode in /proc/PID/maps than in stat(2); stat's are
 * used. */
static void StatFile(const char* path, struct mapped_file* file) {
  struct stat status;
  if (path[0] != '/' || stat(path, &status) != 0) return;
  file->device = status.st_dev;
  file->inode = status.st_ino;
}

static void Look(void) {
  static struct known_file old[kMax];
  static char line[kLine];
  const unsigned old_used = known_used;
  memcpy(old, known, sizeof known[0] * known_used);
  FILE* maps = fopen("/proc/self/maps", "re");
  if (maps == NULL) return;
  known_used = 0;
  while (known_used < kMax && fgets(line, sizeof line, maps) != NULL) {
    int path_at;
    struct known_file entry = {0};
    line[strcspn(line, "\n")] = 0;
    if (!ParseLine(line, &entry.file, &path_at)) continue;
    if (entry.file.inode != 0) StatFile(line + path_at, &entry.file);
    entry.announced = WasAnnounced(old, old_used, &entry.file);
    known[known_used++] = entry;
  }
  fclose(maps);
  __atomic_store_n(&changed, false, __ATOMIC_RELAXED);
}

static void PathOf(const struct mapped_file* file, char* path, size_t room) {
  static char line[kLine];
  path[0] = 0;
  FILE* maps = fopen("/proc/self/maps", "re");
  if (maps == NULL) return;
  while (fgets(line, sizeof line, maps) != NULL) {
    struct mapped_file entry;
    int path_at = 0;
    line[strcspn(line, "\n")] = 0;
    if (!ParseLine(line, &entry, &path_at) || entry.start != file->start) continue;
    if (file->inode != 0) snprintf(path, room, "%s", line + path_at);
    break;
  }
  fclose(maps);
}

static struct known_file* Find(uint64_t host_address) {
  for (unsigned i = 0; i < known_used; ++i) {
    if (host_address >= known[i].file.start && host_address < known[i].file.end) return &known[i];
  }
  return NULL;
}

struct mapped_file recording_object_at(uint64_t address, uint64_t guest_base) {
  struct mapped_file guest = {0};
  if (__atomic_load_n(&changed, __ATOMIC_RELAXED)) Look();
  struct known_file* found = Find(address + guest_base);
  if (found == NULL) {
    Look();
    found = Find(address + guest_base);
    if (found == NULL) return guest;
  }
  guest = found->file;
  guest.start -= guest_base;
  guest.end -= guest_base;
  if (!found->announced) {
    static char path[kLine];
    const struct tare_wire_object object = {.start = guest.start,
                                            .end = guest.end,
                                            .offset = guest.offset,
                                            .device = guest.device,
                                            .inode = guest.inode};
    PathOf(&found->file, path, sizeof path);
    found->announced = tare_wire_add_object(&writer, &object, path) != 0;
  }
  return guest;
}
