// flow_reader.h: the blocks and addresses of a program under Valgrind, as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "format/flow_descriptions.h"
#include "format/wire.h"

namespace tare::format {

// The flow of one process. While it is open the program waits for it rather than lose anything.
class FlowReader {
 public:
  // `name` is that of the recording, beside which those of its ancestors lie. kFormat for a file
  // that is not whole yet, too: it can be tried again.
  static Result<FlowReader> Open(const std::filesystem::path& directory, const std::string& name);
  FlowReader(FlowReader&&) noexcept;
  FlowReader& operator=(FlowReader&&) noexcept;
  ~FlowReader();

  std::uint32_t architecture() const;
  std::uint64_t process() const;
  std::uint64_t generation() const;
  std::uint64_t parent_process() const;  // 0: not forked
  // Nothing more is handed over: the program ended, was killed or became another one. What was
  // handed over before may still have to be taken: ask this first, then Next().
  bool Ended() const;
  // The program went on without being read; what came then is missing at the end.
  bool CutShort() const;

  // The descriptions known so far; a record with number n is of element n - 1. Only ever grows, in
  // Refresh().
  std::span<const FlowBlock> Blocks() const;
  // Reads the descriptions that came since. kFormat for damage.
  Result<void> Refresh();

  // Waits until there is a full chunk, the flow has ended or the time is over. True: there is one.
  bool Wait(std::uint64_t timeout_ns);

  // The words of the oldest chunk that was handed over and not given back; empty: none. An engine
  // leaves whole records only, but nothing about the words has been checked.
  std::span<const std::uint64_t> Next() const;
  // Needs a chunk of Next(), whose words are gone afterwards. A program that waits at a sample goes
  // on.
  void GiveBack();

  // How often each block ran, as in the counters of other engines: written into the recording, for
  // ReadRecordings. By number of block; kFormat when there are fewer blocks.
  Result<void> WriteCounts(std::span<const tare_wire_counters> counts);

 private:
  struct Mapping;
  explicit FlowReader(std::unique_ptr<Mapping> mapping);
  std::unique_ptr<Mapping> mapping_;
};

}  // namespace tare::format
