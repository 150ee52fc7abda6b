// source_events_fuzz.cc: reads arbitrary buffers and sites of a program with tare/events.h, and the
// trace that is written from them.
//
// Input: 84 bytes of the header after its version; the number of bytes of sites (2 bytes), and how
// full the first half is (1 byte); sites; words, one for the first half, one for the second.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/private_directory.h"
#include "format/event_reader.h"
#include "format/event_writer.h"
#include "measure/events/source_reader.h"

namespace {

using namespace tare;

constexpr std::size_t kHeaderFrom = offsetof(tare_source_header, clock);
constexpr std::size_t kHeaderBytes = sizeof(tare_source_header) - kHeaderFrom;
constexpr std::size_t kHalf = TARE_SOURCE_WORDS / 2;

std::string_view TakeBytes(std::string_view& input, std::size_t bytes) {
  const std::string_view taken = input.substr(0, bytes);
  input.remove_prefix(taken.size());
  return taken;
}

void WriteWhole(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// The buffer's file, and the image whose sites it needs.
std::uint64_t MakeBuffer(const std::filesystem::path& path, std::string_view input_header,
                         std::uint8_t fullness, std::string_view input_words) {
  std::vector<char> bytes(TARE_SOURCE_HEADER_BYTES + TARE_SOURCE_WORDS * 8u);
  tare_source_header header{};
  std::memcpy(reinterpret_cast<char*>(&header) + kHeaderFrom, input_header.data(),
              std::min(input_header.size(), kHeaderBytes));
  header.magic = TARE_SOURCE_MAGIC;
  header.version = TARE_SOURCE_VERSION;
  std::memcpy(bytes.data(), &header, sizeof header);
  std::vector<std::uint64_t> words(TARE_SOURCE_WORDS);
  std::size_t at[2] = {0, kHalf};
  for (std::size_t i = 0; 8 * i + 8 <= input_words.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, input_words.data() + 8 * i, 8);
    // Events until the last words of the half.
    if (i == 0 && fullness > 0)
      for (; at[0] + fullness < kHalf; ++at[0]) words[at[0]] = word;
    if (at[i % 2] < (i % 2 + 1) * kHalf) words[at[i % 2]++] = word;
  }
  std::memcpy(bytes.data() + TARE_SOURCE_HEADER_BYTES, words.data(), words.size() * 8);
  WriteWhole(path, {bytes.data(), bytes.size()});
  return header.image;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto directory = PrivateDirectory::Make();
  CHECK(directory.has_value());
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view header = TakeBytes(input, kHeaderBytes);
  const std::string_view lengths = TakeBytes(input, 3);
  if (lengths.size() < 3) return 0;
  const std::size_t site_bytes =
      static_cast<std::uint8_t>(lengths[0]) + 256u * static_cast<std::uint8_t>(lengths[1]);
  const std::string_view sites = TakeBytes(input, site_bytes);
  const auto buffers = directory->path() / "buffers";
  std::filesystem::create_directory(buffers);
  const std::uint64_t image =
      MakeBuffer(buffers / "events.1.1.0", header, static_cast<std::uint8_t>(lengths[2]), input);
  const auto site_file = buffers / fmt::format("sites.{:x}", image);
  WriteWhole(site_file, sites);

  const auto path = directory->path() / "trace";
  auto writer = format::EventTraceWriter::Create(path, {});
  CHECK(writer.has_value());
  {
    events::SourceReader reader(buffers, 0.5, 1000, *writer);
    const std::uint64_t first = reader.Take(std::uint64_t{1} << 42);
    CHECK(first <= TARE_SOURCE_WORDS);
    CHECK(reader.Take(std::uint64_t{1} << 42) <= TARE_SOURCE_WORDS);
    reader.Finish();
  }
  const std::uint64_t events = writer->Timed();
  CHECK(writer->Close({}).has_value());
  auto trace = format::EventTraceReader::Open(path);
  CHECK(trace.has_value());
  std::uint64_t read = 0;
  while (trace->Next()) read += trace->Timed().size();
  CHECK(read == events);
  CHECK(trace->Outcome().end.has_value());
  std::filesystem::remove(site_file);
  return 0;
}
