// guest_system.cc: mounts file systems, powers off, and starts processes in the emulated machine.
#include "guest_system.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace tare::guest {

void BecomeFirstProcess() {
  for (const char* directory : {"/proc", "/sys", "/dev"}) ::mkdir(directory, 0755);
  ::mount("proc", "/proc", "proc", 0, nullptr);
  ::mount("sysfs", "/sys", "sysfs", 0, nullptr);
  ::mount("dev", "/dev", "devtmpfs", 0, nullptr);
  const int console = ::open("/dev/console", O_RDWR);
  for (int stream = 0; stream < 3 && console >= 0; ++stream) ::dup2(console, stream);
  std::setvbuf(stdout, nullptr, _IONBF, 0);
}

bool WriteSetting(const std::string& path, const std::string& value) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written =
      ::write(file, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  ::close(file);
  return written;
}

void PowerOff() {
  ::sync();
  ::reboot(RB_POWER_OFF);
  for (;;) ::pause();
}

bool RunWaiting(const std::vector<std::string>& command, const std::function<bool(int)>& attach) {
  std::array<int, 2> gate{};
  if (::pipe2(gate.data(), O_CLOEXEC) != 0) return false;
  const int child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    char byte = 0;
    ::close(gate[1]);
    if (::read(gate[0], &byte, 1) == 1) ::execv(arguments[0], arguments.data());
    ::_exit(126);
  }
  ::close(gate[0]);
  const bool attached = attach(child);
  const bool opened = ::write(gate[1], "g", 1) == 1;
  ::close(gate[1]);
  int status = -1;
  const bool ended = ::waitpid(child, &status, 0) == child && status == 0;
  return attached && opened && ended;
}

}  // namespace tare::guest
