// live_records.h: reads a recording's records while its engine still appends to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "format/shared_file.h"
#include "format/wire.h"

namespace tare::format {

// Trusts nothing in the file.
class LiveRecords {
 public:
  // `name` is the name of the recording; the recordings of its ancestors must be in the same
  // directory. Also fails (kFormat) on a file that is not complete yet.
  static Result<LiveRecords> Open(const std::filesystem::path& directory, const std::string& name);
  LiveRecords(LiveRecords&&) noexcept = default;
  LiveRecords& operator=(LiveRecords&&) noexcept = default;
  ~LiveRecords() = default;

  // The header as it was when the file was opened.
  const tare_wire_header& known() const { return known_; }

  // Returns the bytes of the whole records since the last call, with those of ancestors first.
  Result<std::vector<std::byte>> ReadNew();

  // Writes bank 0, starting at its first block. Fails (kFormat) if the bank is too small.
  Result<void> WriteCounters(std::span<const tare_wire_counters> counters);
  // The counters that the engine wrote, of the first `count` blocks, summed over the banks.
  Result<std::vector<tare_wire_counters>> ReadCounters(std::size_t count) const;

 private:
  struct Unmap {
    void operator()(tare_wire_header* header) const;
  };

  LiveRecords() = default;
  Result<std::vector<std::byte>> ReadInherited() const;

  std::filesystem::path directory_;
  std::filesystem::path path_;
  Descriptor file_;
  tare_wire_header known_{};
  std::unique_ptr<CutGuard> guard_;
  std::unique_ptr<tare_wire_header, Unmap> live_;  // the header in the mapped file
  std::uint64_t read_ = 0;
};

}  // namespace tare::format
