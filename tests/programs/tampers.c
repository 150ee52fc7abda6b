// tampers.c: finds the files that an engine shares with tare, in the memory maps of this process
// and of those above it, and does one of these to each: "cut" leaves nothing of it, "ones"
// overwrites its start, "remove" removes it, "pipes" and "links" replace it by a named pipe or by a
// link to /etc/passwd, "more" adds a named pipe of a similar name. Prints "output"; status 3.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kProcesses = 6, kPath = 1024 };

static void Tamper(const char* way, const char* path) {
  char other[kPath + 262];
  if (strcmp(way, "cut") == 0) {
    if (truncate(path, 0) != 0) return;
  } else if (strcmp(way, "ones") == 0) {
    char ones[4096];
    memset(ones, 0xff, sizeof ones);
    const int file = open(path, O_WRONLY);
    if (file < 0) return;
    for (int i = 0; i < 16 && write(file, ones, sizeof ones) > 0; ++i) continue;
    close(file);
  } else if (strcmp(way, "more") == 0) {
    if (snprintf(other, sizeof other, "%s9", path) < (int)sizeof other) mkfifo(other, 0600);
  } else {
    unlink(path);
    if (strcmp(way, "pipes") == 0) mkfifo(path, 0600);
    if (strcmp(way, "links") == 0 && symlink("/etc/passwd", path) != 0) return;
  }
}

static void TamperAll(const char* way, const char* directory) {
  static char paths[64][kPath + 260];
  int count = 0;
  DIR* const opened = opendir(directory);
  if (opened == NULL) return;
  for (const struct dirent* entry; count < 64 && (entry = readdir(opened)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(paths[count], sizeof paths[count], "%s/%s", directory, entry->d_name);
    ++count;
  }
  closedir(opened);
  for (int i = 0; i < count; ++i) Tamper(way, paths[i]);
}

// The directory of the first file of tare that the process maps, and its parent.
static int Look(int process, char* directory, int* parent) {
  char path[64];
  char line[kPath];
  snprintf(path, sizeof path, "/proc/%d/maps", process);
  FILE* file = fopen(path, "r");
  directory[0] = '\0';
  while (file != NULL && directory[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
    const char* const start = strchr(line, '/');
    char* const name = start == NULL ? NULL : strstr(line, "/tare-");
    char* const end = name == NULL ? NULL : strchr(name + 1, '/');
    // mkdtemp(3) has chosen six letters.
    if (end == NULL || end - name != 12) continue;
    *end = '\0';
    strcpy(directory, start);
  }
  if (file != NULL) fclose(file);
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  file = fopen(path, "r");
  *parent = 0;
  const int known = file != NULL && fscanf(file, "%*d (%*[^)]) %*c %d", parent) == 1;
  if (file != NULL) fclose(file);
  return known;
}

int main(int argc, char** argv) {
  int process = getpid();
  for (int i = 0; argc > 1 && i < kProcesses && process > 1; ++i) {
    char directory[kPath];
    int parent = 0;
    const int known = Look(process, directory, &parent);
    if (directory[0] != '\0') TamperAll(argv[1], directory);
    if (!known) break;
    process = parent;
  }
  puts("output");
  return 3;
}
