// recording.h: what an engine left behind, read and checked.
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

// A mapping with code in it; the path is empty for code without a file.
struct MappedObject {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::string path;
};

struct Block {
  std::uint64_t number = 0;  // among the blocks of its process, those that never ran included
  std::uint64_t address = 0;
  std::vector<std::byte> code;
  std::uint32_t instructions = 0;
  std::optional<std::size_t> object;  // index; absent when no mapping was told for it
  bool conditional = false;
  bool repeated = false;
  std::uint64_t executions = 0;
  // Of a conditional block: how often control went on to the next instruction. Of a repeated one:
  // iterations.
  std::uint64_t second = 0;
};

// One process between two execve calls. Blocks that never ran are left out.
struct Recording {
  tare_wire_engine engine = TARE_WIRE_VALGRIND;
  std::uint16_t machine = 0;  // ELF's number
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
  std::vector<MappedObject> objects;
  std::vector<Block> blocks;
};

// Where the bytes of a recording come from: false when they cannot be had.
using ReadBytes = std::function<bool(std::uint64_t place, std::span<std::byte> to)>;

struct RecordingSource {
  std::uint64_t bytes = 0;
  ReadBytes read;
};

// Nothing in the source is trusted. The records before those of a forked child lie with `parent`,
// which is its source, and may be empty when it inherited none.
Result<Recording> ParseRecording(const RecordingSource& source,
                                 std::span<const RecordingSource> ancestors);

// All recordings of a directory, in the order of process and generation. Files that were never
// begun are left out.
Result<std::vector<Recording>> ReadRecordings(const std::filesystem::path& directory);

}  // namespace tare::format
