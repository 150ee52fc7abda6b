// live_records.h: the records of a recording whose engine still appends to it, and its counters.
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
#include "format/wire.h"

namespace tare::format {

// Nothing in the file is trusted.
class LiveRecords {
 public:
  // `name` is that of the recording, beside which those of its ancestors lie. kFormat for a file
  // that is not whole yet, too.
  static Result<LiveRecords> Open(const std::filesystem::path& directory, const std::string& name);
  LiveRecords(LiveRecords&&) noexcept = default;
  LiveRecords& operator=(LiveRecords&&) noexcept = default;
  ~LiveRecords() = default;

  // As they were at the beginning.
  const tare_wire_header& known() const { return known_; }

  // The bytes of whole records that came since the last call, those of ancestors first.
  Result<std::vector<std::byte>> ReadNew();

  // Bank 0, from its first block on. kFormat when there is no room for so many.
  Result<void> WriteCounters(std::span<const tare_wire_counters> counters);

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
  std::unique_ptr<tare_wire_header, Unmap> live_;  // the file's own
  std::uint64_t read_ = 0;
};

}  // namespace tare::format
