// synthetic_flow.h: a synthetic recording and its flow in a directory, written as the engine writes
// them.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "format/flow_wire.h"
#include "format/wire_writer.h"

namespace tare::format {

inline constexpr std::uint64_t kSyntheticChunks = 4;

// A mapped file that this object owns.
class SyntheticFile {
 public:
  SyntheticFile(const std::filesystem::path& path, std::uint64_t bytes)
      : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)), bytes_(bytes) {
    EXPECT_EQ(ftruncate(file_.Number(), static_cast<off_t>(bytes)), 0);
    base_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.Number(), 0);
    EXPECT_NE(base_, MAP_FAILED);
  }
  ~SyntheticFile() { Close(); }
  SyntheticFile(const SyntheticFile&) = delete;
  SyntheticFile& operator=(const SyntheticFile&) = delete;

  std::uint8_t* base() const { return static_cast<std::uint8_t*>(base_); }
  const Descriptor& file() const { return file_; }

  // An OFD lock (fcntl(2)) lasts as long as the file is open or mapped.
  void Close() {
    if (base_ != nullptr) munmap(base_, bytes_);
    base_ = nullptr;
    file_.Close();
  }

 private:
  Descriptor file_;
  std::uint64_t bytes_;
  void* base_ = nullptr;
};

// The engine's side. Its lock lasts until Die().
class SyntheticFlow {
 public:
  static tare_wire_header Plan(std::uint64_t process) {
    tare_wire_header plan{};
    plan.engine = TARE_WIRE_VALGRIND;
    plan.architecture = TARE_WIRE_AARCH64;
    plan.process = process;
    plan.records_bytes = 4096;
    plan.bank_blocks = 8;
    plan.banks = plan.banks_used = 1;
    return plan;
  }

  SyntheticFlow(const std::filesystem::path& directory, const tare_wire_header& plan)
      : recording_(directory / Name(plan), tare_wire_file_bytes(&plan)),
        flow_(directory / (TARE_FLOW_FILE "." + Name(plan)),
              2 * TARE_FLOW_CHUNK * (kSyntheticChunks + 1)) {
    tare_wire_begin(&writer_, recording_.base(), &plan);
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_start = TARE_FLOW_LOCK_ENGINE;
    lock.l_len = 1;
    EXPECT_EQ(fcntl(flow_.file().Number(), F_OFD_SETLK, &lock), 0);
    header().version = TARE_FLOW_VERSION;
    header().architecture = plan.architecture;
    header().process = plan.process;
    header().generation = plan.generation;
    header().first_at = 2 * TARE_FLOW_CHUNK;
    header().chunks = kSyntheticChunks;
    header().magic = TARE_FLOW_MAGIC;
  }

  static std::string Name(const tare_wire_header& plan) {
    return std::to_string(plan.process) + "." + std::to_string(plan.generation);
  }

  tare_flow_header& header() { return *reinterpret_cast<tare_flow_header*>(flow_.base()); }
  tare_wire_header& recording() { return *tare_wire_head(&writer_); }
  tare_wire_writer& writer() { return writer_; }

  std::uint64_t AddBlock(std::uint64_t address, std::uint32_t code_bytes, std::uint32_t flags = 0) {
    tare_wire_block block{};
    block.address = address;
    block.code_bytes = code_bytes;
    block.instructions = 1;
    block.flags = flags;
    return tare_wire_add_block(&writer_, &block, std::vector<std::uint8_t>(code_bytes, 7).data());
  }

  std::uint64_t Describe(std::uint64_t block, std::uint16_t words,
                         std::initializer_list<tare_wire_access> accesses,
                         std::uint32_t operation = 0) {
    tare_wire_flow flow{};
    flow.block = block;
    flow.operation = operation;
    flow.words = words;
    flow.accesses = static_cast<std::uint16_t>(accesses.size());
    return tare_wire_add_flow(&writer_, &flow, accesses.begin());
  }

  void HandOver(const std::vector<std::uint64_t>& words) {
    const std::uint32_t slot = header().written % kSyntheticChunks;
    std::uint8_t* chunk = flow_.base() + 2 * TARE_FLOW_CHUNK * (1 + slot);
    std::ranges::copy(words, reinterpret_cast<std::uint64_t*>(chunk));
    header().chunk_words[slot] = static_cast<std::uint32_t>(words.size());
    __atomic_store_n(&header().written, header().written + 1, __ATOMIC_SEQ_CST);
  }

  // Puts words into the current chunk without handing it over.
  void Fill(const std::vector<std::uint64_t>& words) {
    const std::uint32_t slot = header().written % kSyntheticChunks;
    std::uint8_t* chunk = flow_.base() + 2 * TARE_FLOW_CHUNK * (1 + slot);
    std::ranges::copy(words, reinterpret_cast<std::uint64_t*>(chunk) + header().filled);
    header().filled += static_cast<std::uint32_t>(words.size());
  }
  void HandOverFilled() {
    header().chunk_words[header().written % kSyntheticChunks] = header().filled;
    header().filled = 0;
    ++header().written;
  }

  // Releases file and lock, as when the process is killed.
  void Die() { flow_.Close(); }

 private:
  SyntheticFile recording_;
  SyntheticFile flow_;
  tare_wire_writer writer_{};
};

}  // namespace tare::format
