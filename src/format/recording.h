// recording.h: reads an engine's recording: blocks of code and how often each ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/wire.h"

namespace tare::format {

// A mapping that contains code. The path is empty for code that is not from a file.
struct MappedObject {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::string path;
};

struct Block {
  std::uint64_t number = 0;  // among all blocks of its process, including those that never ran
  std::uint64_t address = 0;
  std::vector<std::byte> code;
  std::uint32_t instructions = 0;
  std::optional<std::size_t> object;  // index into Recording::objects, if known
  bool conditional = false;
  bool repeated = false;
  std::uint64_t executions = 0;
  // For a conditional block: how often control continued to the next instruction. For a repeated
  // one: the number of iterations.
  std::uint64_t second = 0;
};

// Reads and writes that moved some, but not all of the bytes that were asked for. Runs with equal
// numbers and squares are taken to have had the same ones.
struct PartialTransfers {
  std::uint64_t number = 0;
  std::uint64_t squares = 0;  // the sum of the squares of the bytes that each moved

  friend bool operator==(const PartialTransfers&, const PartialTransfers&) = default;
};

// One process between two execve calls. Contains only the blocks that ran.
struct Recording {
  tare_wire_engine engine = TARE_WIRE_VALGRIND;
  std::uint16_t machine = 0;  // e_machine of ELF
  tare_wire_state state = TARE_WIRE_RUNNING;
  std::uint64_t process = 0;
  std::uint64_t parent_process = 0;
  std::uint64_t generation = 0;
  bool has_region = false;
  std::uint64_t region_entries = 0;
  std::uint64_t threads = 0;
  std::uint64_t lost_blocks = 0;
  std::uint64_t lost_threads = 0;
  std::uint64_t lost_children = 0;
  std::optional<PartialTransfers> partial_transfers;  // absent: the engine does not see them
  std::vector<MappedObject> objects;
  std::vector<Block> blocks;
};

// Reads bytes of a recording; returns false if they cannot be read.
using ReadBytes = std::function<bool(std::uint64_t place, std::span<std::byte> to)>;

struct RecordingSource {
  std::uint64_t bytes = 0;
  ReadBytes read;
};

// Trusts nothing in the source. `ancestors` are the recordings of the parent process, its parent
// and so on, which contain the inherited records of a forked child. It may be empty if none are
// inherited.
Result<Recording> ParseRecording(const RecordingSource& source,
                                 std::span<const RecordingSource> ancestors);

// Reads all recordings of a directory, ordered by process and generation. Skips files that the
// engine did not initialize.
Result<std::vector<Recording>> ReadRecordings(const std::filesystem::path& directory);

}  // namespace tare::format
