// source_reader.h: takes the events of a running program out of its threads' buffers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "format/event_writer.h"
#include "format/source_events_wire.h"

namespace tare::events {

// The time of an event from its lower bits: the first reading after `last` that has them. Readings
// may be up to `slack` before `last`.
std::uint64_t CorrectRollover(std::uint64_t low_bits, std::uint64_t last, std::uint64_t slack);

// The record of a site: number, kind, line, file, name. Fails (kFormat) on others.
Result<std::pair<std::uint32_t, format::EventSite>> ParseSite(std::string_view record);

// Trusts nothing in the files.
class SourceReader {
 public:
  // `tick_ns` is the length of a tick of the program's clock; `start_ns` is CLOCK_MONOTONIC at the
  // start of the trace.
  SourceReader(std::filesystem::path directory, double tick_ns, std::uint64_t start_ns,
               format::EventTraceWriter& writer);
  ~SourceReader();

  // Takes what is there and returns the number of events. `now_ticks` is the program's clock now.
  std::uint64_t Take(std::uint64_t now_ticks);
  // Call after the program has ended.
  void Finish();

 private:
  struct Buffer;
  void Look();
  std::uint64_t TakeBuffer(Buffer& buffer, std::uint64_t now_ticks);
  bool TakeWord(Buffer& buffer, std::uint64_t word, std::uint64_t value);
  std::uint32_t SiteOf(Buffer& buffer, std::uint32_t number);
  std::uint32_t FindSite(std::uint64_t image, std::uint32_t number);
  void ReadSites(std::uint64_t image);
  void CountLost(const Buffer& buffer);

  std::filesystem::path directory_;
  double tick_ns_;
  std::uint64_t start_ns_;
  format::EventTraceWriter& writer_;
  std::map<std::string, std::unique_ptr<Buffer>> buffers_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> sites_;  // by image and number
  std::map<std::uint64_t, std::uint64_t> site_bytes_;                       // read, by image
  std::map<std::uint64_t, std::uint64_t> parents_;                          // of images
  std::uint64_t unknown_sites_ = 0;
};

}  // namespace tare::events
