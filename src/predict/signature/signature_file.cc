// signature_file.cc: compresses a signature and checks a file before anything in it is used.
#include "predict/signature/signature_file.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "base/file.h"
#include "predict/signature/signature_codec.h"

namespace tare::signature {
namespace {

constexpr char kSignatureMagic[8] = {'t', 'a', 'r', 'e', 's', 'i', 'g', 'n'};
constexpr std::uint32_t kSignatureVersion = 3;
constexpr int kSignatureLevel = 9;
constexpr std::uint64_t kMaxSignatureBytes = std::uint64_t{256} << 20;
// A zstd block of 128 KiB needs at least 4 bytes.
constexpr std::uint64_t kMaxExpansion = 32768;

struct SignatureHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t checksum;  // CRC-32 of raw_bytes and of the compressed bytes
  std::uint64_t raw_bytes;
};
static_assert(sizeof(SignatureHeader) == 24);

std::uint32_t ChecksumOf(const SignatureHeader& header, std::string_view compressed) {
  const auto raw = crc32_z(0, reinterpret_cast<const unsigned char*>(&header.raw_bytes),
                           sizeof header.raw_bytes);
  return static_cast<std::uint32_t>(
      crc32_z(raw, reinterpret_cast<const unsigned char*>(compressed.data()), compressed.size()));
}

}  // namespace

Result<std::string> PackSignature(std::string_view raw) {
  if (raw.size() > kMaxSignatureBytes) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("the signature has {} bytes, more than the {} that a file may have",
                            raw.size(), kMaxSignatureBytes));
  }
  std::string file(sizeof(SignatureHeader) + ZSTD_compressBound(raw.size()), '\0');
  const std::size_t made =
      ZSTD_compress(file.data() + sizeof(SignatureHeader), file.size() - sizeof(SignatureHeader),
                    raw.data(), raw.size(), kSignatureLevel);
  if (ZSTD_isError(made) != 0) {
    return Fail(ErrorKind::kIo,
                fmt::format("cannot compress the signature: {}", ZSTD_getErrorName(made)));
  }
  file.resize(sizeof(SignatureHeader) + made);
  SignatureHeader header{};
  std::memcpy(header.magic, kSignatureMagic, sizeof kSignatureMagic);
  header.version = kSignatureVersion;
  header.raw_bytes = raw.size();
  header.checksum = ChecksumOf(header, std::string_view(file).substr(sizeof header));
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

Result<Signature> ParseSignature(std::string_view file) {
  ByteReader reader(file);
  const auto header = reader.Read<SignatureHeader>();
  if (!header || std::memcmp(header->magic, kSignatureMagic, sizeof kSignatureMagic) != 0)
    return Fail(ErrorKind::kFormat, "it is not a signature of tare");
  if (header->version != kSignatureVersion) {
    return Fail(ErrorKind::kFormat,
                fmt::format("it is a signature of version {}; this tare reads version {}",
                            header->version, kSignatureVersion));
  }
  const std::string_view compressed = file.substr(sizeof(SignatureHeader));
  if (ChecksumOf(*header, compressed) != header->checksum)
    return Fail(ErrorKind::kFormat, "the signature is damaged: its checksum is wrong");
  if (header->raw_bytes > kMaxSignatureBytes ||
      header->raw_bytes / kMaxExpansion > compressed.size()) {
    return Fail(ErrorKind::kFormat, "the signature is damaged: its length is impossible");
  }
  std::string raw(header->raw_bytes, '\0');
  const std::size_t made =
      ZSTD_decompress(raw.data(), raw.size(), compressed.data(), compressed.size());
  if (ZSTD_isError(made) != 0 || made != raw.size())
    return Fail(ErrorKind::kFormat, "the signature is damaged: its compressed bytes are invalid");
  return DecodeSignature(raw);
}

Result<void> WriteSignature(const Signature& signature, const std::filesystem::path& path) {
  TRY(const auto raw, EncodeSignature(signature));
  TRY(const auto file, PackSignature(raw));
  return WriteFileAtomically(path, file);
}

Result<Signature> ReadSignature(const std::filesystem::path& path) {
  TRY(const auto file, ReadFile(path, kMaxSignatureBytes));
  return InFile(path, ParseSignature(file));
}

}  // namespace tare::signature
