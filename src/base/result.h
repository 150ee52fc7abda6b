// result.h: a value or the error that prevented it.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace tare {

// The kind determines the exit status of a command (see ExitStatus).
enum class ErrorKind {
  kUsage,          // impossible or contradictory options
  kCannotExecute,  // the target exists but cannot be started
  kNotFound,       // the target does not exist
  kIo,             // reading or writing one of tare's own files or streams failed
  kFormat,         // malformed input, or input of an unsupported version
  kUnsupported,    // this machine or kernel lacks what was requested
  kInterrupted,    // the user stopped the work
  kTimedOut,       // an engine exceeded its time limit
};

// `message` says what failed, where, and what to do next, in one line without a final full stop.
struct Error {
  ErrorKind kind;
  std::string message;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> Fail(ErrorKind kind, std::string message) {
  return std::unexpected(Error{kind, std::move(message)});
}

// Returns 2 for usage errors, 126 for cannot execute, 127 for not found, 130 for interrupted, and
// 125 for every other failure of tare itself.
int ExitStatus(ErrorKind kind);

}  // namespace tare

#define TARE_JOIN_INNER(a, b) a##b
#define TARE_JOIN(a, b) TARE_JOIN_INNER(a, b)

// TRY(auto text, ReadFile(path)) evaluates a Result. It returns the error to the caller, or assigns
// the value to `target`.
#define TRY(target, ...)                                                  \
  auto TARE_JOIN(try_, __LINE__) = (__VA_ARGS__);                         \
  if (!TARE_JOIN(try_, __LINE__))                                         \
    return std::unexpected(std::move(TARE_JOIN(try_, __LINE__)).error()); \
  target = std::move(*TARE_JOIN(try_, __LINE__))

// TRY_VOID(Flush()) is the same for a Result whose value is not used.
#define TRY_VOID(...)                                                       \
  do {                                                                      \
    auto try_result = (__VA_ARGS__);                                        \
    if (!try_result) return std::unexpected(std::move(try_result).error()); \
  } while (false)
