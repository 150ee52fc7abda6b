// buffer.h: memory for microbenchmarks, with pages of a known size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace tare::microbenchmark {

enum class Pages {
  kSystem,  // the system's default
  kSmall,   // never merged into huge pages
  kHuge,    // huge where the system has them
};

std::string_view Name(Pages pages);
std::optional<Pages> ParsePages(std::string_view name);

// Anonymous memory, aligned to 2 MiB; every page has been written once. Movable, not copyable. With
// kHuge the mapping extends to a whole huge page, so that small buffers get one too.
class Buffer {
 public:
  static Result<Buffer> Make(std::uint64_t bytes, Pages pages);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }

  // The share of the buffer on huge pages, from /proc/self/smaps, 0 to 1; nothing where the kernel
  // does not report it.
  std::optional<double> HugeShare() const;

 private:
  Buffer() = default;
  std::span<std::byte> mapping_;  // including the guard regions on both sides
  std::span<std::byte> usable_;   // whole pages
  std::span<std::byte> bytes_;
};

}  // namespace tare::microbenchmark
