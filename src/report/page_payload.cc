// page_payload.cc: encodes columns, compresses, and writes base64.
#include "report/page_payload.h"

#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tare::report {
namespace {

bool AreWhole(std::span<const double> values) {
  constexpr double kMax = 0x1p52;  // differences stay below 2^53
  for (const double value : values) {
    if (!(std::abs(value) < kMax) || value != std::floor(value)) return false;
    if (value == 0 && std::signbit(value)) return false;
  }
  return true;
}

std::string EncodeDifferences(std::span<const double> values) {
  std::string bytes;
  std::int64_t last = 0;
  for (const double value : values) {
    const auto whole = static_cast<std::int64_t>(value);
    const std::int64_t difference = whole - last;
    last = whole;
    auto zigzag = (static_cast<std::uint64_t>(difference) << 1) ^
                  static_cast<std::uint64_t>(difference >> 63);
    for (; zigzag >= 0x80; zigzag >>= 7) bytes += static_cast<char>((zigzag & 0x7f) | 0x80);
    bytes += static_cast<char>(zigzag);
  }
  return bytes;
}

template <typename Bits>
std::string EncodePlanes(const std::vector<Bits>& values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(Bits));
  for (std::size_t plane = 0; plane < sizeof(Bits); ++plane) {
    for (const Bits value : values) bytes += static_cast<char>((value >> (8 * plane)) & 0xff);
  }
  return bytes;
}

}  // namespace

EncodedColumn EncodeColumn(std::span<const double> values, bool precise) {
  if (AreWhole(values)) return {ColumnEncoding::kWhole, EncodeDifferences(values)};
  if (precise) {
    std::vector<std::uint64_t> bits;
    for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
    return {ColumnEncoding::kReal, EncodePlanes(bits)};
  }
  std::vector<std::uint32_t> bits;
  for (const double value : values) {
    bits.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
  return {ColumnEncoding::kShortReal, EncodePlanes(bits)};
}

Result<std::string> Gzip(std::string_view bytes) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;  // the largest window, and a gzip header
  if (deflateInit2(&stream, 9, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    return Fail(ErrorKind::kUnsupported, "cannot compress: zlib has no memory");
  }
  std::string packed(deflateBound(&stream, bytes.size()) + 32, '\0');
  std::vector<Bytef> input(bytes.begin(), bytes.end());
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::vector<Bytef> output(packed.size());
  stream.next_out = output.data();
  stream.avail_out = static_cast<uInt>(output.size());
  const int status = deflate(&stream, Z_FINISH);
  const std::size_t size = stream.total_out;
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return Fail(ErrorKind::kUnsupported, "cannot compress the data");
  std::memcpy(packed.data(), output.data(), size);
  packed.resize(size);
  return packed;
}

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const bool padding = i + k > bytes.size();
      text += padding ? '=' : kDigits[(group >> (18 - 6 * k)) & 63];
    }
  }
  return text;
}

}  // namespace tare::report
