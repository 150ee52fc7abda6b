// flow_reader.h: reads the executed blocks and memory addresses of a program that runs under
// Valgrind or QEMU.
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

// The flow of one process. While a reader is open, the program waits for it instead of losing
// records.
class FlowReader {
 public:
  // `name` is the name of the recording; the recordings of its ancestors must be in the same
  // directory. Also fails (kFormat) on a file that is not complete yet; the caller can retry.
  static Result<FlowReader> Open(const std::filesystem::path& directory, const std::string& name);
  FlowReader(FlowReader&&) noexcept;
  FlowReader& operator=(FlowReader&&) noexcept;
  ~FlowReader();

  std::uint32_t architecture() const;
  std::uint64_t process() const;
  std::uint64_t generation() const;
  std::uint64_t parent_process() const;  // 0: not forked
  tare_flow_filter filter() const;       // 0 entries: nothing was dropped
  // No more chunks will come: the program ended, was killed or called execve. Earlier chunks may
  // still have to be taken, so check this first and then call Next().
  bool Ended() const;
  // The program continued without a reader; its later records are missing.
  bool CutShort() const;
  // An error if the program cut the file short so that what was read is not what was written.
  Result<void> IsWhole() const;

  // The descriptions known so far; element n - 1 describes the records with number n. Only
  // Refresh() adds elements.
  std::span<const FlowBlock> Blocks() const;
  // Reads new descriptions. Fails (kFormat) on damaged ones.
  Result<void> Refresh();

  // Waits until a chunk is available, the flow has ended or the timeout expires. Returns whether a
  // chunk is available.
  bool Wait(std::uint64_t timeout_ns);

  // The words of the oldest chunk that was not given back; empty if there is none. An engine writes
  // only whole records, but the words have not been checked.
  std::span<const std::uint64_t> Next() const;
  // Releases the chunk of Next(), whose words become invalid. Needs such a chunk. A program that
  // waits at a sample continues.
  void ReleaseChunk();

  // If no whole chunk is available: the words that the engine has put into its current chunk since
  // the last call, which Next() does not return again. They are valid until the next call; the
  // engine does not wait for it. Empty under Valgrind.
  std::span<const std::uint64_t> NextPart();

  // When the flow has ended and all has been read: the words that a thread had not put into a chunk
  // when its process was killed, after a mark of the thread. Empty if there are no more.
  std::span<const std::uint64_t> NextLeft();

  // Whether the engine counts executions itself: in a sparse flow, and under QEMU.
  bool HasEngineCounts() const;
  // The execution counts of the first blocks, which the engine counts itself. Call it when the flow
  // has ended.
  Result<std::vector<tare_wire_counters>> EngineCounts(std::size_t blocks) const;

  // Writes the execution count of each block, indexed by block number, into the recording, where
  // ReadRecordings finds it as with other engines. Fails (kFormat) if the recording has fewer
  // blocks.
  Result<void> WriteCounts(std::span<const tare_wire_counters> counts);

 private:
  struct Mapping;
  explicit FlowReader(std::unique_ptr<Mapping> mapping);
  std::unique_ptr<Mapping> mapping_;
};

}  // namespace tare::format
