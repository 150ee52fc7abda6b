// study_store_salvage.cc: what can be read from a database that SQLite refuses to open.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "analysis/study/study_store.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/private_directory.h"

namespace tare::study {
namespace {

namespace fs = std::filesystem;

// SQLite's "Database File Format", 1.3: the header.
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kHeaderBytes = 100;
constexpr std::uint64_t kUsualPageBytes = 4096;
using Header = std::array<char, kHeaderBytes>;

std::uint64_t NumberAt(const Header& header, std::size_t at, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    number = number << 8 | static_cast<unsigned char>(header[at + i]);
  }
  return number;
}

void SetNumber(Header& header, std::size_t at, std::size_t bytes, std::uint64_t number) {
  for (std::size_t i = bytes; i-- > 0; number >>= 8) {
    header[at + i] = static_cast<char>(number & 0xff);
  }
}

// The header that tare's databases have.
Header UsualHeader(std::uint64_t pages) {
  Header header{};
  std::ranges::copy(kMagic, header.begin());
  SetNumber(header, 16, 2, kUsualPageBytes);
  SetNumber(header, 18, 2, 0x0202);    // write-ahead log
  SetNumber(header, 21, 3, 0x402020);  // fixed fractions
  SetNumber(header, 24, 4, 1);         // counter of changes
  SetNumber(header, 28, 4, pages);
  SetNumber(header, 40, 4, 1);  // cookie of the schema
  SetNumber(header, 44, 4, 4);  // its format
  SetNumber(header, 56, 4, 1);  // UTF-8
  SetNumber(header, 60, 4, static_cast<std::uint64_t>(kSchemaVersion));
  SetNumber(header, 92, 4, 1);  // the counter for which the number of pages holds
  return header;
}

// Gives the file a header, and as many pages as the header says. False: it needs neither.
Result<bool> Repair(const fs::path& path) {
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  if (error) return std::unexpected(SystemError("read", path, error.value()));
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  Header header{};
  file.read(header.data(), kHeaderBytes);
  file.clear();
  const bool has_header = std::string_view(header.data(), kMagic.size()) == kMagic;
  if (!has_header) {
    header = UsualHeader((bytes + kUsualPageBytes - 1) / kUsualPageBytes);
    file.seekp(0);
    file.write(header.data(), kHeaderBytes);
  }
  file.close();
  if (!file) return std::unexpected(SystemError("write", path, EIO));
  const std::uint64_t page_bytes = NumberAt(header, 16, 2) == 1 ? 65536 : NumberAt(header, 16, 2);
  const std::uint64_t wanted = NumberAt(header, 28, 4) * page_bytes;
  // A header with an absurd number of pages would need an absurd file.
  const bool pad = wanted > bytes && wanted / 16 < std::max<std::uint64_t>(bytes, 1 << 20);
  if (pad) fs::resize_file(path, wanted, error);
  if (error) return std::unexpected(SystemError("enlarge", path, error.value()));
  return pad || !has_header;
}

bool IsAboutDamage(const Error& error) {
  return error.kind == ErrorKind::kFormat && error.message.contains("is damaged");
}

bool IsNothing(const StoredStudy& stored) {
  return stored.damaged && stored.runs.empty() && stored.cases.empty();
}

Result<StoredStudy> LoadFrom(const fs::path& results) {
  TRY(const auto store, StudyStore::OpenToRead(results));
  return store.Load({.salvage = true, .values = true});
}

}  // namespace

Result<StoredStudy> LoadWhatCanBeRead(const fs::path& results) {
  auto stored = LoadFrom(results);
  const fs::path path = results / kDatabaseName;
  const auto nothing = [&] {
    return Fail(ErrorKind::kFormat, fmt::format("{} is damaged, and nothing of it can be read",
                                                Printable(path.string())));
  };
  if (stored && IsNothing(*stored)) return nothing();
  if (stored || !IsAboutDamage(stored.error())) return stored;
  TRY(const auto directory, PrivateDirectory::MakeOnDisk());
  for (const std::string suffix : {"", "-wal"}) {
    std::error_code error;
    const fs::path from = path.string() + suffix;
    if (!fs::exists(from, error)) continue;
    const fs::path copy = directory.path() / (kDatabaseName + suffix);
    if (!fs::copy_file(from, copy, error)) {
      return std::unexpected(SystemError("copy", from, error.value()));
    }
    fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write, error);
  }
  TRY(const bool repaired, Repair(directory.path() / kDatabaseName));
  if (!repaired) return nothing();
  stored = LoadFrom(directory.path());
  if (!stored || IsNothing(*stored)) return nothing();
  stored->damaged = true;
  return stored;
}

}  // namespace tare::study
