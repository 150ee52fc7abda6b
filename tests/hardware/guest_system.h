// guest_system.h: the duties of the emulated machine's init process, and starting programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tare::guest {

// Mounts /proc, /sys and /dev and opens the console.
void BecomeFirstProcess();

bool WriteSetting(const std::string& path, const std::string& value);

[[noreturn]] void PowerOff();

// Forks, calls `attach` with the child's PID while it waits, lets it execute the program, and waits
// for its end and that of all its children. Returns false on any failure.
bool RunWaiting(const std::vector<std::string>& command, const std::function<bool(int)>& attach);

}  // namespace tare::guest
