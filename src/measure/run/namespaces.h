// namespaces.h: PID and mount namespaces for the program. Everything here is async-signal-safe
// except IdentityMaps::OfThisProcess, and meant for a single-threaded process.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"

namespace tare::run {

// uid map and gid map of a user namespace: this process's uid and gid, each mapped to itself.
struct IdentityMaps {
  std::string user;
  std::string group;
  static IdentityMaps OfThisProcess();
};

// All return 0 or an error number.

// Puts the children of this process into a new PID namespace; the first child becomes its PID 1.
// Without CAP_SYS_ADMIN, also creates a user namespace in which all ids stay the same.
int SeparateProcesses(const IdentityMaps& maps);
// Creates a mount namespace: mounts of this process and its children are visible only to them.
int SeparateMounts(const IdentityMaps& maps);

// In a PID namespace, after SeparateMounts: mounts a /proc that shows that namespace.
int ShowOwnProcesses();
// After SeparateMounts: bind-mounts `directory` on the directory `place`.
int MountDirectory(const char* directory, const char* place);

// Like fork(2), but the child gets the PID `number` (clone3(2), set_tid). Returns -1 and sets errno
// on failure. The caller must be PID 1 of the namespace or have the capability.
pid_t ForkAs(pid_t number);

// The error kUnsupported; not async-signal-safe.
Error CannotChooseProcessId(int error_number);

// The PID of this process in the namespace of the mounted /proc; 0 if it has none.
pid_t NumberInProc();

}  // namespace tare::run
