// namespaces.h: processes and mounts that only the program sees. Everything here is
// async-signal-safe but IdentityMaps::OfThisProcess, and made for a process with one thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"

namespace tare::run {

// What a namespace of users is told: the user and the group of this process, as themselves.
struct IdentityMaps {
  std::string user;
  std::string group;
  static IdentityMaps OfThisProcess();
};

// All return 0 or an error number.

// From now on this process's children live in a namespace of processes of their own; the first is
// its process 1. Without the right to do so, in a namespace of users too, where everybody is who
// they were.
int SeparateProcesses(const IdentityMaps& maps);
// Mounts that this process and its children make stay theirs.
int SeparateMounts(const IdentityMaps& maps);

// In a namespace of processes: /proc shows it. After SeparateMounts.
int ShowOwnProcesses();
// After SeparateMounts: `directory` appears at `place`, a directory too.
int MountDirectory(const char* directory, const char* place);

// fork with the child's number; -1 and errno. The calling process is process 1 or has the rights.
pid_t ForkAs(pid_t number);

// As a sentence of kUnsupported; not async-signal-safe.
Error CannotChooseProcessId(int error_number);

// The number that this process has for those who mounted /proc; 0 when there is none.
pid_t NumberInProc();

}  // namespace tare::run
