// result.h: an answer, or the reason why it cannot be had.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace tare {

// The kind decides the exit status of a command (see ExitStatus).
enum class ErrorKind {
  kUsage,          // impossible or contradictory options
  kCannotExecute,  // the program to measure exists and cannot be started
  kNotFound,       // the program to measure does not exist
  kIo,             // a file or stream of ours
  kFormat,         // bytes that are not what they should be, or of another version
  kUnsupported,    // this machine or kernel lacks what is asked for
  kInterrupted,    // the user stopped the work
  kTimedOut,       // an engine took longer than it may
};

// `message` says what, where and the next step, in one line without a full stop.
struct Error {
  ErrorKind kind;
  std::string message;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> Fail(ErrorKind kind, std::string message) {
  return std::unexpected(Error{kind, std::move(message)});
}

// 2 for usage, 126 cannot execute, 127 not found, 130 interrupted, 125 for every other failure of
// our own.
int ExitStatus(ErrorKind kind);

}  // namespace tare

#define TARE_JOIN_INNER(a, b) a##b
#define TARE_JOIN(a, b) TARE_JOIN_INNER(a, b)

// TRY(auto text, ReadFile(path)): evaluates a Result; hands its error to the caller or its value to
// `target`.
#define TRY(target, ...)                                                  \
  auto TARE_JOIN(try_, __LINE__) = (__VA_ARGS__);                         \
  if (!TARE_JOIN(try_, __LINE__))                                         \
    return std::unexpected(std::move(TARE_JOIN(try_, __LINE__)).error()); \
  target = std::move(*TARE_JOIN(try_, __LINE__))

// TRY_VOID(Flush()): the same for a Result whose value is not needed.
#define TRY_VOID(...)                                                       \
  do {                                                                      \
    auto try_result = (__VA_ARGS__);                                        \
    if (!try_result) return std::unexpected(std::move(try_result).error()); \
  } while (false)
