// sha256.h: the SHA-256 of FIPS 180-4, which names files by their content.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare {

class Sha256 {
 public:
  void Add(std::string_view bytes);
  // 64 hexadecimal digits. The object must not be used afterwards.
  std::string Finish();

 private:
  void Block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::size_t pending_bytes_ = 0;
  std::uint64_t bytes_ = 0;
};

std::string Sha256Of(std::string_view bytes);

// Reads the file piece by piece.
Result<std::string> Sha256OfFile(const std::filesystem::path& path);

}  // namespace tare
