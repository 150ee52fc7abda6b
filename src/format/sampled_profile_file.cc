// sampled_profile_file.cc: a preamble and the chunks of format/chunk.h: facts, tables,
// samples, end.
#include "format/sampled_profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "base/byte_reader.h"
#include "base/file.h"
#include "base/special_file.h"
#include "format/chunk.h"
#include "format/field_coder.h"

namespace tare::format {
namespace {

constexpr ChunkedFormat kProfileFormat = {
    {'t', 'a', 'r', 'e', 'p', 'r', 'o', 'f'}, 1, "a profile", "it is not a profile of tare"};
constexpr std::uint64_t kMaxProfileBytes = std::uint64_t{1} << 30;
constexpr std::size_t kSamplesPerChunk = 65536;

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
    const Preamble preamble = MakePreamble(kProfileFormat);
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
  FieldReader reader(raw);
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
  FieldWriter facts;
  CodeFacts(facts, copy.facts);
  packer.Add(ChunkKind::kHead, facts.Take());
  FieldWriter tables;
  CodeTables(tables, copy);
  packer.Add(ChunkKind::kChannels, tables.Take());
  for (std::size_t first = 0; first < copy.samples.size(); first += kSamplesPerChunk) {
    FieldWriter samples;
    const std::size_t last = std::min(first + kSamplesPerChunk, copy.samples.size());
    for (std::size_t i = first; i < last; ++i) CodeSample(samples, copy.samples[i]);
    packer.Add(ChunkKind::kRecords, samples.Take());
  }
  packer.Add(ChunkKind::kEnd, copy.incomplete);
  return packer.Take();
}

Result<SampledProfile> ParseProfile(std::string_view file) {
  ByteReader reader(file);
  const auto preamble = reader.Read<Preamble>();
  if (!preamble) return Fail(ErrorKind::kFormat, std::string(kProfileFormat.refusal));
  TRY(auto chain, ReadPreamble(*preamble, kProfileFormat));
  ChunkUnpacker unpacker;
  SampledProfile profile;
  auto chunk = NextChunk(reader, chain, unpacker);
  if (!chunk || chunk->kind != ChunkKind::kHead) return DamagedProfile("head");
  FieldReader facts(chunk->raw);
  CodeFacts(facts, profile.facts);
  if (!facts.Good() || !facts.AtEnd()) return DamagedProfile("head");
  std::string raw;
  chunk = NextChunk(reader, chain, unpacker);
  while (chunk && chunk->kind == ChunkKind::kChannels) {
    raw += chunk->raw;
    chunk = NextChunk(reader, chain, unpacker);
  }
  FieldReader tables(raw);
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
  return StartOfFile(path, kProfileMagic.size()) == kProfileMagic;
}

}  // namespace tare::format
