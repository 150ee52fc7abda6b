// guest_system.h: what the first process of the emulated machine must do, and starting programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tare::guest {

// Mounts /proc, /sys and /dev and opens the console.
void BecomeFirstProcess();

bool WriteSetting(const std::string& path, const std::string& value);

[[noreturn]] void PowerOff();

// Forks, calls `attach` with the child's id while it waits, lets it become the program and waits
// for its end and that of all its children. False when anything of it failed.
bool RunWaiting(const std::vector<std::string>& command, const std::function<bool(int)>& attach);

}  // namespace tare::guest
