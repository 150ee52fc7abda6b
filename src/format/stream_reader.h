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

  // The stretch that starts at an offset from the section's start: its index, with kLong added if
  // its records have more than one word; kNone: none starts there. Small, because it is looked up
  // for every record.
  static constexpr std::uint32_t kLong = 1u << 31;
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t At(std::uint64_t offset) const {
    const std::uint64_t word = offset / 8;
    return offset % 8 == 0 && word < starts_.size() ? starts_[word] : kNone;
  }
  const std::vector<StreamStretch>& stretches() const { return stretches_; }
  std::size_t SectionWords() const { return starts_.size(); }
  // False if a part of the module was built for blocks only.
  bool HasAddresses() const { return has_addresses_; }

 private:
  bool has_addresses_ = true;
  std::vector<StreamStretch> stretches_;
  std::vector<std::uint32_t> starts_;  // by word of the section
};

// One execution of a stretch. The words are valid only during the call.
struct StreamRecord {
  const StreamStretch& stretch;
  std::uint32_t index = 0;  // of the stretch in its module's descriptions
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
  std::uint64_t load_bias() const;
  // The program continued without a reader; its later records are missing.
  bool CutShort() const;

  // Reads the full chunks, releases them and returns the number of records. `ended` means that the
  // program has ended, so that its unfinished chunk is read as well. Fails (kFormat) if the words
  // do not match the descriptions. `visit` takes a const StreamRecord&.
  template <typename Visit>
  Result<std::uint64_t> Take(const StreamDescriptions& descriptions, bool ended, Visit&& visit) {
    std::uint64_t records = 0;
    while (true) {
      TRY(const std::uint64_t* const shared, NextChunk(ended));
      if (shared == nullptr) return records;
      const StreamChunk chunk = CopyOf(shared);
      std::size_t at = 0;
      while (at < chunk.words.size() && chunk.words[at] != 0) {
        const auto rest = chunk.words.subspan(at);
        const std::uint32_t start = descriptions.At(rest[0] - chunk.section_address);
        if (start == StreamDescriptions::kNone) return DamagedAt(at);
        const std::uint32_t index = start & ~StreamDescriptions::kLong;
        const StreamStretch& stretch = descriptions.stretches()[index];
        if (stretch.words > rest.size()) return DamagedAt(at);
        visit(StreamRecord{stretch, index, rest.first(stretch.words), chunk.load_bias});
        ++records;
        at += stretch.words;
      }
      ReleaseChunk();
    }
  }

  // The stretches of the next chunk without their words, each as the number that `number` returns
  // for its index; quicker than Take(). Empty: there is none yet, or none left. Valid until the
  // next call. `known` belongs to this function: numbers of stretches without words, which `number`
  // is asked for once.
  Result<std::span<const std::uint32_t>> TakeNumbers(
      const StreamDescriptions& descriptions, bool ended, std::vector<std::uint32_t>& known,
      const std::function<std::uint32_t(std::uint32_t)>& number);

 private:
  // A copy, so that the program cannot change it. Records end at the first word that is 0.
  struct StreamChunk {
    std::span<const std::uint64_t> words;
    std::uint64_t section_address = 0;
    std::uint64_t load_bias = 0;
  };
  struct Mapping;
  explicit StreamReader(std::unique_ptr<Mapping> mapping);

  // The words of the next chunk, which the program may change at any time; null: there is none yet,
  // or none left.
  Result<const std::uint64_t*> NextChunk(bool ended);
  StreamChunk CopyOf(const std::uint64_t* shared);
  // Hands the chunk that NextChunk() returned back to the program.
  void ReleaseChunk();
  std::unexpected<Error> DamagedAt(std::size_t word) const;

  std::unique_ptr<Mapping> mapping_;
};

}  // namespace tare::format
