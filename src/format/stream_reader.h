// stream_reader.h: the blocks and addresses of a program built by tare-cc, as they come.
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
  // Added to the word; without one the address itself, as in the module's file.
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

// The descriptions of a module, from the bytes of its section, which lies at `address` of the file.
class StreamDescriptions {
 public:
  // kFormat for damage.
  static Result<StreamDescriptions> Parse(std::span<const std::byte> section,
                                          std::uint64_t address);

  // By distance from the section's start; null where none begins.
  const StreamStretch* At(std::uint64_t offset) const;
  const std::vector<StreamStretch>& stretches() const { return stretches_; }

 private:
  std::vector<StreamStretch> stretches_;
  std::vector<std::uint64_t> offsets_;
};

// One execution of a stretch. The words are there during the call only.
struct StreamRecord {
  const StreamStretch& stretch;
  std::span<const std::uint64_t> words;
  std::uint64_t load_bias = 0;
};

struct TouchedMemory {
  tare_stream_kind kind = TARE_STREAM_LOAD;  // a copy is a load and a store
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// In the order of the program; copies and sets of no bytes are left out.
void ForEachAccess(const StreamRecord& record,
                   const std::function<void(const TouchedMemory&)>& visit);

// The stream of one thread. While it is open the program waits for it rather than lose anything.
class StreamReader {
 public:
  // kFormat for a file that is not whole yet, too: it can be tried again.
  static Result<StreamReader> Open(const std::filesystem::path& path);
  StreamReader(StreamReader&&) noexcept;
  StreamReader& operator=(StreamReader&&) noexcept;
  ~StreamReader();

  const std::string& ModulePath() const;
  std::uint64_t process() const;
  std::uint64_t thread() const;
  // The program went on without being read; what came then is missing at the end.
  bool CutShort() const;

  // Takes the chunks that are full, and gives their room back. `ended`: the program has come to its
  // end, and the chunk that it was filling is taken as well. The number of records. kFormat when
  // the words do not fit the descriptions.
  Result<std::uint64_t> Take(const StreamDescriptions& descriptions, bool ended,
                             const std::function<void(const StreamRecord&)>& visit);

 private:
  struct Mapping;
  explicit StreamReader(std::unique_ptr<Mapping> mapping);
  std::unique_ptr<Mapping> mapping_;
};

}  // namespace tare::format
