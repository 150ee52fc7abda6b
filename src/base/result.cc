// result.cc: the exit status for each kind of error.
#include "base/result.h"

namespace tare {

int ExitStatus(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return 2;
    case ErrorKind::kCannotExecute:
      return 126;
    case ErrorKind::kNotFound:
      return 127;
    case ErrorKind::kInterrupted:
      return 130;
    case ErrorKind::kIo:
    case ErrorKind::kFormat:
    case ErrorKind::kUnsupported:
      return 125;
    case ErrorKind::kTimedOut:
      return 124;  // as of timeout(1)
  }
  return 125;
}

}  // namespace tare
