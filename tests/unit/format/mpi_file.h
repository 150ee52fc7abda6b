// mpi_file.h: builds the bytes of an MPI trace for tests, independently of the engine.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "format/mpi_wire.h"

namespace tare::format {

class MpiFileBuilder {
 public:
  MpiFileBuilder(std::uint32_t rank, std::uint32_t size) {
    header_.magic = TARE_MPI_MAGIC;
    header_.version = TARE_MPI_VERSION;
    header_.rank = rank;
    header_.size = size;
    header_.run = 7;
    header_.job = 8;
    header_.job_number = 1;
    header_.start_ns = 1'000'000;
    header_.state = TARE_MPI_FINALIZED;
    header_.call_peer = TARE_MPI_NO_RANK;
    std::strcpy(header_.boot, "boot");
    std::strcpy(header_.host, "host");
    std::strcpy(header_.program, "/bin/ring");
  }

  tare_mpi_header& header() { return header_; }

  MpiFileBuilder& Byte(unsigned value) {
    records_ += static_cast<char>(value);
    return *this;
  }
  MpiFileBuilder& Unsigned(std::uint64_t value) {
    while (value >= 0x80) {
      Byte(static_cast<unsigned>(value & 0x7f) | 0x80);
      value >>= 7;
    }
    return Byte(static_cast<unsigned>(value));
  }
  MpiFileBuilder& Signed(std::int64_t value) {
    return Unsigned((static_cast<std::uint64_t>(value) << 1) ^
                    static_cast<std::uint64_t>(value >> 63));
  }

  // Its length and its bytes.
  MpiFileBuilder& Text(std::string_view text) {
    Unsigned(text.size());
    records_ += text;
    return *this;
  }
  // The beginning of an event in a block, `wall_ns` after the event before, of which `idle_ns` were
  // not CPU time.
  MpiFileBuilder& OpenMp(tare_openmp_event kind, std::uint64_t wall_ns, std::uint64_t idle_ns) {
    return Byte(kind).Unsigned(wall_ns).Unsigned(idle_ns);
  }

  // MPI_COMM_WORLD and MPI_COMM_SELF.
  MpiFileBuilder& Predefined() {
    Byte(TARE_MPI_DEFINE_COMM).Unsigned(0).Unsigned(TARE_MPI_COMM_INTRA).Unsigned(0);
    Unsigned(1).Signed(0).Signed(1).Unsigned(header_.size);
    Byte(TARE_MPI_DEFINE_COMM).Unsigned(1).Unsigned(TARE_MPI_COMM_INTRA).Unsigned(0);
    return Unsigned(1).Signed(header_.rank).Signed(1).Unsigned(1);
  }

  // The beginning of an event that starts `gap_ns` after the end of the event before and takes 10
  // ns; the fields follow in the order of their bits.
  MpiFileBuilder& Event(tare_mpi_function function, unsigned fields, std::int64_t gap_ns = 100) {
    return Byte(function).Unsigned(fields).Signed(gap_ns).Unsigned(10);
  }
  MpiFileBuilder& Send(std::int32_t to, std::int32_t tag, std::uint64_t bytes) {
    return Event(TARE_MPI_F_Send, TARE_MPI_PEER | TARE_MPI_TAG | TARE_MPI_SENT)
        .Signed(to)
        .Signed(tag)
        .Unsigned(bytes);
  }
  MpiFileBuilder& Receive(std::int32_t from, std::int32_t tag, std::uint64_t bytes) {
    return Event(TARE_MPI_F_Recv, TARE_MPI_PEER | TARE_MPI_TAG | TARE_MPI_SENT | TARE_MPI_RECEIVED)
        .Signed(from)
        .Signed(tag)
        .Unsigned(1000)
        .Unsigned(bytes);
  }

  // Closes the chunk.
  MpiFileBuilder& Chunk(std::uint32_t kind = TARE_MPI_CHUNK_CLOSED) {
    tare_mpi_chunk chunk{};
    chunk.kind = kind;
    chunk.number = number_++;
    chunk.bytes = static_cast<std::uint32_t>(records_.size());
    std::uint32_t sum = Crc(checksum_, &chunk, offsetof(tare_mpi_chunk, checksum));
    sum = Crc(sum, records_.data(), records_.size());
    chunk.checksum = checksum_ = sum;
    chunks_.append(reinterpret_cast<const char*>(&chunk), sizeof chunk);
    chunks_ += records_;
    chunks_.append((8 - chunks_.size() % 8) % 8, '\0');
    records_.clear();
    return *this;
  }

  // The whole file, with an end chunk.
  std::string Bytes() {
    if (!records_.empty()) Chunk();
    Chunk(TARE_MPI_CHUNK_END);
    return Unsealed();
  }
  // What is there so far.
  std::string Unsealed() {
    header_.checksum = Crc(0, &header_, offsetof(tare_mpi_header, checksum));
    std::string file(TARE_MPI_HEADER_BYTES, '\0');
    std::memcpy(file.data(), &header_, sizeof header_);
    return file + chunks_;
  }

 private:
  static std::uint32_t Crc(std::uint32_t sum, const void* bytes, std::size_t count) {
    return static_cast<std::uint32_t>(
        crc32(sum, static_cast<const unsigned char*>(bytes), static_cast<unsigned>(count)));
  }

  tare_mpi_header header_{};
  std::string records_;
  std::string chunks_;
  std::uint32_t number_ = 0;
  std::uint32_t checksum_ = 0;
};

inline std::span<const std::byte> BytesOf(const std::string& file) {
  return std::as_bytes(std::span(file.data(), file.size()));
}

}  // namespace tare::format
