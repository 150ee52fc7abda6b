// output_digest.h: reads a program's output from a pipe and keeps its length and hash only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "base/descriptor.h"
#include "base/result.h"

namespace tare::run {

struct OutputDigest {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;

  bool operator==(const OutputDigest&) const = default;
};

// A thread that reads until every writer has closed the pipe.
class OutputDrain {
 public:
  static Result<std::unique_ptr<OutputDrain>> Start(Descriptor read);
  ~OutputDrain();
  OutputDrain(const OutputDrain&) = delete;
  OutputDrain& operator=(const OutputDrain&) = delete;

  // What the program wrote; call after its end. Descendants that outlive the program are not waited
  // for: their pipe is read as long as this process lives, so that they do not block or get
  // SIGPIPE.
  OutputDigest Finish();

 private:
  OutputDrain() = default;

  struct State;
  std::shared_ptr<State> state_;  // the thread of a pipe that stays open outlives this object
  std::thread thread_;
};

}  // namespace tare::run
