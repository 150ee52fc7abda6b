// trace_consumer.h: a command that reads a trace from a pipe while it is recorded.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"

namespace tare::events {

class TraceConsumer {
 public:
  // Starts `command` by /bin/sh. Its standard output is ours, or standard error with
  // `output_to_errors`.
  static Result<TraceConsumer> Start(const std::string& command, bool output_to_errors);

  TraceConsumer(TraceConsumer&& other) noexcept
      : process_(std::exchange(other.process_, -1)), input_(std::move(other.input_)) {}
  TraceConsumer& operator=(TraceConsumer&&) = delete;
  // Waits, too.
  ~TraceConsumer() { Wait(); }

  // Opening this path in this process opens the pipe.
  std::filesystem::path Input() const;
  // Closes the pipe here, waits for the end of the command, and returns its status as a shell
  // reports it.
  int Wait();

 private:
  TraceConsumer(pid_t process, Descriptor input) : process_(process), input_(std::move(input)) {}

  pid_t process_ = -1;
  Descriptor input_;
  int status_ = 0;
};

}  // namespace tare::events
