// sampled_profile_file.cc: a preamble and the chunks of format/series_chunk.h: facts, tables,
// samples, end.
#include "format/sampled_profile_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>

#include "base/byte_reader.h"
#include "base/file.h"
#include "format/series_chunk.h"

namespace tare::format {
namespace {

constexpr std::uint32_t kProfileVersion = 1;
constexpr std::uint64_t kMaxProfileBytes = std::uint64_t{1} << 30;
constexpr std::size_t kSamplesPerChunk = 65536;

struct ProfilePreamble {
  char magic[8];
  std::uint32_t version;
  std::uint32_t checksum;  // CRC-32 of the preceding members
};
static_assert(sizeof(ProfilePreamble) == 16);

std::uint32_t PreambleChecksum(const ProfilePreamble& preamble) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const unsigned char*>(&preamble),
                                            offsetof(ProfilePreamble, checksum)));
}

// One description of each record, for writing and for reading.
class ProfileWriter {
 public:
  static constexpr bool kReads = false;
  void Whole(auto value) {
    auto rest = static_cast<std::uint64_t>(value);
    for (; rest >= 0x80; rest >>= 7) bytes_ += static_cast<char>(rest | 0x80);
    bytes_ += static_cast<char>(rest);
  }
  void Real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  void Text(const std::string& text) {
    Whole(text.size());
    bytes_ += text;
  }
  template <typename T>
  void List(std::vector<T>& items, auto each) {
    Whole(items.size());
    for (T& item : items) each(item);
  }
  std::string Take() { return std::move(bytes_); }
  bool Good() const { return true; }

 private:
  std::string bytes_;
};

class ProfileReader {
 public:
  static constexpr bool kReads = true;
  explicit ProfileReader(std::string_view bytes) : reader_(bytes) {}
  template <typename T>
  void Whole(T& value) {
    const auto read = good_ ? reader_.ReadVarint() : Fail(ErrorKind::kFormat, "");
    good_ = good_ && read.has_value();
    if (!good_) return;
    value = static_cast<T>(*read);
    good_ = static_cast<std::uint64_t>(value) == *read;
  }
  void Real(double& value) {
    const auto read = reader_.Read<std::uint64_t>();
    good_ = good_ && read.has_value();
    if (!good_) return;
    value = std::bit_cast<double>(*read);
    good_ = value >= 0 && value < 1e18;
  }
  void Text(std::string& text) {
    std::uint64_t size = 0;
    Whole(size);
    const auto read = reader_.Take(good_ ? size : 0);
    good_ = good_ && read.has_value();
    if (good_) text.assign(reinterpret_cast<const char*>(read->data()), read->size());
  }
  template <typename T>
  void List(std::vector<T>& items, auto each) {
    std::uint64_t size = 0;
    Whole(size);
    // Each item takes at least a byte.
    good_ = good_ && size <= reader_.Remaining();
    for (std::uint64_t i = 0; i < size && good_; ++i) each(items.emplace_back());
  }
  bool Good() const { return good_; }
  bool AtEnd() const { return reader_.AtEnd(); }

 private:
  ByteReader reader_;
  bool good_ = true;
};

void CodeFacts(auto& code, ProfileFacts& facts) {
  for (std::string* text :
       {&facts.program, &facts.arguments, &facts.machine, &facts.event, &facts.chains})
    code.Text(*text);
  code.Whole(facts.with_kernel);
  for (std::uint64_t* number : {&facts.period[0], &facts.period[1], &facts.cpu_ns, &facts.wall_ns,
                                &facts.lost, &facts.throttled, &facts.own_cpu_ns})
    code.Whole(*number);
  code.Whole(facts.runs);
  code.Real(facts.sample_cost_ns);
  code.Real(facts.sample_cost_half_ns);
}

void CodeTables(auto& code, SampledProfile& profile) {
  code.List(profile.objects, [&](ProfileObject& object) {
    code.Text(object.path);
    code.Text(object.build_id);
  });
  code.List(profile.files, [&](std::string& file) { code.Text(file); });
  code.List(profile.functions, [&](ProfileFunction& function) {
    code.Text(function.name);
    code.Whole(function.object);
    code.Whole(function.start);
    code.Whole(function.bytes);
  });
  code.List(profile.locations, [&](ProfileLocation& location) {
    code.Whole(location.address);
    code.Whole(location.offset);
    code.Whole(location.function);
    code.Whole(location.file);
    code.Whole(location.line);
    code.Whole(location.block);
    code.Whole(location.block_instructions);
  });
  code.List(profile.stacks, [&](ProfileStack& stack) {
    code.List(stack, [&](std::uint32_t& location) { code.Whole(location); });
  });
  code.List(profile.threads, [&](ProfileThread& thread) {
    code.Whole(thread.process);
    code.Whole(thread.thread);
    code.Text(thread.command);
  });
  code.List(profile.mappings, [&](ProfileMapping& mapping) {
    code.Whole(mapping.process);
    code.Whole(mapping.start);
    code.Whole(mapping.bytes);
    code.Whole(mapping.file_offset);
    code.Whole(mapping.object);
    code.Whole(mapping.time_ns);
  });
}

void CodeSample(auto& code, ProfileSample& sample) {
  code.Whole(sample.time_ns);
  code.Whole(sample.stack);
  code.Whole(sample.thread);
  code.Whole(sample.timer);
}

// Whether every index of the tables points at something.
bool IsSound(const SampledProfile& profile) {
  const auto each = [](const auto& items, auto sound) { return std::ranges::all_of(items, sound); };
  return each(profile.functions,
              [&](const ProfileFunction& f) { return f.object < profile.objects.size(); }) &&
         each(profile.locations,
              [&](const ProfileLocation& l) {
                return l.function < profile.functions.size() &&
                       (l.file == kNoIndex || l.file < profile.files.size());
              }) &&
         each(profile.stacks,
              [&](const ProfileStack& s) {
                return !s.empty() && each(s, [&](std::uint32_t location) {
                  return location < profile.locations.size();
                });
              }) &&
         each(profile.mappings,
              [&](const ProfileMapping& m) { return m.object < profile.objects.size(); });
}

bool IsSound(const SampledProfile& profile, const ProfileSample& sample) {
  return sample.stack < profile.stacks.size() && sample.thread < profile.threads.size() &&
         sample.timer < 2;
}

class ProfilePacker {
 public:
  ProfilePacker() {
    ProfilePreamble preamble{};
    std::memcpy(preamble.magic, kProfileMagic.data(), sizeof preamble.magic);
    preamble.version = kProfileVersion;
    preamble.checksum = PreambleChecksum(preamble);
    chain_.checksum = preamble.checksum;
    file_.assign(reinterpret_cast<const char*>(&preamble), sizeof preamble);
  }
  // Long contents become several chunks.
  void Add(ChunkKind kind, std::string_view raw) {
    do {
      const std::string_view part = raw.substr(0, kMaxRawBytes);
      raw.remove_prefix(part.size());
      const auto chunk = packer_.Pack(chain_, kind, 0, std::as_bytes(std::span(part)));
      file_.append(reinterpret_cast<const char*>(chunk.data()), chunk.size());
    } while (!raw.empty());
  }
  std::string Take() { return std::move(file_); }

 private:
  ChunkChain chain_;
  ChunkPacker packer_;
  std::string file_;
};

struct ReadChunk {
  ChunkKind kind;
  std::string raw;
};

// The next whole chunk, or nothing at the end, at damage and where the file is cut.
std::optional<ReadChunk> NextChunk(ByteReader& reader, ChunkChain& chain, ChunkUnpacker& unpacker) {
  const auto header = reader.Read<ChunkHeader>();
  if (!header || header->stored_bytes > kMaxStoredBytes || header->raw_bytes > kMaxRawBytes)
    return std::nullopt;
  const auto stored = reader.Take(header->stored_bytes);
  if (!stored || header->number != chain.number ||
      ChunkChecksum(chain, *header, *stored) != header->checksum)
    return std::nullopt;
  const auto raw = unpacker.Unpack(*header, *stored);
  if (!raw) return std::nullopt;
  chain = {chain.number + 1, header->checksum};
  return ReadChunk{static_cast<ChunkKind>(header->kind),
                   std::string(reinterpret_cast<const char*>(raw->data()), raw->size())};
}

std::unexpected<Error> DamagedProfile(std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("the profile is cut or damaged in its {}", what));
}

bool TakeSamples(std::string_view raw, SampledProfile& profile) {
  ProfileReader reader(raw);
  while (reader.Good() && !reader.AtEnd()) {
    ProfileSample sample;
    CodeSample(reader, sample);
    if (!reader.Good() || !IsSound(profile, sample)) return false;
    profile.samples.push_back(sample);
  }
  return reader.Good();
}

}  // namespace

std::string PackProfile(const SampledProfile& profile) {
  SampledProfile copy;  // the coder takes references that it may not change
  copy = profile;
  ProfilePacker packer;
  ProfileWriter facts;
  CodeFacts(facts, copy.facts);
  packer.Add(ChunkKind::kHead, facts.Take());
  ProfileWriter tables;
  CodeTables(tables, copy);
  packer.Add(ChunkKind::kChannels, tables.Take());
  for (std::size_t first = 0; first < copy.samples.size(); first += kSamplesPerChunk) {
    ProfileWriter samples;
    const std::size_t last = std::min(first + kSamplesPerChunk, copy.samples.size());
    for (std::size_t i = first; i < last; ++i) CodeSample(samples, copy.samples[i]);
    packer.Add(ChunkKind::kRecords, samples.Take());
  }
  packer.Add(ChunkKind::kEnd, copy.incomplete);
  return packer.Take();
}

Result<SampledProfile> ParseProfile(std::string_view file) {
  ByteReader reader(file);
  const auto preamble = reader.Read<ProfilePreamble>();
  if (!preamble || std::string_view(preamble->magic, sizeof preamble->magic) != kProfileMagic)
    return Fail(ErrorKind::kFormat, "it is not a profile of tare");
  if (PreambleChecksum(*preamble) != preamble->checksum) return DamagedProfile("first bytes");
  if (preamble->version != kProfileVersion) {
    return Fail(ErrorKind::kFormat,
                fmt::format("it is a profile of version {}; this tare reads version {}",
                            preamble->version, kProfileVersion));
  }
  ChunkChain chain{0, preamble->checksum};
  ChunkUnpacker unpacker;
  SampledProfile profile;
  auto chunk = NextChunk(reader, chain, unpacker);
  if (!chunk || chunk->kind != ChunkKind::kHead) return DamagedProfile("head");
  ProfileReader facts(chunk->raw);
  CodeFacts(facts, profile.facts);
  if (!facts.Good() || !facts.AtEnd()) return DamagedProfile("head");
  std::string raw;
  chunk = NextChunk(reader, chain, unpacker);
  while (chunk && chunk->kind == ChunkKind::kChannels) {
    raw += chunk->raw;
    chunk = NextChunk(reader, chain, unpacker);
  }
  ProfileReader tables(raw);
  CodeTables(tables, profile);
  if (!tables.Good() || !tables.AtEnd() || !IsSound(profile)) return DamagedProfile("tables");
  while (chunk && chunk->kind == ChunkKind::kRecords) {
    if (!TakeSamples(chunk->raw, profile)) return DamagedProfile("samples");
    chunk = NextChunk(reader, chain, unpacker);
  }
  if (chunk && chunk->kind == ChunkKind::kEnd && reader.AtEnd()) {
    profile.incomplete = chunk->raw;
  } else {
    profile.incomplete = "the file is cut or damaged";
  }
  return profile;
}

Result<void> WriteProfile(const SampledProfile& profile, const std::filesystem::path& path) {
  return WriteFileAtomically(path, PackProfile(profile));
}

Result<SampledProfile> ReadProfile(const std::filesystem::path& path) {
  TRY(const auto file, ReadFile(path, kMaxProfileBytes));
  return InFile(path, ParseProfile(file));
}

bool IsProfile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[8] = {};
  file.read(magic, sizeof magic);
  return file.gcount() == sizeof magic && std::string_view(magic, sizeof magic) == kProfileMagic;
}

}  // namespace tare::format
