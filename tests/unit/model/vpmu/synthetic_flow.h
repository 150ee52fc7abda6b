// synthetic_flow.h: a synthetic recording and flow of a process, as an engine would leave them.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "format/flow_wire.h"
#include "format/wire_writer.h"
#include "recording_model.h"

namespace tare::vpmu {

// A mapped file of that size, removed with the directory.
class SyntheticFile {
 public:
  SyntheticFile(const std::filesystem::path& path, std::uint64_t bytes) : bytes_(bytes) {
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_GE(file_, 0) << path;
    EXPECT_EQ(ftruncate(file_, static_cast<off_t>(bytes)), 0);
    base_ = static_cast<std::uint8_t*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
  }
  SyntheticFile(const SyntheticFile&) = delete;
  SyntheticFile& operator=(const SyntheticFile&) = delete;
  ~SyntheticFile() {
    munmap(base_, bytes_);
    close(file_);
  }

  std::uint8_t* base() const { return base_; }

  void Lock(off_t place) const {
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = place;
    lock.l_len = 1;
    EXPECT_EQ(fcntl(file_, F_OFD_SETLK, &lock), 0);
  }

 private:
  int file_ = -1;
  std::uint64_t bytes_;
  std::uint8_t* base_;
};

class SyntheticProcess {
 public:
  static constexpr std::uint64_t kChunks = 4;
  static constexpr std::uint64_t kFirstAt = 4096;

  // Not started: its flow exists and is empty.
  SyntheticProcess(const std::filesystem::path& directory, std::uint64_t process)
      : process_(process),
        recording_(directory / (std::to_string(process) + ".0"), Bytes()),
        flow_(directory / ("flow." + std::to_string(process) + ".0"),
              kFirstAt + kChunks * 2 * TARE_FLOW_CHUNK) {}

  void Begin() {
    tare_wire_header start = Plan();
    start.engine = TARE_WIRE_VALGRIND;
    start.architecture = TARE_WIRE_AARCH64;
    start.process = process_;
    start.banks_used = 1;
    start.threads = 1;
    tare_wire_begin(&writer_, recording_.base(), &start);
    flow_.Lock(TARE_FLOW_LOCK_ENGINE);
    header().version = TARE_FLOW_VERSION;
    header().architecture = TARE_WIRE_AARCH64;
    header().process = process_;
    header().first_at = kFirstAt;
    header().chunks = kChunks;
    std::atomic_ref(header().magic).store(TARE_FLOW_MAGIC, std::memory_order_release);
  }

  // Each description belongs to a separate block.
  void Describe(const Blocks& blocks) {
    for (const format::FlowBlock& block : blocks.all) {
      const tare_wire_block wire = {
          {}, block.address, block.code_bytes, block.instructions, block.flags, 0};
      const auto number = tare_wire_add_block(
          &writer_, &wire, reinterpret_cast<const std::uint8_t*>(block.code.data()));
      std::vector<tare_wire_access> accesses;
      for (const format::FlowAccess& access : block.accesses) {
        accesses.push_back({access.offset, access.bytes, access.code_offset, access.word,
                            static_cast<std::uint16_t>(access.kind), 0});
      }
      const tare_wire_flow flow = {
          {}, number, 0, block.words, static_cast<std::uint16_t>(accesses.size())};
      tare_wire_add_flow(&writer_, &flow, accesses.data());
    }
  }

  bool HasRoom() {
    return header().written - std::atomic_ref(header().taken).load(std::memory_order_acquire) <
           kChunks;
  }

  void HandOver(const std::vector<std::uint64_t>& words) {
    const std::uint64_t slot = header().written % kChunks;
    std::memcpy(flow_.base() + kFirstAt + slot * 2 * TARE_FLOW_CHUNK, words.data(),
                words.size() * sizeof(std::uint64_t));
    header().chunk_words[slot] = static_cast<std::uint32_t>(words.size());
    std::atomic_ref(header().written).fetch_add(1, std::memory_order_release);
  }

  void End() {
    tare_wire_head(&writer_)->state = TARE_WIRE_SEALED;
    std::atomic_ref(header().ended).store(1, std::memory_order_release);
  }

  tare_flow_header& header() { return *reinterpret_cast<tare_flow_header*>(flow_.base()); }

 private:
  static tare_wire_header Plan() {
    tare_wire_header plan = {};
    plan.records_bytes = 1 << 16;
    plan.bank_blocks = 64;
    plan.banks = 1;
    return plan;
  }
  static std::uint64_t Bytes() {
    const tare_wire_header plan = Plan();
    return tare_wire_file_bytes(&plan);
  }

  std::uint64_t process_;
  SyntheticFile recording_;
  SyntheticFile flow_;
  tare_wire_writer writer_ = {};
};

}  // namespace tare::vpmu
