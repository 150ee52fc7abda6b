// synthetic_recording.h: recordings built in memory with the engines' own writer, small enough to
// damage byte by byte.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "format/recording.h"
#include "format/wire_writer.h"

namespace tare::format {

inline tare_wire_header SmallPlan(std::uint64_t records_bytes = 512, std::uint64_t bank_blocks = 8,
                                  std::uint64_t banks = 2) {
  tare_wire_header plan{};
  plan.engine = TARE_WIRE_VALGRIND;
  plan.architecture = TARE_WIRE_AARCH64;
  plan.process = 100;
  plan.records_bytes = records_bytes;
  plan.bank_blocks = bank_blocks;
  plan.banks = banks;
  plan.banks_used = banks;
  plan.threads = 1;
  return plan;
}

class SyntheticRecording {
 public:
  explicit SyntheticRecording(const tare_wire_header& plan = SmallPlan())
      : words_(tare_wire_file_bytes(&plan) / 8) {
    tare_wire_begin(&writer_, reinterpret_cast<std::uint8_t*>(words_.data()), &plan);
  }
  SyntheticRecording(const SyntheticRecording&) = delete;
  SyntheticRecording(SyntheticRecording&&) = default;

  // Returns the recording that an engine creates in a forked child.
  SyntheticRecording Forked(std::uint64_t process) {
    tare_wire_header start = tare_wire_inherit(&header(), process);
    start.banks_used = header().banks_used;
    return SyntheticRecording(start);
  }

  tare_wire_header& header() { return *tare_wire_head(&writer_); }

  bool AddObject(std::uint64_t start, std::uint64_t end, const char* path,
                 std::uint64_t offset = 0) {
    const tare_wire_object object{{}, start, end, offset, 8, path[0] == 0 ? 0u : 42u};
    return tare_wire_add_object(&writer_, &object, path) != 0;
  }

  std::uint64_t AddBlock(std::uint64_t address, std::initializer_list<std::uint8_t> code,
                         std::uint32_t instructions, std::uint32_t flags = 0) {
    tare_wire_block block{};
    block.address = address;
    block.code_bytes = static_cast<std::uint32_t>(code.size());
    block.instructions = instructions;
    block.flags = flags;
    return tare_wire_add_block(&writer_, &block, code.begin());
  }

  void Run(std::uint64_t block, std::uint64_t executions, std::uint64_t second = 0,
           std::uint64_t bank = 0) {
    tare_wire_counters& counters = tare_wire_bank(&writer_, bank)[block];
    counters.executions += executions;
    counters.second += second;
  }

  std::string Bytes() const {
    return {reinterpret_cast<const char*>(words_.data()), words_.size() * 8};
  }
  RecordingSource Source() const;

 private:
  std::vector<std::uint64_t> words_;
  tare_wire_writer writer_{};
};

// Rejects reads outside of the data, as a file does, and remembers the largest read.
struct ReadLog {
  std::uint64_t largest = 0;
};
inline RecordingSource SourceOf(std::string bytes, const std::shared_ptr<ReadLog>& log = nullptr) {
  const std::uint64_t size = bytes.size();
  return {size, [contents = std::move(bytes), log](std::uint64_t place, std::span<std::byte> to) {
            if (log) log->largest = std::max<std::uint64_t>(log->largest, to.size());
            if (place > contents.size() || to.size() > contents.size() - place) return false;
            if (!to.empty()) std::memcpy(to.data(), contents.data() + place, to.size());
            return true;
          }};
}

inline RecordingSource SyntheticRecording::Source() const { return SourceOf(Bytes()); }

inline std::vector<std::uint8_t> CodeOf(const Block& block) {
  std::vector<std::uint8_t> code;
  for (const std::byte byte : block.code) code.push_back(std::to_integer<std::uint8_t>(byte));
  return code;
}

}  // namespace tare::format
