// buffer.h: memory to run kernels on, with pages of a known size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace tare::microbenchmark {

enum class Pages {
  kSystem,  // as the system gives them to a program that asks for nothing
  kSmall,   // never joined to huge ones
  kHuge,    // huge where the system has them
};

std::string_view Name(Pages pages);
std::optional<Pages> ParsePages(std::string_view name);

// Anonymous memory, aligned to 2 MiB, every page of it written once. Moves, is not copied. With
// huge pages the last of them is there whole, so that small buffers lie on one too.
class Buffer {
 public:
  static Result<Buffer> Make(std::uint64_t bytes, Pages pages);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }

  // The part of it that lies on huge pages, by /proc/self/smaps, 0 to 1; nothing where the kernel
  // does not tell.
  std::optional<double> HugeShare() const;

 private:
  Buffer() = default;
  std::span<std::byte> mapping_;  // with the room on both sides
  std::span<std::byte> usable_;   // whole pages
  std::span<std::byte> bytes_;
};

}  // namespace tare::microbenchmark
