// stream_reader.h: reads the executed blocks and memory addresses of a program built by tare-cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/stream_wire.h"

namespace tare::format {

struct StreamAccess {
  tare_stream_kind kind = TARE_STREAM_LOAD;
  std::uint32_t bytes = 0;
  std::uint16_t word = 0;
  // Added to the word. Without a word it is the address itself, as in the module's file.
  std::uint64_t offset = 0;
};

// Code between two calls.
struct StreamStretch {
  std::uint64_t unit = 0;
  std::uint32_t number = 0;
  std::uint16_t words = 0;
  bool begins_block = false;
  std::vector<StreamAccess> accesses;
};

// The descriptions of a module, parsed from its section, which is at `address` in the module's
// file.
class StreamDescriptions {
 public:
  // Fails (kFormat) on damaged descriptions.
  static Result<StreamDescriptions> Parse(std::span<const std::byte> section,
                                          std::uint64_t address);

  // The stretch at an offset from the section's start; null if none starts there.
  const StreamStretch* At(std::uint64_t offset) const;
  const std::vector<StreamStretch>& stretches() const { return stretches_; }

 private:
  std::vector<StreamStretch> stretches_;
  std::vector<std::uint64_t> offsets_;
};

// One execution of a stretch. The words are valid only during the call.
struct StreamRecord {
  const StreamStretch& stretch;
  std::span<const std::uint64_t> words;
  std::uint64_t load_bias = 0;
};

struct TouchedMemory {
  tare_stream_kind kind = TARE_STREAM_LOAD;  // a copy is reported as a load and a store
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// Calls `visit` in program order; skips copies and sets of zero bytes.
void ForEachAccess(const StreamRecord& record,
                   const std::function<void(const TouchedMemory&)>& visit);

// The stream of one thread. While a reader is open, the program waits for it instead of losing
// records.
class StreamReader {
 public:
  // Also fails (kFormat) on a file that is not complete yet; the caller can retry.
  static Result<StreamReader> Open(const std::filesystem::path& path);
  StreamReader(StreamReader&&) noexcept;
  StreamReader& operator=(StreamReader&&) noexcept;
  ~StreamReader();

  const std::string& ModulePath() const;
  std::uint64_t process() const;
  std::uint64_t thread() const;
  // The program continued without a reader; its later records are missing.
  bool CutShort() const;

  // Reads the full chunks, releases them and returns the number of records. `ended` means that the
  // program has ended, so that its unfinished chunk is read as well. Fails (kFormat) if the words
  // do not match the descriptions.
  Result<std::uint64_t> Take(const StreamDescriptions& descriptions, bool ended,
                             const std::function<void(const StreamRecord&)>& visit);

 private:
  struct Mapping;
  explicit StreamReader(std::unique_ptr<Mapping> mapping);
  std::unique_ptr<Mapping> mapping_;
};

}  // namespace tare::format
